// SPDX-License-Identifier: Apache-2.0
#include "clientgo/testing/apiserver/registry/disruption.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "clientgo/testing/apiserver/admission/webhooks.h"
#include "clientgo/testing/apiserver/storage/selectors.h"

namespace capstan::testing::apiserver {
namespace {

// A budget does not protect a Pod that does not run.
bool IsUnprotected(const runtime::JsonValue& pod) {
  const std::string_view phase = runtime::GetString(ObjectAt(pod, "status"), "phase");
  return phase == "Succeeded" || phase == "Failed" || phase == "Pending" ||
         !Metadata(pod, "deletionTimestamp").empty();
}

bool IsReady(const runtime::JsonValue& pod) {
  const runtime::JsonValue& conditions = ListAt(ObjectAt(pod, "status"), "conditions");
  return std::any_of(conditions.Begin(), conditions.End(), [](const runtime::JsonValue& condition) {
    return runtime::GetString(condition, "type") == "Ready" &&
           runtime::GetString(condition, "status") == "True";
  });
}

// A Pod that is not ready does not count, if the budget does not need it.
bool IsUncounted(const runtime::JsonValue& pod, const runtime::JsonValue& budget) {
  if (IsReady(pod)) return false;
  const runtime::JsonValue& status = ObjectAt(budget, "status");
  const std::string_view policy =
      runtime::GetString(ObjectAt(budget, "spec"), "unhealthyPodEvictionPolicy");
  const std::int64_t desired = NumberAt(status, "desiredHealthy");
  return policy == "AlwaysAllow" || (desired > 0 && NumberAt(status, "currentHealthy") >= desired);
}

Status TooManyRequests(std::string cause, std::optional<int> retry_after = std::nullopt) {
  return {.code = 429,
          .reason = "TooManyRequests",
          .message = "Cannot evict pod as it would violate the pod's disruption budget.",
          .has_details = true,
          .causes = {{.reason = "DisruptionBudget", .message = std::move(cause), .field = ""}},
          .retry_after = retry_after};
}

}  // namespace

Result<void> CheckDisruptionBudget(const Storage& storage, Registry& registry,
                                   const runtime::JsonValue& pod, bool dry_run) {
  const Resource* const resource = FindResource("policy", "v1", "poddisruptionbudgets");
  if (resource == nullptr || IsUnprotected(pod)) return {};
  const std::string ns(Metadata(pod, "namespace"));
  const runtime::JsonValue& labels = ObjectAt(ObjectAt(pod, "metadata"), "labels");
  std::vector<std::unique_ptr<runtime::JsonDocument>> budgets;
  storage.Visit(*resource, ns, storage.resource_version(), "", [&](const Storage::Entry& entry) {
    auto budget = ParseObject(*entry.object);
    const runtime::JsonValue* const selector = runtime::Find(ObjectAt(*budget, "spec"), "selector");
    if (selector != nullptr && MatchesLabels(ParseLabelSelector(*selector), labels)) {
      budgets.push_back(std::move(budget));
    }
    return true;
  });
  if (budgets.empty()) return {};
  if (budgets.size() > 1) {
    return tl::unexpected(
        InternalError("This pod has more than one PodDisruptionBudget, which the eviction "
                      "subresource does not support."));
  }
  const runtime::JsonDocument& budget = *budgets.front();
  if (IsUncounted(pod, budget)) return {};
  const runtime::JsonValue& status = ObjectAt(budget, "status");
  const std::string name(Metadata(budget, "name"));
  if (NumberAt(status, "observedGeneration") < Generation(budget)) {
    return tl::unexpected(TooManyRequests(
        "The disruption budget " + name + " is still being processed by the server.", 10));
  }
  const std::int64_t allowed = NumberAt(status, "disruptionsAllowed");
  if (allowed <= 0) {
    return tl::unexpected(TooManyRequests(
        "The disruption budget " + name + " needs " +
        std::to_string(NumberAt(status, "desiredHealthy")) + " healthy pods and has " +
        std::to_string(NumberAt(status, "currentHealthy")) + " currently"));
  }
  if (dry_run) return {};
  const WriteRequest request{.resource = resource,
                             .namespace_ = ns,
                             .name = name,
                             .subresource = "status",
                             .field_manager = "kube-apiserver",
                             .in_process = true};
  const Json patch = {{"status",
                       {{"disruptionsAllowed", allowed - 1},
                        {"disruptedPods", Json{{Metadata(pod, "name"), NowText()}}}}}};
  const auto patched = registry.Patch(request, PatchKind::kMerge, patch.text());
  if (!patched) return tl::unexpected(patched.error());
  return {};
}

}  // namespace capstan::testing::apiserver
