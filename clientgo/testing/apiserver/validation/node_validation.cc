// SPDX-License-Identifier: Apache-2.0
// Validation of Nodes and Namespaces. Mirrors a part of pkg/apis/core/validation. Not checked: the
// annotations of a Node, its addresses, and the configuration that it no longer has.
#include <map>
#include <set>
#include <string>
#include <string_view>

#include "capstan/text.h"
#include "clientgo/testing/apiserver/types/json.h"
#include "clientgo/testing/apiserver/validation/kind_rules.h"
#include "clientgo/testing/apiserver/validation/network_rules.h"
#include "clientgo/testing/apiserver/validation/resource_rules.h"
#include "clientgo/testing/apiserver/validation/validation.h"

namespace capstan::testing::apiserver {
namespace {

Json JsonOrNull(const Place& field) { return field.Given() ? Json(field.value()) : Json(nullptr); }

// kube-apiserver shows a wrong path.
void CheckTaints(const Place& taints, FieldRules& rules) {
  std::map<std::string_view, std::set<std::string_view>> known;  // the keys of each effect
  for (const Place& taint : taints.At("metadata.taints").Items()) {
    const Place key = taint["key"];
    const Place value = taint["value"];
    const Place effect = taint["effect"];
    rules.InvalidText(key, QualifiedNameErrors(key.Text()));
    if (const auto errors = LabelValueErrors(value.Text()); !errors.empty()) {
      rules.Invalid(value, Join(errors, ";"));
    }
    if (rules.RequireText(effect)) {
      rules.OneOf(effect, {"NoSchedule", "PreferNoSchedule", "NoExecute"});
    }
    if (known[effect.Text()].insert(key.Text()).second) continue;
    rules.DuplicateAs(taint,
                      Json{{"Key", key.Text()},
                           {"Value", value.Text()},
                           {"Effect", effect.Text()},
                           {"TimeAdded", JsonOrNull(taint["timeAdded"])}}
                          .text(),
                      "taints must be unique by key and effect pair");
  }
}

void CheckAmounts(const Place& status, FieldRules& rules) {
  for (const char* const member : {"capacity", "allocatable"}) {
    const Place amounts = status[member];
    for (const Place& name : amounts.Keys()) {
      CheckResourceAmount(amounts[name.Text()], name.Text(), rules);
    }
  }
}

void CheckPodRanges(const Place& list, FieldRules& rules) {
  const auto ranges = list.Items();
  for (const Place& range : ranges) CheckCidr(range, rules);
  if (ranges.size() < 2) return;
  std::set<int> families;
  for (std::size_t i = 0; i < ranges.size(); ++i) {
    const auto range = ParseCidr(ranges[i].Text());
    if (range) {
      families.insert(range->address.family);
      continue;
    }
    rules.causes().push_back(
        {.reason = "InternalError",
         .message = "Internal error: invalid PodCIDRs. failed to check with dual stack with "
                    "error:invalid CIDR[" +
                    std::to_string(i) +
                    "]: <nil> (invalid CIDR address: " + std::string(ranges[i].Text()) + ")",
         .field = list.path()});
    families.clear();
    break;
  }
  if (families.size() == 2 && ranges.size() == 2) return;
  rules.Invalid(list, "may specify no more than one CIDR for each IP family");
}

}  // namespace

void CheckNode(const Place& node, FieldRules& rules) {
  CheckTaints(node["spec"]["taints"], rules);
  CheckAmounts(node["status"], rules);
  CheckPodRanges(node["spec"]["podCIDRs"], rules);
}

void CheckNodeUpdate(const Place& live, const Place& next, FieldRules& rules) {
  const Place before = live["spec"];
  const Place after = next["spec"];
  const auto old_ranges = before["podCIDRs"].Items();
  const auto new_ranges = after["podCIDRs"].Items();
  constexpr std::string_view kRange =
      R"(node updates may not change podCIDR except from "" to valid)";
  if (!old_ranges.empty() && old_ranges.size() != new_ranges.size()) {
    rules.Forbidden(after["podCIDRs"], kRange);
  } else {
    for (std::size_t i = 0; i < old_ranges.size(); ++i) {
      if (old_ranges[i].Text() != new_ranges[i].Text()) rules.Forbidden(after["podCIDRs"], kRange);
    }
  }
  const std::string_view provider = before["providerID"].Text();
  if (!provider.empty() && provider != after["providerID"].Text()) {
    rules.Forbidden(after["providerID"],
                    R"(node updates may not change providerID except from "" to valid)");
  }
  if (before["externalID"].Text() != after["externalID"].Text()) {
    rules.Forbidden(after["externalID"], "may not be updated");
  }
}

void CheckNamespace(const Place& ns, FieldRules& rules) {
  const Place finalizers = ns["spec"]["finalizers"];
  for (const Place& finalizer : finalizers.Items()) {
    CheckSpecFinalizer(finalizer.At(finalizers.path()), rules);
  }
}

void CheckFinalizedNamespace(const Place& ns, FieldRules& rules) {
  for (const Place& finalizer : ns["spec"]["finalizers"].Items()) {
    CheckSpecFinalizer(finalizer, rules);
  }
}

void CheckNamespaceStatus(const Place& live, const Place& next, FieldRules& rules) {
  const Place phase = next["status"]["phase"].At("status.Phase");
  const bool deleted = !live["metadata"]["deletionTimestamp"].Text().empty();
  const std::string_view wanted = deleted ? "Terminating" : "Active";
  const std::string_view given = phase.Text().empty() ? "Active" : phase.Text();
  if (given == wanted) return;
  rules.InvalidAs(phase, Quote(given),
                  "may only be '" + std::string(wanted) + "' if `deletionTimestamp` is " +
                      (deleted ? "not empty" : "empty"));
}

}  // namespace capstan::testing::apiserver
