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
  TypeKind kind = TypeKind::kDyn;
  std::optional<CostRange> element_size = {};  // of the elements of a list of texts
  bool list = false;
  std::optional<std::int64_t> literal = {};  // the value of an int literal
};

struct CallEstimate {
  CostRange cost = CostRange::Fixed(1);  // without that of the arguments
  std::optional<CostRange> result_size = {};
};

// The target of a member function is the first argument.
CallEstimate EstimateCall(const Overload& overload, const std::vector<SizedArgument>& args);

}  // namespace capstan::cel
