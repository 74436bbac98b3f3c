// SPDX-License-Identifier: Apache-2.0
#include "clientgo/testing/apiserver/decoding/workload_defaults.h"

#include <string_view>

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

// Returns the options of the strategy `key` if it is a rolling update; null: it is another one.
runtime::JsonValue* EnsureRollingUpdate(runtime::JsonValue& spec, std::string_view key,
                                        JsonAllocator& allocator) {
  runtime::JsonValue& strategy = Ensure(spec, key, allocator);
  SetDefault(strategy, "type", kRollingUpdate, allocator);
  if (runtime::GetString(strategy, "type") != kRollingUpdate) return nullptr;
  return &Ensure(strategy, "rollingUpdate", allocator);
}

void DefaultDeployment(runtime::JsonValue& spec, JsonAllocator& allocator) {
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

void DefaultDaemonSet(runtime::JsonValue& spec, JsonAllocator& allocator) {
  SetDefault(spec, "revisionHistoryLimit", kRevisionHistoryLimit, allocator);
  runtime::JsonValue* const rolling_update = EnsureRollingUpdate(spec, "updateStrategy", allocator);
  if (rolling_update == nullptr) return;
  SetDefault(*rolling_update, "maxUnavailable", 1, allocator);
  SetDefault(*rolling_update, "maxSurge", 0, allocator);
}

void DefaultStatefulSet(runtime::JsonValue& spec, JsonAllocator& allocator) {
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

void DefaultCronJob(runtime::JsonValue& spec, JsonAllocator& allocator) {
  constexpr int kSuccessfulJobs = 3;
  SetDefault(spec, "concurrencyPolicy", "Allow", allocator);
  if (runtime::Find(spec, "suspend") == nullptr)
    Set(spec, "suspend", runtime::JsonValue(false), allocator);
  SetDefault(spec, "successfulJobsHistoryLimit", kSuccessfulJobs, allocator);
  SetDefault(spec, "failedJobsHistoryLimit", 1, allocator);
}

void DefaultBinding(runtime::JsonValue& object, JsonAllocator& allocator) {
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

}  // namespace

void DefaultWorkload(const Resource& resource, runtime::JsonValue& object,
                     JsonAllocator& allocator) {
  const std::string_view kind = resource.kind;
  if (kind == "RoleBinding" || kind == "ClusterRoleBinding") DefaultBinding(object, allocator);
  if (resource.group != "apps" && kind != "CronJob") return;
  runtime::JsonValue& spec = Ensure(object, "spec", allocator);
  if (kind == "Deployment") DefaultDeployment(spec, allocator);
  if (kind == "ReplicaSet") SetDefault(spec, "replicas", 1, allocator);
  if (kind == "StatefulSet") DefaultStatefulSet(spec, allocator);
  if (kind == "DaemonSet") DefaultDaemonSet(spec, allocator);
  if (kind == "CronJob") DefaultCronJob(spec, allocator);
}

}  // namespace capstan::testing::apiserver
