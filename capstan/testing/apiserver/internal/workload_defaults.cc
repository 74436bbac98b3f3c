// SPDX-License-Identifier: Apache-2.0
#include "capstan/testing/apiserver/internal/workload_defaults.h"

#include <string_view>

namespace capstan::testing::apiserver {
namespace {

constexpr std::string_view kRollingUpdate = "RollingUpdate";
constexpr int kRevisionHistoryLimit = 10;

// An empty text is a missing one.
void SetDefault(JsonValue& object, std::string_view key, std::string_view value,
                JsonAllocator& allocator) {
  if (GetString(object, key).empty()) SetString(object, key, value, allocator);
}

void SetDefault(JsonValue& object, std::string_view key, int value, JsonAllocator& allocator) {
  if (Find(object, key) == nullptr) Set(object, key, JsonValue(value), allocator);
}

// Returns the options of the strategy `key` if it is a rolling update; null: it is another one.
JsonValue* EnsureRollingUpdate(JsonValue& spec, std::string_view key, JsonAllocator& allocator) {
  JsonValue& strategy = Ensure(spec, key, allocator);
  SetDefault(strategy, "type", kRollingUpdate, allocator);
  if (GetString(strategy, "type") != kRollingUpdate) return nullptr;
  return &Ensure(strategy, "rollingUpdate", allocator);
}

void DefaultDeployment(JsonValue& spec, JsonAllocator& allocator) {
  constexpr int kProgressDeadlineSeconds = 600;
  SetDefault(spec, "replicas", 1, allocator);
  SetDefault(spec, "revisionHistoryLimit", kRevisionHistoryLimit, allocator);
  SetDefault(spec, "progressDeadlineSeconds", kProgressDeadlineSeconds, allocator);
  JsonValue* const rolling_update = EnsureRollingUpdate(spec, "strategy", allocator);
  if (rolling_update == nullptr) return;
  for (const char* const key : {"maxUnavailable", "maxSurge"}) {
    if (Find(*rolling_update, key) == nullptr) SetString(*rolling_update, key, "25%", allocator);
  }
}

void DefaultDaemonSet(JsonValue& spec, JsonAllocator& allocator) {
  SetDefault(spec, "revisionHistoryLimit", kRevisionHistoryLimit, allocator);
  JsonValue* const rolling_update = EnsureRollingUpdate(spec, "updateStrategy", allocator);
  if (rolling_update == nullptr) return;
  SetDefault(*rolling_update, "maxUnavailable", 1, allocator);
  SetDefault(*rolling_update, "maxSurge", 0, allocator);
}

void DefaultStatefulSet(JsonValue& spec, JsonAllocator& allocator) {
  SetDefault(spec, "replicas", 1, allocator);
  SetDefault(spec, "revisionHistoryLimit", kRevisionHistoryLimit, allocator);
  SetDefault(spec, "podManagementPolicy", "OrderedReady", allocator);
  JsonValue& retention = Ensure(spec, "persistentVolumeClaimRetentionPolicy", allocator);
  SetDefault(retention, "whenDeleted", "Retain", allocator);
  SetDefault(retention, "whenScaled", "Retain", allocator);
  JsonValue& strategy = Ensure(spec, "updateStrategy", allocator);
  if (GetString(strategy, "type").empty()) EnsureRollingUpdate(spec, "updateStrategy", allocator);
  // A strategy with a type keeps missing options.
  JsonValue* const rolling_update = FindMutable(strategy, "rollingUpdate");
  if (rolling_update == nullptr || !rolling_update->IsObject()) return;
  if (GetString(strategy, "type") == kRollingUpdate) {
    SetDefault(*rolling_update, "partition", 0, allocator);
  }
}

void DefaultCronJob(JsonValue& spec, JsonAllocator& allocator) {
  constexpr int kSuccessfulJobs = 3;
  SetDefault(spec, "concurrencyPolicy", "Allow", allocator);
  if (Find(spec, "suspend") == nullptr) Set(spec, "suspend", JsonValue(false), allocator);
  SetDefault(spec, "successfulJobsHistoryLimit", kSuccessfulJobs, allocator);
  SetDefault(spec, "failedJobsHistoryLimit", 1, allocator);
}

void DefaultBinding(JsonValue& object, JsonAllocator& allocator) {
  constexpr std::string_view kGroup = "rbac.authorization.k8s.io";
  SetDefault(Ensure(object, "roleRef", allocator), "apiGroup", kGroup, allocator);
  JsonValue* const subjects = FindMutable(object, "subjects");
  if (subjects == nullptr || !subjects->IsArray()) return;
  for (JsonValue& subject : subjects->GetArray()) {
    if (!subject.IsObject()) continue;
    const std::string_view kind = GetString(subject, "kind");
    if (kind == "User" || kind == "Group") SetDefault(subject, "apiGroup", kGroup, allocator);
  }
}

}  // namespace

void DefaultWorkload(const Resource& resource, JsonValue& object, JsonAllocator& allocator) {
  const std::string_view kind = resource.kind;
  if (kind == "RoleBinding" || kind == "ClusterRoleBinding") DefaultBinding(object, allocator);
  if (resource.group != "apps" && kind != "CronJob") return;
  JsonValue& spec = Ensure(object, "spec", allocator);
  if (kind == "Deployment") DefaultDeployment(spec, allocator);
  if (kind == "ReplicaSet") SetDefault(spec, "replicas", 1, allocator);
  if (kind == "StatefulSet") DefaultStatefulSet(spec, allocator);
  if (kind == "DaemonSet") DefaultDaemonSet(spec, allocator);
  if (kind == "CronJob") DefaultCronJob(spec, allocator);
}

}  // namespace capstan::testing::apiserver
