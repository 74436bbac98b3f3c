// SPDX-License-Identifier: Apache-2.0
#include "controllers/cainjector/testing/fakes.h"

#include <glog/logging.h>

#include <utility>

#include "clientgo/runtime/json.h"
#include "clientgo/testing/certificates.h"
#include "clientgo/util/base64.h"
#include "controllers/cainjector/rules/annotations.h"
#include "controllers/cainjector/sources/secret_source.h"

namespace controllers::cainjector {

using clientgo::runtime::ObjectKey;
using clientgo::testing::FakeResponse;
using clientgo::util::Base64Encode;
using clientgo::util::MutexLock;

namespace {

std::string Quoted(std::string_view text) { return "\"" + std::string(text) + "\""; }

FakeResponse StatusResponse(int code, const std::string& reason, const std::string& message) {
  return {.status = code,
          .headers = {{"Content-Type", "application/json"}},
          .chunks = {R"({"kind":"Status","apiVersion":"v1","status":"Failure","reason":)" +
                     Quoted(reason) + R"(,"message":)" + Quoted(message) + R"(,"code":)" +
                     std::to_string(code) + "}"}};
}

std::string SecretPath(const std::string& key) {
  const ObjectKey name = ObjectKey::Parse(key);
  return SecretMetadataType().Path(name.namespace_, name.name);
}

std::string Line(const clientgo::transport::HttpRequest& request) {
  return request.method + " " + request.target;
}

// The same in a version of its own.
std::string Written(std::string object) {
  constexpr std::string_view kVersion = R"("resourceVersion":")";
  const std::size_t at = object.find(kVersion);
  if (at != std::string::npos) object.insert(at + kVersion.size(), "after-");
  return object;
}

}  // namespace

std::string SecretJson(const std::string& key, const SecretData& secret) {
  const ObjectKey name = ObjectKey::Parse(key);
  std::string json = R"({"apiVersion":"v1","kind":"Secret","metadata":{"namespace":)" +
                     Quoted(name.namespace_) + R"(,"name":)" + Quoted(name.name) +
                     R"(,"uid":"uid-)" + name.name + R"(","resourceVersion":)" +
                     Quoted(secret.version);
  std::string annotations;
  if (!secret.allow.empty()) {
    annotations += Quoted(kAllowDirectInjection) + ":" + Quoted(secret.allow);
  }
  if (!secret.certificate_name.empty()) {
    annotations += (annotations.empty() ? "" : ",") + Quoted(kCertificateName) + ":" +
                   Quoted(secret.certificate_name);
  }
  if (!annotations.empty()) json += R"(,"annotations":{)" + annotations + "}";
  json += R"(},"data":{"tls.key":"c2VjcmV0")";
  if (secret.has_ca_crt) json += R"(,"ca.crt":)" + Quoted(Base64Encode(secret.ca_crt));
  return json + "}}";
}

void FakeRecorder::Event(const clientgo::record::ObjectReference& object, std::string_view type,
                         std::string_view reason, std::string_view message) {
  const MutexLock lock(mu_);
  events_.push_back(std::string(type) + " " + std::string(reason) + " " + object.kind + "/" +
                    object.name + ": " + std::string(message));
}

std::vector<std::string> FakeRecorder::events() const {
  const MutexLock lock(mu_);
  return events_;
}

void FakeCounter::Add(const std::vector<std::string>& label_values, double by) {
  const MutexLock lock(mu_);
  values_[label_values] += by;
}

double FakeCounter::Value(const std::vector<std::string>& label_values) const {
  const MutexLock lock(mu_);
  const auto found = values_.find(label_values);
  return found == values_.end() ? 0 : found->second;
}

void FakeGauge::Set(const std::vector<std::string>& label_values, double value) {
  const MutexLock lock(mu_);
  values_[label_values] = value;
}

void FakeGauge::Add(const std::vector<std::string>& label_values, double delta) {
  const MutexLock lock(mu_);
  values_[label_values] += delta;
}

void FakeGauge::Remove(const std::vector<std::string>& label_values) {
  const MutexLock lock(mu_);
  values_.erase(label_values);
}

std::optional<double> FakeGauge::Value(const std::vector<std::string>& label_values) const {
  const MutexLock lock(mu_);
  const auto found = values_.find(label_values);
  if (found == values_.end()) return std::nullopt;
  return found->second;
}

std::string NewCaPem(std::chrono::seconds not_after) {
  return clientgo::testing::MakeCa({.common_name = "ca", .not_after = not_after}).value().cert_pem;
}

clientgo::runtime::ObjectPtr Decode(const clientgo::runtime::ResourceType& type,
                                    const std::string& json) {
  clientgo::runtime::JsonDocument document;
  document.Parse(json.c_str());
  CHECK(!document.HasParseError()) << json;
  const auto meta = clientgo::runtime::DecodeMeta(document);
  CHECK(meta.has_value());
  auto object = type.decode(*meta, document);
  CHECK(object.has_value()) << object.error().message;
  return *std::move(object);
}

std::string WebhookJson(const Target& target, const std::string& name, const char* annotation,
                        const std::vector<std::string>& bundles, const std::string& version,
                        const std::string& more_metadata) {
  std::string json = R"({"apiVersion":"admissionregistration.k8s.io/v1","kind":)" +
                     Quoted(target.type().kind) + R"(,"metadata":{"name":)" + Quoted(name) +
                     R"(,"uid":"uid-)" + name + R"(","resourceVersion":)" + Quoted(version);
  if (annotation != nullptr) {
    json += R"(,"annotations":{)" + Quoted(kInjectCaFromSecret) + ":" + Quoted(annotation) + "}";
  }
  json += more_metadata + R"(},"webhooks":[)";
  for (std::size_t i = 0; i < bundles.size(); ++i) {
    if (i > 0) json += ",";
    json += R"({"name":"w)" + std::to_string(i) + R"(","clientConfig":{"url":"https://x")";
    if (!bundles[i].empty()) json += R"(,"caBundle":)" + Quoted(Base64Encode(bundles[i]));
    json += "}}";
  }
  return json + "]}";
}

std::string ListJson(const std::string& item) {
  return R"({"kind":"List","apiVersion":"v1","metadata":{"resourceVersion":"1"},"items":[)" + item +
         "]}";
}

FakeCluster::FakeCluster() {
  auto owned = std::make_unique<clientgo::testing::FakeTransport>(
      [this](const clientgo::transport::HttpRequest& request) { return Answer(request); });
  transport = owned.get();
  client = std::make_unique<clientgo::rest::Client>(
      clientgo::rest::Config{.host = "https://fake", .user_agent = "test"}, std::move(owned),
      clientgo::rest::ClientOptions{.clock = clock});
}

void FakeCluster::PutSecret(const std::string& key, const SecretData& secret) {
  PutSecretUnseen(key, secret);
  secret_cache.Upsert(Decode(SecretMetadataType(), SecretJson(key, secret)));
}

void FakeCluster::PutSecretUnseen(const std::string& key, const SecretData& secret) {
  PutObject(SecretPath(key), SecretJson(key, secret));
}

void FakeCluster::PutObject(const std::string& path, const std::string& json) {
  const MutexLock lock(mu_);
  objects_[path] = json;
}

void FakeCluster::PutTarget(const Target& target, const std::string& name,
                            const std::string& json) {
  PutObject(target.type().Path("", "") + "?fieldSelector=metadata.name%3D" + name, ListJson(json));
}

void FakeCluster::DeleteSecret(const std::string& key) {
  secret_cache.Delete(key);
  const MutexLock lock(mu_);
  objects_.erase(SecretPath(key));
}

void FakeCluster::Fail(const std::string& prefix, int code, const std::string& reason,
                       const std::string& message) {
  const MutexLock lock(mu_);
  failing_.push_back({prefix, StatusResponse(code, reason, message)});
}

void FakeCluster::FailNoMore() {
  const MutexLock lock(mu_);
  failing_.clear();
}

std::size_t FakeCluster::Count(const std::string& prefix) const {
  std::size_t count = 0;
  for (const auto& request : transport->requests()) {
    if (Line(request).starts_with(prefix)) ++count;
  }
  return count;
}

std::vector<std::string> FakeCluster::PatchBodies() const {
  std::vector<std::string> bodies;
  for (const auto& request : transport->requests()) {
    if (request.method == "PATCH") bodies.push_back(request.body);
  }
  return bodies;
}

FakeResponse FakeCluster::Answer(const clientgo::transport::HttpRequest& request) const {
  const MutexLock lock(mu_);
  for (const Failing& failing : failing_) {
    if (Line(request).starts_with(failing.prefix)) return failing.response;
  }
  const clientgo::transport::Headers json = {{"Content-Type", "application/json"}};
  if (request.method == "PATCH") {  // the object as written: here, what was applied
    return {.status = 200, .headers = json, .chunks = {Written(request.body)}};
  }
  const auto found = objects_.find(request.target);
  if (found == objects_.end()) return StatusResponse(404, "NotFound", "not found");
  return {.status = 200, .headers = json, .chunks = {found->second}};
}

}  // namespace controllers::cainjector
