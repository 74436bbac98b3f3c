// SPDX-License-Identifier: Apache-2.0
// RuleCosts adds up what the rules of a CustomResourceDefinition may cost, and reports those that
// are too expensive. Mirrors TotalCost and getCostErrorMessage of
// k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/validation.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "clientgo/testing/apiserver/validation/field_rules.h"

namespace capstan::testing::apiserver {

class RuleCosts {
 public:
  // Adds the cost of an expression, and reports it if it is too high. `what` names the cost in the
  // error: "estimated rule cost".
  void Add(const Place& expression, std::uint64_t cost, std::string_view what, FieldRules& rules);
  // Reports a total that is too high.
  void CheckTotal(const Place& schema, FieldRules& rules) const;

 private:
  struct Expensive {
    Place expression;
    std::uint64_t cost;
  };
  std::uint64_t total_ = 0;
  std::vector<Expensive> expensive_;  // the most expensive one is first
};

}  // namespace capstan::testing::apiserver
