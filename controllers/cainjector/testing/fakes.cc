// SPDX-License-Identifier: Apache-2.0
#include "controllers/cainjector/testing/fakes.h"

#include <glog/logging.h>

#include <utility>

#include "capstan/base64.h"
#include "capstan/logging.h"
#include "capstan/runtime/json_writer.h"
#include "capstan/runtime/parsed_json.h"
#include "capstan/testing/certificates.h"
#include "controllers/cainjector/rules/annotations.h"
#include "controllers/cainjector/sources/ca_cert_loader.h"

namespace capstan::cainjector {

namespace {

std::string Quoted(std::string_view text) {
  runtime::JsonWriter writer;
  writer.String(text);
  return std::move(writer).Take();
}

testing::FakeResponse StatusResponse(int code, const std::string& reason,
                                     const std::string& message) {
  return {.status = code,
          .headers = {{"Content-Type", "application/json"}},
          .chunks = {R"({"kind":"Status","apiVersion":"v1","status":"Failure","reason":)" +
                     Quoted(reason) + R"(,"message":)" + Quoted(message) + R"(,"code":)" +
                     std::to_string(code) + "}"}};
}

std::string SecretPath(const std::string& key) {
  const runtime::ObjectKey name = runtime::ObjectKey::Parse(key);
  return SecretMetadataType().Path(name.namespace_, name.name);
}

std::string Line(const transport::HttpRequest& request) {
  return request.method + " " + request.target;
}

// Returns the object with another resourceVersion.
std::string Written(std::string object) {
  constexpr std::string_view kVersion = R"("resourceVersion":")";
  const std::size_t at = object.find(kVersion);
  if (at != std::string::npos) object.insert(at + kVersion.size(), "after-");
  return object;
}

std::string Metadata(const std::string& ns, const std::string& name,
                     const Annotations& annotations) {
  std::string json = R"("metadata":{)";
  if (!ns.empty()) json += R"("namespace":")" + ns + R"(",)";
  json += R"("name":")" + name + R"(","annotations":{)";
  for (const auto& [key, value] : annotations) {
    if (!json.ends_with('{')) json += ",";
    json += "\"" + std::string(key) + R"(":")" + value + "\"";
  }
  return json + "}}";
}

std::string CaBundle(const std::string& bundle) {
  return bundle.empty() ? "" : R"(,"caBundle":")" + Base64Encode(bundle) + "\"";
}

std::string Webhooks(const std::string& bundle) {
  const std::string common = R"("sideEffects":"None","admissionReviewVersions":["v1"],)";
  return R"("webhooks":[{"name":"url.example.com",)" + common +
         R"("clientConfig":{"url":"https://x.example.com")" + CaBundle(bundle) +
         R"(}},{"name":"service.example.com",)" + common +
         R"("clientConfig":{"service":{"namespace":"ns","name":"hook"})" + CaBundle(bundle) + "}}]";
}

std::string ApiServiceSpec(const std::string& name, const std::string& bundle) {
  return R"("spec":{"group":")" + name +
         R"(.example.com","version":"v1","groupPriorityMinimum":1,"versionPriority":1,)"
         R"("service":{"namespace":"ns","name":"api"})" +
         CaBundle(bundle) + "}";
}

std::string CrdSpec(const std::string& name, const std::string& bundle) {
  return R"("spec":{"group":"example.com","scope":"Namespaced","names":{"plural":")" + name +
         R"(s","kind":"Thing"},"versions":[{"name":"v1","served":true,"storage":true,)"
         R"("schema":{"openAPIV3Schema":{"type":"object"}}}],)"
         R"("conversion":{"strategy":"Webhook","webhook":{"conversionReviewVersions":["v1"],)"
         R"("clientConfig":{"service":{"namespace":"ns","name":"convert"})" +
         CaBundle(bundle) + "}}}}";
}

}  // namespace

std::string SecretJson(const std::string& key, const SecretData& secret) {
  const runtime::ObjectKey name = runtime::ObjectKey::Parse(key);
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
  return testing::MakeCa({.common_name = "ca", .not_after = not_after}).value().cert_pem;
}

runtime::ObjectPtr Decode(const runtime::ResourceType& type, const std::string& json) {
  const auto document = runtime::ParsedJson::Parse(json);
  CHECK(document.has_value()) << json;
  const auto meta = runtime::DecodeIdentity(document->root());
  CHECK(meta.has_value());
  auto object = type.decode(*meta, document->root());
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
  auto owned = std::make_unique<testing::FakeTransport>(
      [this](const transport::HttpRequest& request) { return Answer(request); });
  transport = owned.get();
  client =
      std::make_unique<rest::Client>(rest::Config{.host = "https://fake", .user_agent = "test"},
                                     std::move(owned), rest::ClientOptions{.clock = clock});
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
  objects_[path] = {json};
}

void FakeCluster::PutNextObject(const std::string& path, const std::string& json) {
  const MutexLock lock(mu_);
  objects_[path].push_back(json);
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

testing::FakeResponse FakeCluster::Answer(const transport::HttpRequest& request) {
  const MutexLock lock(mu_);
  for (const Failing& failing : failing_) {
    if (Line(request).starts_with(failing.prefix)) return failing.response;
  }
  const transport::Headers json = {{"Content-Type", "application/json"}};
  if (request.method == "PATCH") {  // the response is the applied configuration
    return {.status = 200, .headers = json, .chunks = {Written(request.body)}};
  }
  // A list gets the next response for its path. Its resourceVersion is ignored.
  const auto found =
      objects_.find(request.target.substr(0, request.target.find("&resourceVersion=")));
  if (found == objects_.end()) return StatusResponse(404, "NotFound", "not found");
  auto& responses = found->second;
  const std::string body = responses.front();
  if (responses.size() > 1) responses.pop_front();
  return {.status = 200, .headers = json, .chunks = {body}};
}

std::string StoredSecret(const std::string& ca_crt, const std::string& name,
                         const Annotations& annotations) {
  return R"({"apiVersion":"v1","kind":"Secret",)" + Metadata("ns", name, annotations) +
         R"(,"data":{"ca.crt":")" + Base64Encode(ca_crt) + R"("}})";
}

std::string StoredCertificateSecret(const std::string& ca_crt, const std::string& certificate,
                                    const std::string& name) {
  return StoredSecret(ca_crt, name, {{kCertificateName, certificate}});
}

std::string StoredCertificate(const std::string& name, const std::string& secret_name) {
  return R"({"apiVersion":"cert-manager.io/v1","kind":"Certificate",)" + Metadata("ns", name, {}) +
         R"(,"spec":{"secretName":")" + secret_name + R"("}})";
}

std::string StoredTrustBundle(const std::string& name, const std::string& pem,
                              const TrustBundleData& more) {
  std::string labels;
  for (const auto& [key, value] : more.labels) {
    labels += (labels.empty() ? "" : ",") + Quoted(key) + ":" + Quoted(value);
  }
  return R"({"apiVersion":)" + Quoted(more.api_version) +
         R"(,"kind":"ClusterTrustBundle","metadata":{"name":)" + Quoted(name) + R"(,"labels":{)" +
         labels + R"(}},"spec":{)" +
         (more.signer.empty() ? "" : R"("signerName":)" + Quoted(more.signer) + ",") +
         R"("trustBundle":)" + Quoted(pem) + "}}";
}

std::string StoredConfigMap(const std::string& name, bool labelled, const std::string& data_key,
                            const std::string& value) {
  std::string escaped;
  for (const char c : value) escaped += c == '\n' ? std::string("\\n") : std::string(1, c);
  return R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"namespace":"ns","name":")" + name +
         "\"" + (labelled ? R"(,"labels":{"cache.capstan.dev/enabled":"true"})" : "") +
         R"(},"data":{")" + data_key + R"(":")" + escaped + R"("}})";
}

std::string TargetName(const Target& target, const std::string& name) {
  if (target.type().kind == "APIService") return "v1." + name + ".example.com";
  if (target.type().kind == "CustomResourceDefinition") return name + "s.example.com";
  return name;
}

std::string StoredTarget(const Target& target, const std::string& name,
                         const Annotations& annotations, const std::string& bundle) {
  const std::string& kind = target.type().kind;
  std::string spec = Webhooks(bundle);
  if (kind == "APIService") spec = ApiServiceSpec(name, bundle);
  if (kind == "CustomResourceDefinition") spec = CrdSpec(name, bundle);
  return R"({"apiVersion":")" + target.type().gvr.ApiVersion() + R"(","kind":")" + kind + R"(",)" +
         Metadata("", TargetName(target, name), annotations) + "," + spec + "}";
}

}  // namespace capstan::cainjector
