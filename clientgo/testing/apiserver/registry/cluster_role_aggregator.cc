// SPDX-License-Identifier: Apache-2.0
#include "clientgo/testing/apiserver/registry/cluster_role_aggregator.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "capstan/log.h"
#include "clientgo/testing/apiserver/admission/webhooks.h"
#include "clientgo/testing/apiserver/storage/selectors.h"

namespace capstan::testing::apiserver {
namespace {

const Resource& ClusterRoles() {
  static const Resource& resource = *FindResource(kRbacGroup, "v1", "clusterroles");
  return resource;
}

// Adds the rules of the role that the list does not have.
void AddRules(const runtime::JsonValue& role, std::vector<const runtime::JsonValue*>& rules) {
  for (const runtime::JsonValue& rule : ListAt(role, "rules").GetArray()) {
    const bool known = std::any_of(rules.begin(), rules.end(),
                                   [&](const runtime::JsonValue* one) { return *one == rule; });
    if (!known) rules.push_back(&rule);
  }
}

bool HasRules(const runtime::JsonValue& role, const std::vector<const runtime::JsonValue*>& rules) {
  const runtime::JsonValue& own = ListAt(role, "rules");
  return std::equal(
      own.Begin(), own.End(), rules.begin(), rules.end(),
      [](const runtime::JsonValue& a, const runtime::JsonValue* b) { return a == *b; });
}

}  // namespace

void ClusterRoleAggregator::Observe(const Resource& resource, const Event& event) {
  if (&resource != &ClusterRoles()) return;
  if (event.type == EventType::kDeleted) {
    roles_.erase(event.key);
  } else {
    roles_.insert_or_assign(event.key, ParseObject(*event.object));
  }
  Add({.resource = &resource});
}

void ClusterRoleAggregator::Run() {
  constexpr int kPassesMax = 100;  // two roles may aggregate each other
  for (int i = 0; i < kPassesMax && Pass(); ++i) {
  }
}

bool ClusterRoleAggregator::Pass() {
  bool changed = false;
  const auto roles = roles_;  // a change is observed
  for (const auto& [name, role] : roles) {
    const runtime::JsonValue* const aggregation = runtime::Find(*role, "aggregationRule");
    if (aggregation == nullptr || !aggregation->IsObject()) continue;
    changed = Fill(name, *role) || changed;
  }
  return changed;
}

bool ClusterRoleAggregator::Fill(const std::string& name, const runtime::JsonDocument& role) {
  std::vector<const runtime::JsonValue*> rules;
  const runtime::JsonValue& selectors =
      ListAt(ObjectAt(role, "aggregationRule"), "clusterRoleSelectors");
  for (const runtime::JsonValue& selector : selectors.GetArray()) {
    const auto requirements = ParseLabelSelector(selector);
    for (const auto& [other_name, other] : roles_) {
      const runtime::JsonValue& labels = ObjectAt(ObjectAt(*other, "metadata"), "labels");
      if (other_name == name || !MatchesLabels(requirements, labels)) continue;
      AddRules(*other, rules);
    }
  }
  if (HasRules(role, rules)) return false;
  std::vector<Json> texts;
  texts.reserve(rules.size());
  for (const runtime::JsonValue* const rule : rules) texts.emplace_back(*rule);
  const WriteRequest request{.resource = &ClusterRoles(),
                             .name = name,
                             .field_manager = "clusterrole-aggregation-controller",
                             .force = true,
                             .in_process = true};
  const Json applied = {{"apiVersion", "rbac.authorization.k8s.io/v1"},
                        {"kind", "ClusterRole"},
                        {"metadata", {{"name", name}}},
                        {"rules", OmitEmptyList(texts)}};
  const auto written = registry_.Patch(request, PatchKind::kApply, applied.text());
  // Rules that another manager has set stay if the role selects none.
  if (written) {
    return std::to_string(written->object->resource_version) != Metadata(role, "resourceVersion");
  }
  WarningS("Failed to aggregate a ClusterRole", "clusterRole", name, "err",
           written.error().message);
  return false;
}

}  // namespace capstan::testing::apiserver
