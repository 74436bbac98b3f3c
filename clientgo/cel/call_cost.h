// SPDX-License-Identifier: Apache-2.0
// CallCost is what one call of a function costs. Mirrors costCall of cel-go's
// interpreter/runtimecost.go and CallCost of k8s.io/apiserver/pkg/cel/library/cost.go.
#pragma once

#include <cstdint>

#include "clientgo/cel/functions.h"

namespace capstan::cel {

// The cost of one step through a text, and of one character of a regular expression.
inline constexpr double kTraversalFactor = 0.1;
inline constexpr double kRegexpFactor = 0.25;

// `resolved`: the checker found the overload. Otherwise the functions of CEL itself cost 1.
std::uint64_t CallCost(const Overload& overload, bool resolved, Arguments args,
                       const Value& result);

}  // namespace capstan::cel
