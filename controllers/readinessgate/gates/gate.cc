// SPDX-License-Identifier: Apache-2.0
#include "controllers/readinessgate/gates/gate.h"

#include <array>
#include <string>

#include "capstan/text.h"
#include "controllers/readinessgate/gates/gate_kinds.h"
#include "controllers/readinessgate/gates/text.h"

namespace capstan::readinessgate {

namespace {

std::string KindNames() { return Join(kGateKinds, ", ", &GateKind::name); }

// Returns "" for text that is not a status.
std::string_view CanonicalStatus(std::string_view text) {
  constexpr std::array<std::string_view, 3> kStatuses = {"True", "False", "Unknown"};
  if (text.empty()) return "True";
  for (const std::string_view status : kStatuses) {
    if (EqualIgnoringCase(status, text)) return status;
  }
  return {};
}

}  // namespace

MadeGate ParseGate(std::string_view spec) {
  const auto [name, value] = Cut(spec, ':');
  if (value.empty()) {
    return Err(ErrorReason::kInvalidArgument, "expected <type>:<value>, got " + Quote(spec));
  }
  for (const GateKind& kind : kGateKinds) {
    if (kind.name == name) return kind.make(spec, value);
  }
  return Err(ErrorReason::kInvalidArgument,
             "unknown type " + Quote(name) + "; supported types: " + KindNames());
}

tl::unexpected<Error> InvalidGate(std::string_view kind, std::string_view why) {
  return Err(ErrorReason::kInvalidArgument, std::string(kind).append(": ").append(why));
}

Expected<ConditionValue> ParseConditionValue(std::string_view kind, std::string_view value) {
  const auto [type, text] = Cut(value, '=');
  if (type.empty()) return InvalidGate(kind, "condition type must not be empty");
  const std::string_view status = CanonicalStatus(text);
  if (status.empty()) {
    return InvalidGate(kind, "invalid status " + Quote(text) + "; must be True, False, or Unknown");
  }
  return ConditionValue{.type = std::string(type), .status = status};
}

Verdict Compare(std::string_view owner, const Condition* found, const ConditionValue& want) {
  const std::string subject = std::string(owner) + " condition ";
  if (found == nullptr) {
    return Verdict::Closed("ConditionAbsent", subject + Quote(want.type) + " not yet present");
  }
  if (found->status == want.status) return Verdict::Open();
  return Verdict::Closed("ConditionDiffers", subject + want.type + " is " + Quote(found->status) +
                                                 ", want " + Quote(want.status));
}

}  // namespace capstan::readinessgate
