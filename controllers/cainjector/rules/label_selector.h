// SPDX-License-Identifier: Apache-2.0
// LabelSelector selects objects by their labels: "team=web,env in (a,b),!old". An immutable value.
// Mirrors k8s.io/apimachinery/pkg/labels.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "capstan/error.h"
#include "capstan/label_selector.h"

namespace capstan::cainjector {

using Labels = std::map<std::string, std::string, std::less<>>;

class LabelSelector {
 public:
  // An empty text selects every object. The error quotes the text.
  static Expected<LabelSelector> Parse(std::string_view text);
  bool Matches(const Labels& labels) const;

 private:
  std::vector<LabelRequirement> requirements_;
};

}  // namespace capstan::cainjector
