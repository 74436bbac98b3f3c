// SPDX-License-Identifier: Apache-2.0
// ReviewConditions are the matchConditions of an authorizer of type Webhook: expressions with the
// variable `request`, the spec of a SubjectAccessReview v1. Mirrors
// k8s.io/apiserver/pkg/authorization/cel.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "clientgo/testing/apiserver/authorization/access_attributes.h"
#include "clientgo/testing/apiserver/types/admission_expressions.h"

namespace capstan::testing::apiserver {

class ReviewConditions {
 public:
  // Adds a condition. Returns why the expression is wrong; empty: it is not.
  std::string Add(std::string_view expression);

  struct Outcome {
    bool matches = false;
    std::string error = {};  // empty: there is none
  };
  // A false condition counts, whatever the others are. Otherwise an error of one of them decides.
  Outcome Match(const AccessAttributes& attributes) const;

 private:
  std::vector<CompiledExpression> conditions_;
};

}  // namespace capstan::testing::apiserver
