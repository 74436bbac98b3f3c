// SPDX-License-Identifier: Apache-2.0
// EstimateCost is the most that an expression can cost for any object of a schema. The API server
// rejects a definition whose rules may cost too much. Mirrors cel-go's checker/cost.go and
// EstimateCallCost of k8s.io/apiserver/pkg/cel/library/cost.go.
#pragma once

#include <cstdint>

#include "clientgo/cel/ast.h"
#include "clientgo/cel/schema.h"

namespace capstan::cel {

// REQUIRES: `root` passed Check. `self` is the type of the variables self and oldSelf.
std::uint64_t EstimateCost(const Expr& root, const SizedType& self);

}  // namespace capstan::cel
