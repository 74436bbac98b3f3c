// SPDX-License-Identifier: Apache-2.0
// Condition: an entry of status.conditions, as far as readiness is concerned. A list keeps the
// server's order, and of two entries of one type the first one counts, as in
// k8s.io/kubectl's and cert-manager's readers.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "clientgo/runtime/json_value.h"

namespace clientgo::api {

struct Condition {
  std::string type;
  std::string status;  // "True", "False", "Unknown", or whatever the server sent
};
using Conditions = std::vector<Condition>;

// status.conditions of an object; what is no condition is left out.
Conditions DecodeConditions(const runtime::JsonValue& object);
// The first one of that type; nullptr: there is none.
const Condition* FindCondition(const Conditions& conditions, std::string_view type);
std::size_t HeapBytes(const Conditions& conditions);

}  // namespace clientgo::api
