// SPDX-License-Identifier: Apache-2.0
#include "e2e/contract/fixture.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <random>
#include <regex>
#include <utility>

#include "capstan/clientcmd/config.h"
#include "capstan/testing/apiserver/server.h"
#include "capstan/testing/temp_dir.h"
#include "capstan/text.h"
#include "capstan/transport/http2_transport.h"
#include "clientgo/testing/apiserver/types/json_edit.h"

namespace capstan::testing::apiserver::contract {

namespace apiserver = testing::apiserver;

using apiserver::FindMutable;
using apiserver::JsonAllocator;

namespace {

constexpr std::chrono::seconds kPatience(20);
constexpr std::string_view kUserAgent = "contract/1.0";

std::unique_ptr<transport::HttpTransport> NewTransport(const transport::Config& config) {
  auto transport = transport::NewHttpTransport(config);
  EXPECT_TRUE(transport.has_value()) << transport.error().message;
  return transport ? std::move(*transport) : nullptr;
}

std::string Environment(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? "" : value;
}

void SortMembers(runtime::JsonValue& value) {
  if (value.IsObject()) {
    std::sort(value.MemberBegin(), value.MemberEnd(), [](const auto& a, const auto& b) {
      return std::string_view(a.name.GetString()) < std::string_view(b.name.GetString());
    });
    for (auto member = value.MemberBegin(); value.MemberEnd() - member > 0; ++member) {
      SortMembers(member->value);
    }
  } else if (value.IsArray()) {
    for (runtime::JsonValue& item : value.GetArray()) SortMembers(item);
  }
}

std::string SortedText(runtime::JsonDocument& document) {
  SortMembers(document);
  return runtime::ToJson(document);
}

// Replaces the string at `key`, if present.
void Replace(runtime::JsonValue& object, std::string_view key, std::string_view text,
             JsonAllocator& pool) {
  runtime::JsonValue* const value = object.IsObject() ? FindMutable(object, key) : nullptr;
  if (value != nullptr && value->IsString()) *value = apiserver::NewString(text, pool);
}

void NormaliseObject(runtime::JsonValue& object, const std::string& ns, JsonAllocator& pool) {
  runtime::JsonValue* const metadata = FindMutable(object, "metadata");
  if (metadata == nullptr || !metadata->IsObject()) return;
  Replace(*metadata, "uid", "UID", pool);
  Replace(*metadata, "resourceVersion", "RV", pool);
  Replace(*metadata, "creationTimestamp", "TIME", pool);
  Replace(*metadata, "deletionTimestamp", "TIME", pool);
  Replace(*metadata, "continue", "TOKEN", pool);
  for (const char* const key : {"namespace", "name"}) {
    if (runtime::GetString(*metadata, key) == ns) Replace(*metadata, key, "NS", pool);
  }
  runtime::JsonValue* const fields = FindMutable(*metadata, "managedFields");
  if (fields == nullptr || !fields->IsArray()) return;
  for (runtime::JsonValue& entry : fields->GetArray()) Replace(entry, "time", "TIME", pool);
}

std::string UniqueName() {
  std::random_device random;
  return "contract-" + std::to_string(random()) + std::to_string(random() % 1000);
}

}  // namespace

std::string Sorted(std::string_view json) {
  runtime::JsonDocument document;
  document.Parse(json.data(), json.size());
  return document.HasParseError() ? std::string(json) : SortedText(document);
}

std::string StatusText(const Refusal& refusal) {
  runtime::JsonDocument status;
  status.SetObject();
  JsonAllocator& pool = status.GetAllocator();
  apiserver::SetString(status, "kind", "Status", pool);
  apiserver::SetString(status, "apiVersion", "v1", pool);
  apiserver::Ensure(status, "metadata", pool);
  apiserver::SetString(status, "status", "Failure", pool);
  apiserver::SetString(status, "message", refusal.message, pool);
  if (!refusal.reason.empty()) apiserver::SetString(status, "reason", refusal.reason, pool);
  if (!refusal.details.empty()) {
    runtime::JsonDocument details(&pool);
    details.Parse(refusal.details.data(), refusal.details.size());
    EXPECT_FALSE(details.HasParseError()) << refusal.details;
    apiserver::Set(status, "details", runtime::JsonValue(details, pool), pool);
  }
  apiserver::Set(status, "code", runtime::JsonValue(refusal.code), pool);
  return SortedText(status);
}

std::string Cause(std::string_view reason, std::string_view message, std::string_view field) {
  runtime::JsonDocument cause;
  cause.SetObject();
  JsonAllocator& pool = cause.GetAllocator();
  apiserver::SetString(cause, "reason", reason, pool);
  apiserver::SetString(cause, "message", message, pool);
  if (!field.empty()) apiserver::SetString(cause, "field", field, pool);
  return runtime::ToJson(cause);
}

Refusal Invalid(std::string_view kind, std::string_view name, std::string_view field,
                std::string_view reason, std::string_view message) {
  const std::string_view bare = kind.substr(0, kind.find('.'));
  std::string details = "{";
  if (!name.empty()) details += R"("name":")" + std::string(name) + R"(",)";
  if (bare != kind) details += R"("group":")" + std::string(kind.substr(bare.size() + 1)) + R"(",)";
  details += R"("kind":")" + std::string(bare) + R"(","causes":[)";
  details += Cause(reason, message, field) + "]}";
  return {.code = 422,
          .reason = "Invalid",
          .message = std::string(kind) + " \"" + std::string(name) +
                     "\" is invalid: " + std::string(field) + ": " + std::string(message),
          .details = std::move(details)};
}

Refusal BadRequest(std::string message) {
  return {.code = 400, .reason = "BadRequest", .message = std::move(message)};
}

WatchLine WatchStream::Next() {
  const auto ended = [](std::string type) {
    WatchLine line;
    line.type = std::move(type);
    return line;
  };
  if (response_ == nullptr) return ended("NO ANSWER");
  std::size_t end = buffer_.find('\n');
  while (end == std::string::npos) {
    const auto data = response_->Read();
    if (!data) return ended(data.error().message);
    if (data->empty()) return ended(buffer_.empty() ? "EOF" : buffer_);
    buffer_ += *data;
    end = buffer_.find('\n');
  }
  WatchLine line = WatchLine::Parse(std::string_view(buffer_).substr(0, end));
  buffer_.erase(0, end + 1);
  return line;
}

struct ContractTest::Target {
  std::unique_ptr<apiserver::Server> embedded;  // null for a real server
  rest::Config config;
  std::unique_ptr<transport::HttpTransport> transport;
  int minor = 0;  // 0: not yet read
};

std::unique_ptr<ContractTest::Target> ContractTest::suite_target;

void ContractTest::SetUpTestSuite() {
  suite_target = std::make_unique<Target>();
  TempDir folder;
  std::string kubeconfig = Environment("CAPSTAN_CONTRACT_KUBECONFIG");
  if (kubeconfig.empty()) {
    constexpr const char* kToken = "admin-token";
    suite_target->embedded = std::make_unique<apiserver::Server>(
        apiserver::Options{.authorization = apiserver::Authorization::kRbac,
                           .tokens = {{kToken, "admin"}},
                           .groups = {{"admin", {"system:masters"}}},
                           .protobuf = true});
    const auto started = suite_target->embedded->Start();
    ASSERT_TRUE(started.has_value()) << started.error().message;
    kubeconfig = folder.Write("kubeconfig", suite_target->embedded->Kubeconfig(kToken));
  }
  auto config = clientcmd::LoadKubeconfig({kubeconfig}, "");
  ASSERT_TRUE(config.has_value()) << config.error().message;
  suite_target->config = std::move(*config);
  suite_target->transport = NewTransport(
      {.host = suite_target->config.host, .tls = suite_target->config.tls, .source = kubeconfig});
}

void ContractTest::TearDownTestSuite() { suite_target = nullptr; }

void ContractTest::SetUp() {
  ASSERT_NE(suite_target->transport, nullptr);
  ns_ = UniqueName();
  const Answer created = Post("/api/v1/namespaces", R"({"metadata":{"name":")" + ns_ + R"("}})");
  ASSERT_EQ(created.code, 201) << created.body;
  DeleteLater(Webhooks());
  DeleteLater("/api/v1/namespaces/" + ns_);
}

void ContractTest::TearDown() {
  for (const std::string& target : leftovers_) Delete(target);
}

const rest::Config& ContractTest::config() { return suite_target->config; }

int ContractTest::Minor() const {
  if (suite_target->minor == 0) {
    const Answer version = Get("/version");
    suite_target->minor = std::atoi(std::string(runtime::GetString(version.json, "minor")).c_str());
  }
  return suite_target->minor;
}

std::string ContractTest::OfVersion(std::string text) const {
  if (Minor() >= 34) return text;
  static const std::vector<std::pair<std::regex, const char*>> older_words = {
      {std::regex(R"((must evaluate to [^"]*?) but got [^"]*)"), "$1"},
      {std::regex("may not be more than ([0-9]+) bytes?"), "must have at most $1 bytes"},
      {std::regex("must have at most 1 item\\b"), "must have at most 1 items"},
      {std::regex("must be a valid CEL identifier"), "name is not a valid CEL identifier"},
      {std::regex("(a valid environment variable name must consist) only of printable ASCII "
                  "characters other than '='"),
       "$1 of alphabetic characters, digits, '_', '-', or '.', and must not start with a digit "
       "(e.g. 'my.env-name',  or 'MY_ENV.NAME',  or 'MyEnvName1', regex used for validation is "
       "'[-._a-zA-Z][-._a-zA-Z0-9]*')"},
      {std::regex("'revisionHistoryLimit', "), ""},
  };
  for (const auto& [newer, older] : older_words) text = std::regex_replace(text, newer, older);
  return text;
}

Refusal ContractTest::OfVersion(Refusal refusal) const {
  refusal.message = OfVersion(std::move(refusal.message));
  refusal.details = OfVersion(std::move(refusal.details));
  return refusal;
}

std::string ContractTest::Comparable(std::string text) const {
  if (Minor() >= 34) return text;
  for (const std::string_view start : {"Invalid value: ", "Unsupported value: "}) {
    for (auto at = text.find(start); at != std::string::npos; at = text.find(start, at)) {
      at += start.size();
      const auto end = text.find(": ", at);
      if (end != std::string::npos) text.replace(at, end - at, "VALUE");
    }
  }
  return text;
}

Refusal ContractTest::InvalidMetadata(std::string_view name, std::string_view field,
                                      std::string_view reason, std::string_view message) const {
  Refusal refusal = Invalid("ConfigMap", name, field, reason, message);
  if (Minor() >= 37) return refusal;
  // Two validators of the core kinds report the error. The text contains it once.
  const std::string cause = Cause(reason, message, field);
  refusal.details = R"({"name":")" + std::string(name) + R"(","kind":"ConfigMap","causes":[)" +
                    cause + "," + cause + "]}";
  return refusal;
}

std::string ContractTest::Core(std::string_view plural, std::string_view name) const {
  return InNamespace("/api/v1", plural, name);
}

std::string ContractTest::Apps(std::string_view plural, std::string_view name) const {
  return InNamespace("/apis/apps/v1", plural, name);
}

std::string ContractTest::Leases(std::string_view name) const {
  return InNamespace("/apis/coordination.k8s.io/v1", "leases", name);
}

std::string ContractTest::InNamespace(std::string_view version, std::string_view plural,
                                      std::string_view name) const {
  std::string path = std::string(version) + "/namespaces/" + ns_ + "/" + std::string(plural);
  return name.empty() ? path : path + "/" + std::string(name);
}

std::string ContractTest::Configurations(bool mutating) {
  return std::string("/apis/admissionregistration.k8s.io/v1/") +
         (mutating ? "mutating" : "validating") + "webhookconfigurations";
}

std::string ContractTest::Webhooks() const { return Configurations(false) + "/" + ns_; }

Answer ContractTest::Do(std::string_view method, std::string_view target, std::string_view body,
                        const std::vector<std::string>& headers) const {
  transport::Headers all;
  for (const std::string& header : headers) {
    const std::size_t colon = header.find(": ");
    all.emplace_back(header.substr(0, colon), header.substr(colon + 2));
  }
  const auto add = [&all](const std::string& name, std::string value) {
    if (transport::FindHeader(all, name).empty()) all.emplace_back(name, std::move(value));
  };
  add("Accept", "application/json");
  add("User-Agent", std::string(kUserAgent));
  add("Authorization", "Bearer " + suite_target->config.bearer_token);
  if (!body.empty()) add("Content-Type", "application/json");
  std::erase_if(all, [](const auto& header) { return header.second == "none"; });
  const auto response = suite_target->transport->RoundTrip({}, {.method = std::string(method),
                                                                .target = std::string(target),
                                                                .headers = std::move(all),
                                                                .body = std::string(body),
                                                                .idle_timeout = kPatience,
                                                                .answer_timeout = kPatience});
  Answer answer;
  if (!response) {
    answer.body = response.error().message;
    return answer;
  }
  answer.code = (*response)->status();
  for (const auto& [name, value] : (*response)->headers()) {
    answer.head.append(LowerAscii(name)).append(": ").append(value).append("\r\n");
  }
  for (auto data = (*response)->Read(); data && !data->empty(); data = (*response)->Read()) {
    answer.body += *data;
  }
  answer.ParseBody();
  return answer;
}

Answer ContractTest::JsonPatch(std::string_view target, std::string_view body) const {
  return Do("PATCH", target, body, {"Content-Type: application/json-patch+json"});
}

Answer ContractTest::MergePatch(std::string_view target, std::string_view body) const {
  return Do("PATCH", target, body, {"Content-Type: application/merge-patch+json"});
}

Answer ContractTest::StrategicPatch(std::string_view target, std::string_view body) const {
  return Do("PATCH", target, body, {"Content-Type: application/strategic-merge-patch+json"});
}

Answer ContractTest::Apply(std::string_view target, std::string_view query,
                           std::string_view body) const {
  return Do("PATCH", std::string(target) + "?" + std::string(query), body,
            {"Content-Type: application/apply-patch+yaml"});
}

WatchStream ContractTest::Watch(std::string_view collection, std::string_view query,
                                const std::vector<std::string>& headers) const {
  transport::HttpRequest request{
      .target = std::string(collection) + "?watch=1&" + std::string(query),
      .headers = {{"Authorization", "Bearer " + suite_target->config.bearer_token},
                  {"User-Agent", std::string(kUserAgent)}},
      .idle_timeout = kPatience,
      .answer_timeout = kPatience,
      .long_running = true};
  for (const std::string& header : headers) {
    const std::size_t colon = header.find(": ");
    request.headers.emplace_back(header.substr(0, colon), header.substr(colon + 2));
  }
  auto response = suite_target->transport->RoundTrip({}, request);
  EXPECT_TRUE(response.has_value()) << response.error().message;
  return WatchStream(response ? std::move(*response) : nullptr);
}

std::string ContractTest::CreateConfigMap(std::string_view name, std::string_view metadata,
                                          std::string_view data) const {
  std::string body = R"({"metadata":{"name":")" + std::string(name) + "\"";
  if (!metadata.empty()) body.append(",").append(metadata);
  body += "}";
  if (!data.empty()) body.append(R"(,"data":)").append(data);
  const Answer answer = Post(ConfigMaps(), body + "}");
  EXPECT_EQ(answer.code, 201) << answer.body;
  return std::string(answer.meta("resourceVersion"));
}

Answer ContractTest::CreateWebhooks() const {
  const auto webhook = [](const std::string& name, const std::string& client_config) {
    return R"({"name":")" + name + R"(","sideEffects":"None","admissionReviewVersions":["v1"],)" +
           R"("clientConfig":)" + client_config + "}";
  };
  Answer answer = Post(Configurations(false) + "?fieldManager=helm",
                       R"({"metadata":{"name":")" + ns_ + R"("},"webhooks":[)" +
                           webhook("a.x.io", R"({"service":{"name":"s","namespace":"d"}})") + "," +
                           webhook("b.x.io", R"({"url":"https://b"})") + "]}");
  EXPECT_EQ(answer.code, 201) << answer.body;
  return answer;
}

void ContractTest::AwaitCache(std::string_view collection, std::string_view version) const {
  const Answer list = Get(std::string(collection) + "?resourceVersion=" + std::string(version));
  ASSERT_EQ(list.code, 200) << list.body;
}

bool ContractTest::IsEmbedded() { return suite_target->embedded != nullptr; }

bool ContractTest::CollectsGarbage() {
  return IsEmbedded() || !Environment("CAPSTAN_CONTRACT_GARBAGE_COLLECTION").empty();
}

bool ContractTest::Compact() const {
  if (suite_target->embedded != nullptr) {
    suite_target->embedded->CompactWatchWindow();
    return true;
  }
  const std::string etcd = Environment("CAPSTAN_CONTRACT_ETCD");
  if (etcd.empty()) return false;
  const auto transport = NewTransport({.host = etcd});
  const auto response =
      transport->RoundTrip({}, {.method = "POST",
                                .target = "/v3/kv/compaction",
                                .headers = {{"Content-Type", "application/json"}},
                                .body = R"({"revision":")" + Version() + R"(","physical":true})"});
  EXPECT_TRUE(response.has_value()) << response.error().message;
  return response.has_value() && (*response)->status() == 200;
}

std::string ContractTest::Normal(const runtime::JsonValue& object) const {
  runtime::JsonDocument copy;
  JsonAllocator& pool = copy.GetAllocator();
  copy.CopyFrom(object, pool);
  if (!copy.IsObject()) return runtime::ToJson(copy);
  NormaliseObject(copy, ns_, pool);
  if (runtime::JsonValue* const details = FindMutable(copy, "details")) {
    Replace(*details, "uid", "UID", pool);
    if (runtime::GetString(*details, "name") == ns_) Replace(*details, "name", "NS", pool);
  }
  runtime::JsonValue* const items = FindMutable(copy, "items");
  if (items != nullptr && items->IsArray()) {
    for (runtime::JsonValue& item : items->GetArray()) NormaliseObject(item, ns_, pool);
  }
  return SortedText(copy);
}

std::string ContractTest::FieldsOf(const Answer& answer, std::string_view manager,
                                   std::string_view subresource) {
  const runtime::JsonValue* const entries =
      runtime::FindPath(answer.json, {"metadata", "managedFields"});
  if (entries == nullptr) return "none";
  for (const runtime::JsonValue& entry : entries->GetArray()) {
    if (runtime::GetString(entry, "manager") != manager) continue;
    if (runtime::GetString(entry, "subresource") != subresource) continue;
    return Sorted(runtime::ToJson(*runtime::Find(entry, "fieldsV1")));
  }
  return "none";
}

}  // namespace capstan::testing::apiserver::contract
