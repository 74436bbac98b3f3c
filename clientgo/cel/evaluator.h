// SPDX-License-Identifier: Apache-2.0
// Evaluate computes the value of a checked expression. Mirrors cel-go's interpreter with
// interpreter/runtimecost.go and the costs of Kubernetes' functions. Differs: there are no unknown
// values, which Kubernetes does not use.
#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <string>

#include "clientgo/cel/ast.h"

namespace capstan::cel {

// The values of the variables by name.
using Bindings = std::map<std::string, Value, std::less<>>;

struct Evaluation {
  Value value;  // may be an error
  std::uint64_t cost = 0;
  bool exceeded = false;  // the cost is above the limit, and the value an error
};

// The most that one evaluation may cost, as in Kubernetes.
inline constexpr std::uint64_t kCostPerCallMax = 1'000'000;

// REQUIRES: `root` passed Check.
Evaluation Evaluate(const Expr& root, const Bindings& bindings,
                    std::uint64_t cost_max = kCostPerCallMax);

}  // namespace capstan::cel
