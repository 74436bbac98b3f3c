// SPDX-License-Identifier: Apache-2.0
// The estimated cost of a call of a function, from the sizes of its arguments.
#pragma once

#include <optional>
#include <vector>

#include "clientgo/cel/cost_range.h"
#include "clientgo/cel/functions.h"

namespace capstan::cel {

// SizedArgument is an argument as the estimate knows it.
struct SizedArgument {
  CostRange size = CostRange::Unknown();
  std::optional<CostRange> computed_size = {};  // without that which the schema allows
  Type type;
  CostRange element_size = CostRange::Unknown();  // of the elements of a list
  std::optional<std::int64_t> literal = {};       // the value of an int literal

  bool IsList() const { return type->kind == TypeKind::kList; }
};

struct CallEstimate {
  CostRange cost = CostRange::Fixed(1);  // without that of the arguments
  std::optional<CostRange> result_size = {};
};

// The target of a member function is the first argument.
CallEstimate EstimateCall(const Overload& overload, const std::vector<SizedArgument>& args);

}  // namespace capstan::cel
