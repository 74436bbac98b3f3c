// SPDX-License-Identifier: Apache-2.0
#include "clientgo/testing/apiserver/decoding/defaults.h"

#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "capstan/base64.h"
#include "capstan/text.h"

namespace capstan::testing::apiserver {
namespace {

constexpr std::string_view kRollingUpdate = "RollingUpdate";

// Fields is an object inside a document.
class Fields {
 public:
  explicit Fields(runtime::JsonDocument& document) : Fields(document, document.GetAllocator()) {}
  Fields(runtime::JsonValue& object, JsonAllocator& allocator)
      : object_(object), allocator_(allocator) {}

  bool Has(std::string_view key) const { return runtime::Find(object_, key) != nullptr; }
  std::string Text(std::string_view key) const {
    return std::string(runtime::GetString(object_, key));
  }
  // Returns the member, or a Json without text.
  Json Value(std::string_view key) const {
    const runtime::JsonValue* const member = runtime::Find(object_, key);
    return member == nullptr ? Json() : Json(*member);
  }
  // Returns the member, which becomes an object if it is none.
  Fields operator[](std::string_view key) const {
    return {Ensure(object_, key, allocator_), allocator_};
  }
  // Returns the member if it is an object.
  std::optional<Fields> Find(std::string_view key) const {
    runtime::JsonValue* const member = FindMutable(object_, key);
    if (member == nullptr || !member->IsObject()) return std::nullopt;
    return Fields(*member, allocator_);
  }
  // Returns the objects in a list.
  std::vector<Fields> Items(std::string_view key) const {
    std::vector<Fields> items;
    runtime::JsonValue* const list = FindMutable(object_, key);
    if (list == nullptr || !list->IsArray()) return items;
    for (runtime::JsonValue& item : list->GetArray()) {
      if (item.IsObject()) items.emplace_back(item, allocator_);
    }
    return items;
  }

  void Put(std::string_view key, const Json& value) const {
    SetJson(object_, key, value, allocator_);
  }
  // Sets the missing members.
  void Default(std::initializer_list<Json::Member> members) const {
    for (const auto& [key, value] : members) {
      if (!Has(key) && !value.text().empty()) Put(key, value);
    }
  }
  // The same for texts. An empty text counts as missing.
  void DefaultText(std::initializer_list<Json::Member> members) const {
    for (const auto& [key, value] : members) {
      if (Text(key).empty()) Put(key, value);
    }
  }

 private:
  runtime::JsonValue& object_;
  JsonAllocator& allocator_;
};

// Returns the options of the strategy if it is a rolling update.
std::optional<Fields> RollingUpdate(const Fields& strategy) {
  strategy.DefaultText({{"type", kRollingUpdate}});
  if (strategy.Text("type") != kRollingUpdate) return std::nullopt;
  return strategy["rollingUpdate"];
}

void DefaultPort(const std::optional<Fields>& service) {
  if (service) service->Default({{"port", 443}});
}

void DefaultWebhooks(runtime::JsonDocument& object, bool mutating) {
  for (const Fields& webhook : Fields(object).Items("webhooks")) {
    webhook.Default({{"failurePolicy", "Fail"}, {"matchPolicy", "Equivalent"}});
    for (const char* const key : {"namespaceSelector", "objectSelector"}) (void)webhook[key];
    if (mutating) webhook.Default({{"reinvocationPolicy", "Never"}});
    for (const Fields& rule : webhook.Items("rules")) rule.Default({{"scope", "*"}});
    webhook.Default({{"timeoutSeconds", 10}});
    if (const auto client = webhook.Find("clientConfig")) DefaultPort(client->Find("service"));
  }
}

}  // namespace

void DefaultDeployment(runtime::JsonDocument& object) {
  const Fields spec = Fields(object)["spec"];
  spec.Default({{"replicas", 1}, {"revisionHistoryLimit", 10}, {"progressDeadlineSeconds", 600}});
  const auto options = RollingUpdate(spec["strategy"]);
  if (options) options->Default({{"maxUnavailable", "25%"}, {"maxSurge", "25%"}});
}

void DefaultReplicaSet(runtime::JsonDocument& object) {
  Fields(object)["spec"].Default({{"replicas", 1}});
}

void DefaultDaemonSet(runtime::JsonDocument& object) {
  const Fields spec = Fields(object)["spec"];
  spec.Default({{"revisionHistoryLimit", 10}});
  const auto options = RollingUpdate(spec["updateStrategy"]);
  if (options) options->Default({{"maxUnavailable", 1}, {"maxSurge", 0}});
}

void DefaultStatefulSet(runtime::JsonDocument& object) {
  const Fields spec = Fields(object)["spec"];
  spec.Default({{"replicas", 1}, {"revisionHistoryLimit", 10}});
  spec.DefaultText({{"podManagementPolicy", "OrderedReady"}});
  spec["persistentVolumeClaimRetentionPolicy"].DefaultText(
      {{"whenDeleted", "Retain"}, {"whenScaled", "Retain"}});
  const Fields strategy = spec["updateStrategy"];
  if (strategy.Text("type").empty()) RollingUpdate(strategy);
  // A strategy with a type keeps missing options.
  const auto options = strategy.Find("rollingUpdate");
  if (options && strategy.Text("type") == kRollingUpdate) options->Default({{"partition", 0}});
}

void DefaultCronJob(runtime::JsonDocument& object) {
  const Fields spec = Fields(object)["spec"];
  spec.DefaultText({{"concurrencyPolicy", "Allow"}});
  spec.Default(
      {{"suspend", false}, {"successfulJobsHistoryLimit", 3}, {"failedJobsHistoryLimit", 1}});
}

void DefaultBinding(runtime::JsonDocument& object) {
  constexpr std::string_view kGroup = "rbac.authorization.k8s.io";
  Fields(object)["roleRef"].DefaultText({{"apiGroup", kGroup}});
  for (const Fields& subject : Fields(object).Items("subjects")) {
    const std::string kind = subject.Text("kind");
    if (kind == "User" || kind == "Group") subject.DefaultText({{"apiGroup", kGroup}});
  }
}

void DefaultValidatingWebhooks(runtime::JsonDocument& object) { DefaultWebhooks(object, false); }

void DefaultMutatingWebhooks(runtime::JsonDocument& object) { DefaultWebhooks(object, true); }

void DefaultApiService(runtime::JsonDocument& object) {
  if (const auto spec = Fields(object).Find("spec")) DefaultPort(spec->Find("service"));
}

void DefaultSecret(runtime::JsonDocument& object) {
  const Fields secret(object);
  secret.Default({{"type", "Opaque"}});
  if (!secret.Has("stringData")) return;
  const Fields data = secret["data"];
  for (const auto& member : ObjectAt(object, "stringData").GetObject()) {
    if (!member.value.IsString()) continue;
    data.Put(runtime::ToView(member.name), Base64Encode(runtime::ToView(member.value)));
  }
  Remove(object, "stringData");
}

void DefaultDefinition(runtime::JsonDocument& object) {
  const Fields spec = Fields(object)["spec"];
  spec.Default({{"conversion", {{"strategy", "None"}}}});
  const Fields names = spec["names"];
  const std::string kind = names.Text("kind");
  if (!kind.empty()) names.Default({{"singular", LowerAscii(kind)}, {"listKind", kind + "List"}});
}

void DefaultService(runtime::JsonDocument& object) {
  const Fields spec = Fields(object)["spec"];
  spec.Default({{"type", "ClusterIP"}, {"sessionAffinity", "None"}});
  for (const Fields& port : spec.Items("ports")) {
    port.Default({{"protocol", "TCP"}});
    port.Default({{"targetPort", port.Value("port")}});
  }
}

void DefaultNamespace(runtime::JsonDocument& object) {
  const std::string name(Metadata(object, "name"));
  if (!name.empty()) Fields(object)["metadata"]["labels"].Put("kubernetes.io/metadata.name", name);
}

void MakePodPending(runtime::JsonDocument& pod) {
  Fields(pod)["status"].Default({{"phase", "Pending"}});
}

void ActivateNamespace(runtime::JsonDocument& ns) {
  Fields(ns)["status"].Default({{"phase", "Active"}});
  Fields(ns)["spec"].Put("finalizers", Json::List({"kubernetes"}));
}

}  // namespace capstan::testing::apiserver
