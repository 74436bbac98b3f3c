// SPDX-License-Identifier: Apache-2.0
#include "controllers/readinessgate/gates/condition_value.h"

#include <array>

#include "clientgo/util/text.h"
#include "controllers/readinessgate/gates/text.h"

namespace controllers::readinessgate {
namespace {

using clientgo::util::Err;
using clientgo::util::ErrorReason;

// Empty: no status.
std::string_view CanonicalStatus(std::string_view text) {
  constexpr std::array<std::string_view, 3> kStatuses = {"True", "False", "Unknown"};
  if (text.empty()) return "True";
  for (const std::string_view status : kStatuses) {
    if (clientgo::util::EqualIgnoringCase(status, text)) return status;
  }
  return {};
}

}  // namespace

clientgo::util::Expected<ConditionValue> ParseConditionValue(std::string_view kind,
                                                             std::string_view value) {
  const auto [type, text] = Cut(value, '=');
  if (type.empty()) {
    return Err(ErrorReason::kInvalidArgument,
               std::string(kind) + ": condition type must not be empty");
  }
  const std::string_view status = CanonicalStatus(text);
  if (status.empty()) {
    return Err(ErrorReason::kInvalidArgument, std::string(kind) + ": invalid status " +
                                                  Quote(text) +
                                                  "; must be True, False, or Unknown");
  }
  return ConditionValue{.type = std::string(type), .status = status};
}

Verdict Compare(std::string_view whose, const clientgo::api::Condition* found,
                const ConditionValue& want) {
  const std::string subject = std::string(whose) + " condition ";
  if (found == nullptr) {
    return Verdict::Closed("ConditionAbsent", subject + Quote(want.type) + " not yet present");
  }
  if (found->status == want.status) return Verdict::Open();
  return Verdict::Closed("ConditionDiffers", subject + want.type + " is " + Quote(found->status) +
                                                 ", want " + Quote(want.status));
}

}  // namespace controllers::readinessgate
