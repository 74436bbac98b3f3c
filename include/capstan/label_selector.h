// SPDX-License-Identifier: Apache-2.0
// ParseLabelSelector parses "team=web,env in (a,b),!old". Pure functions.
// Mirrors labels.Parse of k8s.io/apimachinery/pkg/labels, with its error texts. Differs: the caller
// has to check the names and values of the labels, and whether the bounds of > and < are integers.
#pragma once

#include <cstdint>
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
// is not a selector.
CAPSTAN_EXPORT Expected<std::vector<LabelRequirement>> ParseLabelSelector(std::string_view text);

}  // namespace capstan
