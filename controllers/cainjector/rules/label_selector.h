// SPDX-License-Identifier: Apache-2.0
// LabelSelector selects objects by their labels: "team=web,env in (a,b),!old". An immutable value.
// Mirrors k8s.io/apimachinery/pkg/labels without the operators > and <, which the selectors of API
// objects do not have either.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "capstan/clientgo/util/error.h"

namespace capstan::controllers::cainjector {

using Labels = std::map<std::string, std::string, std::less<>>;

class LabelSelector {
 public:
  // An empty text selects every object. The error quotes the bad requirement.
  static clientgo::util::Expected<LabelSelector> Parse(std::string_view text);
  bool Matches(const Labels& labels) const;

 private:
  struct Requirement {
    enum class Operator { kExists, kDoesNotExist, kIn, kNotIn };
    std::string key;
    Operator op = Operator::kExists;
    std::vector<std::string> values = {};  // "=" is kIn with one value
  };
  static clientgo::util::Expected<Requirement> ParseRequirement(std::string_view text);

  std::vector<Requirement> requirements_;
};

}  // namespace capstan::controllers::cainjector
