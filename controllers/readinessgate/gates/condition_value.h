// SPDX-License-Identifier: Apache-2.0
// "<Type>[=<Status>]", of pods and of nodes. Internal to this folder. Pure functions, thread-safe.
#pragma once

#include <string>
#include <string_view>

#include "clientgo/api/condition.h"
#include "clientgo/util/error.h"
#include "controllers/readinessgate/gates/gate.h"

namespace controllers::readinessgate {

struct ConditionValue {
  std::string type;
  std::string_view status;  // "True", "False", "Unknown"
};

// The status is True when it is not given, and may be in any case. `kind` is for the error.
clientgo::util::Expected<ConditionValue> ParseConditionValue(std::string_view kind,
                                                             std::string_view value);
// `whose`: "pod". `found` may be nullptr: it does not have the condition.
Verdict Compare(std::string_view whose, const clientgo::api::Condition* found,
                const ConditionValue& want);

}  // namespace controllers::readinessgate
