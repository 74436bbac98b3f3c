// SPDX-License-Identifier: Apache-2.0
// LabelSelector selects objects by their labels: "team=web,env in (a,b),!old". Mirrors
// k8s.io/apimachinery/pkg/labels.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "capstan/error.h"
#include "capstan/export.h"

namespace capstan {

// Parses a decimal number as strconv.ParseInt, which the operators > and < use.
CAPSTAN_EXPORT std::optional<std::int64_t> ParseInteger(std::string_view text);

// LabelRequirement is one part of a selector. An object has to meet all of them.
struct CAPSTAN_EXPORT LabelRequirement {
  enum class Operator { kExists, kDoesNotExist, kIn, kNotIn, kGreaterThan, kLessThan };

  // Reports whether an object meets it whose label `key` has this value; nullopt: no such label.
  bool Matches(std::optional<std::string_view> value) const;

  std::string key = {};
  Operator op = Operator::kExists;
  std::vector<std::string> values = {};  // "=" is kIn with one value
};

// Returns no requirements for an empty text, which selects every object. kInvalidArgument: the text
// is not a selector. Mirrors labels.Parse, with its error texts. Differs: the caller has to check
// the names and values of the labels, and whether the bounds of > and < are integers.
CAPSTAN_EXPORT Expected<std::vector<LabelRequirement>> ParseLabelSelector(std::string_view text);

// LabelSelector is an immutable value. The default one selects every object.
class CAPSTAN_EXPORT LabelSelector {
 public:
  using Labels = std::map<std::string, std::string, std::less<>>;

  // kInvalidArgument: the text, which the error quotes, is not a selector, or a name or a value in
  // it is not valid.
  static Expected<LabelSelector> Parse(std::string_view text);
  bool Matches(const Labels& labels) const;

 private:
  std::vector<LabelRequirement> requirements_;
};

}  // namespace capstan
