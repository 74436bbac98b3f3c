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
#include <utility>
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
  // `selector` has match_labels and match_expressions, as api::meta::v1::LabelSelector and the
  // selectors of other kinds. An optional or a Boxed without a value selects nothing.
  // kInvalidArgument: a name, a value, an operator or the number of values is not valid. Mirrors
  // metav1.LabelSelectorAsSelector.
  template <class Selector>
  static Expected<LabelSelector> From(const Selector& selector);
  // Returns a selector of no object.
  static LabelSelector Nothing();

  bool Matches(const Labels& labels) const;
  // Returns a text for Parse() and for the options of lists and informers.
  std::string String() const;

 private:
  Expected<void> Add(std::string key, std::string_view op, std::vector<std::string> values);

  std::vector<LabelRequirement> requirements_;
};

template <class Selector>
Expected<LabelSelector> LabelSelector::From(const Selector& selector) {
  if constexpr (requires { selector.has_value(); }) {
    return selector.has_value() ? From(*selector) : Nothing();
  } else {
    LabelSelector made;
    for (const auto& [key, value] : selector.match_labels) {
      if (auto added = made.Add(key, "In", {value}); !added) {
        return tl::unexpected(std::move(added.error()));
      }
    }
    for (const auto& each : selector.match_expressions) {
      if (auto added = made.Add(each.key, each.operator_, {each.values.begin(), each.values.end()});
          !added) {
        return tl::unexpected(std::move(added.error()));
      }
    }
    return made;
  }
}

}  // namespace capstan
