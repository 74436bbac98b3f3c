// SPDX-License-Identifier: Apache-2.0
#include "clientgo/testing/apiserver/decoding/defaults.h"

#include <string>
#include <string_view>

#include "capstan/base64.h"
#include "capstan/text.h"

namespace capstan::testing::apiserver {
namespace {

constexpr std::string_view kRollingUpdate = "RollingUpdate";
constexpr int kRevisionHistoryLimit = 10;

// An empty text is a missing one.
void SetDefault(runtime::JsonValue& object, std::string_view key, std::string_view value,
                JsonAllocator& allocator) {
  if (runtime::GetString(object, key).empty()) SetString(object, key, value, allocator);
}

void SetDefault(runtime::JsonValue& object, std::string_view key, int value,
                JsonAllocator& allocator) {
  if (runtime::Find(object, key) == nullptr) Set(object, key, runtime::JsonValue(value), allocator);
}

void SetMissing(runtime::JsonValue& object, std::string_view key, std::string_view value,
                JsonAllocator& allocator) {
  if (runtime::Find(object, key) == nullptr) SetString(object, key, value, allocator);
}

// Returns the options of the strategy `key` if it is a rolling update; null: it is another one.
runtime::JsonValue* EnsureRollingUpdate(runtime::JsonValue& spec, std::string_view key,
                                        JsonAllocator& allocator) {
  runtime::JsonValue& strategy = Ensure(spec, key, allocator);
  SetDefault(strategy, "type", kRollingUpdate, allocator);
  if (runtime::GetString(strategy, "type") != kRollingUpdate) return nullptr;
  return &Ensure(strategy, "rollingUpdate", allocator);
}

void DefaultPort(runtime::JsonValue* service, JsonAllocator& allocator) {
  constexpr int kHttpsPort = 443;
  if (service != nullptr && service->IsObject())
    SetDefault(*service, "port", kHttpsPort, allocator);
}

void DefaultWebhooks(runtime::JsonDocument& object, bool mutating) {
  auto& allocator = object.GetAllocator();
  constexpr int kTimeoutSeconds = 10;
  runtime::JsonValue* const webhooks = FindMutable(object, "webhooks");
  if (webhooks == nullptr || !webhooks->IsArray()) return;
  for (runtime::JsonValue& webhook : webhooks->GetArray()) {
    if (!webhook.IsObject()) continue;
    SetMissing(webhook, "failurePolicy", "Fail", allocator);
    SetMissing(webhook, "matchPolicy", "Equivalent", allocator);
    Ensure(webhook, "namespaceSelector", allocator);
    Ensure(webhook, "objectSelector", allocator);
    if (mutating) SetMissing(webhook, "reinvocationPolicy", "Never", allocator);
    runtime::JsonValue* const rules = FindMutable(webhook, "rules");
    if (rules != nullptr && rules->IsArray()) {
      for (runtime::JsonValue& rule : rules->GetArray()) {
        if (rule.IsObject()) SetMissing(rule, "scope", "*", allocator);
      }
    }
    SetDefault(webhook, "timeoutSeconds", kTimeoutSeconds, allocator);
    DefaultPort(FindMutablePath(webhook, {"clientConfig", "service"}), allocator);
  }
}

}  // namespace

void DefaultDeployment(runtime::JsonDocument& object) {
  auto& allocator = object.GetAllocator();
  runtime::JsonValue& spec = Ensure(object, "spec", allocator);
  constexpr int kProgressDeadlineSeconds = 600;
  SetDefault(spec, "replicas", 1, allocator);
  SetDefault(spec, "revisionHistoryLimit", kRevisionHistoryLimit, allocator);
  SetDefault(spec, "progressDeadlineSeconds", kProgressDeadlineSeconds, allocator);
  runtime::JsonValue* const rolling_update = EnsureRollingUpdate(spec, "strategy", allocator);
  if (rolling_update == nullptr) return;
  for (const char* const key : {"maxUnavailable", "maxSurge"}) {
    if (runtime::Find(*rolling_update, key) == nullptr)
      SetString(*rolling_update, key, "25%", allocator);
  }
}

void DefaultDaemonSet(runtime::JsonDocument& object) {
  auto& allocator = object.GetAllocator();
  runtime::JsonValue& spec = Ensure(object, "spec", allocator);
  SetDefault(spec, "revisionHistoryLimit", kRevisionHistoryLimit, allocator);
  runtime::JsonValue* const rolling_update = EnsureRollingUpdate(spec, "updateStrategy", allocator);
  if (rolling_update == nullptr) return;
  SetDefault(*rolling_update, "maxUnavailable", 1, allocator);
  SetDefault(*rolling_update, "maxSurge", 0, allocator);
}

void DefaultStatefulSet(runtime::JsonDocument& object) {
  auto& allocator = object.GetAllocator();
  runtime::JsonValue& spec = Ensure(object, "spec", allocator);
  SetDefault(spec, "replicas", 1, allocator);
  SetDefault(spec, "revisionHistoryLimit", kRevisionHistoryLimit, allocator);
  SetDefault(spec, "podManagementPolicy", "OrderedReady", allocator);
  runtime::JsonValue& retention = Ensure(spec, "persistentVolumeClaimRetentionPolicy", allocator);
  SetDefault(retention, "whenDeleted", "Retain", allocator);
  SetDefault(retention, "whenScaled", "Retain", allocator);
  runtime::JsonValue& strategy = Ensure(spec, "updateStrategy", allocator);
  if (runtime::GetString(strategy, "type").empty())
    EnsureRollingUpdate(spec, "updateStrategy", allocator);
  // A strategy with a type keeps missing options.
  runtime::JsonValue* const rolling_update = FindMutable(strategy, "rollingUpdate");
  if (rolling_update == nullptr || !rolling_update->IsObject()) return;
  if (runtime::GetString(strategy, "type") == kRollingUpdate) {
    SetDefault(*rolling_update, "partition", 0, allocator);
  }
}

void DefaultCronJob(runtime::JsonDocument& object) {
  auto& allocator = object.GetAllocator();
  runtime::JsonValue& spec = Ensure(object, "spec", allocator);
  constexpr int kSuccessfulJobs = 3;
  SetDefault(spec, "concurrencyPolicy", "Allow", allocator);
  if (runtime::Find(spec, "suspend") == nullptr)
    Set(spec, "suspend", runtime::JsonValue(false), allocator);
  SetDefault(spec, "successfulJobsHistoryLimit", kSuccessfulJobs, allocator);
  SetDefault(spec, "failedJobsHistoryLimit", 1, allocator);
}

void DefaultBinding(runtime::JsonDocument& object) {
  auto& allocator = object.GetAllocator();
  constexpr std::string_view kGroup = "rbac.authorization.k8s.io";
  SetDefault(Ensure(object, "roleRef", allocator), "apiGroup", kGroup, allocator);
  runtime::JsonValue* const subjects = FindMutable(object, "subjects");
  if (subjects == nullptr || !subjects->IsArray()) return;
  for (runtime::JsonValue& subject : subjects->GetArray()) {
    if (!subject.IsObject()) continue;
    const std::string_view kind = runtime::GetString(subject, "kind");
    if (kind == "User" || kind == "Group") SetDefault(subject, "apiGroup", kGroup, allocator);
  }
}

void DefaultReplicaSet(runtime::JsonDocument& object) {
  auto& allocator = object.GetAllocator();
  SetDefault(Ensure(object, "spec", allocator), "replicas", 1, allocator);
}

void DefaultValidatingWebhooks(runtime::JsonDocument& object) { DefaultWebhooks(object, false); }

void DefaultMutatingWebhooks(runtime::JsonDocument& object) { DefaultWebhooks(object, true); }

void DefaultApiService(runtime::JsonDocument& object) {
  DefaultPort(FindMutablePath(object, {"spec", "service"}), object.GetAllocator());
}

void DefaultSecret(runtime::JsonDocument& object) {
  auto& allocator = object.GetAllocator();
  SetMissing(object, "type", "Opaque", allocator);
  if (runtime::Find(object, "stringData") == nullptr) return;
  runtime::JsonValue& data = Ensure(object, "data", allocator);
  for (const auto& member : ObjectAt(object, "stringData").GetObject()) {
    if (!member.value.IsString()) continue;
    SetString(data, runtime::ToView(member.name), Base64Encode(runtime::ToView(member.value)),
              allocator);
  }
  Remove(object, "stringData");
}

void DefaultDefinition(runtime::JsonDocument& object) {
  auto& allocator = object.GetAllocator();
  runtime::JsonValue& spec = Ensure(object, "spec", allocator);
  if (runtime::Find(spec, "conversion") == nullptr) {
    SetString(Ensure(spec, "conversion", allocator), "strategy", "None", allocator);
  }
  runtime::JsonValue& names = Ensure(spec, "names", allocator);
  const std::string kind(runtime::GetString(names, "kind"));
  if (kind.empty()) return;
  SetMissing(names, "singular", LowerAscii(kind), allocator);
  SetMissing(names, "listKind", kind + "List", allocator);
}

// No address is allocated.
void DefaultService(runtime::JsonDocument& object) {
  auto& allocator = object.GetAllocator();
  runtime::JsonValue& spec = Ensure(object, "spec", allocator);
  SetMissing(spec, "type", "ClusterIP", allocator);
  SetMissing(spec, "sessionAffinity", "None", allocator);
  runtime::JsonValue* const ports = FindMutable(spec, "ports");
  if (ports == nullptr || !ports->IsArray()) return;
  for (runtime::JsonValue& port : ports->GetArray()) {
    if (!port.IsObject()) continue;
    SetMissing(port, "protocol", "TCP", allocator);
    const runtime::JsonValue* const number = runtime::Find(port, "port");
    if (number == nullptr || runtime::Find(port, "targetPort") != nullptr) continue;
    Set(port, "targetPort", runtime::JsonValue(*number, allocator), allocator);
  }
}

void DefaultNamespace(runtime::JsonDocument& object) {
  auto& allocator = object.GetAllocator();
  const std::string name(Metadata(object, "name"));
  if (name.empty()) return;
  runtime::JsonValue& labels = Ensure(Ensure(object, "metadata", allocator), "labels", allocator);
  SetString(labels, "kubernetes.io/metadata.name", name, allocator);
}

void MakePodPending(runtime::JsonDocument& pod) {
  auto& allocator = pod.GetAllocator();
  SetMissing(Ensure(pod, "status", allocator), "phase", "Pending", allocator);
}

void ActivateNamespace(runtime::JsonDocument& ns) {
  auto& allocator = ns.GetAllocator();
  SetMissing(Ensure(ns, "status", allocator), "phase", "Active", allocator);
  runtime::JsonValue finalizers(rapidjson::kArrayType);
  finalizers.PushBack(NewString("kubernetes", allocator), allocator);
  Set(Ensure(ns, "spec", allocator), "finalizers", std::move(finalizers), allocator);
}

}  // namespace capstan::testing::apiserver
