// SPDX-License-Identifier: Apache-2.0
#include "capstan/conditions.h"

#include <algorithm>
#include <utility>

namespace capstan {

bool SetStatusCondition(std::vector<Condition>& conditions, Condition condition,
                        const Clock& clock) {
  const auto existing =
      std::find_if(conditions.begin(), conditions.end(),
                   [&](const Condition& other) { return other.type == condition.type; });
  const bool is_new = existing == conditions.end();
  if (!is_new && existing->status == condition.status) {
    condition.last_transition_time = existing->last_transition_time;
  } else if (condition.last_transition_time == Time()) {
    condition.last_transition_time = ToTime(clock.WallNow());
  }
  if (is_new) {
    conditions.push_back(std::move(condition));
    return true;
  }
  if (*existing == condition) return false;
  *existing = std::move(condition);
  return true;
}

bool RemoveStatusCondition(std::vector<Condition>& conditions, std::string_view type) {
  return std::erase_if(conditions, [&](const Condition& other) { return other.type == type; }) != 0;
}

const Condition* FindStatusCondition(const std::vector<Condition>& conditions,
                                     std::string_view type) {
  const auto found = std::find_if(conditions.begin(), conditions.end(),
                                  [&](const Condition& other) { return other.type == type; });
  return found == conditions.end() ? nullptr : &*found;
}

bool IsStatusConditionPresentAndEqual(const std::vector<Condition>& conditions,
                                      std::string_view type, std::string_view status) {
  const Condition* const condition = FindStatusCondition(conditions, type);
  return condition != nullptr && condition->status == status;
}

bool IsStatusConditionTrue(const std::vector<Condition>& conditions, std::string_view type) {
  return IsStatusConditionPresentAndEqual(conditions, type, kConditionTrue);
}

bool IsStatusConditionFalse(const std::vector<Condition>& conditions, std::string_view type) {
  return IsStatusConditionPresentAndEqual(conditions, type, kConditionFalse);
}

}  // namespace capstan
