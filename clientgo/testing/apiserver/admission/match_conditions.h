// SPDX-License-Identifier: Apache-2.0
// MatchConditions are the expressions in spec.matchConditions of a policy or a webhook. All must be
// true. Mirrors k8s.io/apiserver/pkg/admission/plugin/webhook/matchconditions.
#pragma once

#include <string>

#include "clientgo/testing/apiserver/admission/expression_run.h"

namespace capstan::testing::apiserver {

class MatchConditions {
 public:
  MatchConditions() = default;
  // `list` is the list of conditions.
  MatchConditions(const runtime::JsonValue& list, const ExpressionScope& scope);

  bool empty() const { return conditions_.empty(); }

  struct Outcome {
    bool matches = false;
    std::string error = {};  // with failurePolicy Fail; empty: there is none
  };
  // A false condition counts, whatever the others are. Otherwise an error of one of them decides.
  Outcome Match(ExpressionRun& run, bool ignore_failure) const;

 private:
  NamedExpressions conditions_;
};

}  // namespace capstan::testing::apiserver
