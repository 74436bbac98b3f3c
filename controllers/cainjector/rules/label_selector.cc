// SPDX-License-Identifier: Apache-2.0
#include "controllers/cainjector/rules/label_selector.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "capstan/clientgo/util/logging.h"
#include "capstan/clientgo/util/text.h"

namespace capstan::controllers::cainjector {
namespace {

using clientgo::util::Err;
using clientgo::util::ErrorReason;
using clientgo::util::Expected;
using clientgo::util::Trim;

constexpr std::string_view kSpaces = " \t\n";

bool IsAlphanumeric(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

bool IsName(std::string_view text) {
  constexpr std::size_t kLongest = 63;
  return !text.empty() && text.size() <= kLongest && IsAlphanumeric(text.front()) &&
         IsAlphanumeric(text.back()) && std::all_of(text.begin(), text.end(), [](char c) {
           return IsAlphanumeric(c) || c == '-' || c == '_' || c == '.';
         });
}

bool IsKey(std::string_view text) {
  const std::size_t slash = text.find('/');
  if (slash == std::string_view::npos) return IsName(text);
  return clientgo::util::IsDnsSubdomain(text.substr(0, slash)) && IsName(text.substr(slash + 1));
}

bool IsValue(std::string_view text) { return text.empty() || IsName(text); }

// Returns the parts between the commas outside of parentheses.
std::vector<std::string_view> Requirements(std::string_view text) {
  std::vector<std::string_view> parts;
  std::size_t begin = 0;
  bool inside = false;
  for (std::size_t i = 0; i <= text.size(); ++i) {
    if (i == text.size() || (text[i] == ',' && !inside)) {
      parts.push_back(Trim(text.substr(begin, i - begin), kSpaces));
      begin = i + 1;
    } else if (text[i] == '(' || text[i] == ')') {
      inside = text[i] == '(';
    }
  }
  return parts;
}

// Returns the values of "(a, b)"; nothing for any other text.
std::vector<std::string> ValueList(std::string_view text) {
  std::vector<std::string> values;
  if (!text.starts_with('(') || !text.ends_with(')')) return values;
  text = text.substr(1, text.size() - 2);
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find(',', at), text.size());
    values.emplace_back(Trim(text.substr(at, end - at), kSpaces));
    at = end + 1;
  }
  return values;
}

}  // namespace

Expected<LabelSelector::Requirement> LabelSelector::ParseRequirement(std::string_view text) {
  using Operator = Requirement::Operator;
  Requirement requirement;
  std::string_view key = text;
  if (const std::size_t equals = text.find('='); equals != std::string_view::npos) {
    const bool negated = equals > 0 && text[equals - 1] == '!';
    key = Trim(text.substr(0, negated ? equals - 1 : equals), kSpaces);
    std::string_view value = text.substr(equals + 1);
    if (!negated && value.starts_with('=')) value.remove_prefix(1);
    requirement.op = negated ? Operator::kNotIn : Operator::kIn;
    requirement.values.emplace_back(Trim(value, kSpaces));
  } else if (text.starts_with('!')) {
    key = Trim(text.substr(1), kSpaces);
    requirement.op = Operator::kDoesNotExist;
  } else if (const std::size_t list = text.find('('); list != std::string_view::npos) {
    const std::string_view before = Trim(text.substr(0, list), kSpaces);
    const std::size_t space = std::min(before.find_first_of(kSpaces), before.size());
    const std::string_view word = Trim(before.substr(space), kSpaces);
    key = before.substr(0, space);
    requirement.op = word == "in" ? Operator::kIn : Operator::kNotIn;
    if (word == "in" || word == "notin") requirement.values = ValueList(text.substr(list));
    if (requirement.values.empty()) key = "";
  }
  const bool good = IsKey(key) && std::all_of(requirement.values.begin(), requirement.values.end(),
                                              [](const std::string& v) { return IsValue(v); });
  if (!good) {
    constexpr std::size_t kQuotedMax = 128;
    return Err(ErrorReason::kInvalidArgument,
               clientgo::util::Quoted(text.substr(0, kQuotedMax)) +
                   " is not a requirement of a label selector, such as team=web or env in (a,b)");
  }
  requirement.key = key;
  return requirement;
}

Expected<LabelSelector> LabelSelector::Parse(std::string_view text) {
  LabelSelector selector;
  if (Trim(text, kSpaces).empty()) return selector;
  for (const std::string_view part : Requirements(text)) {
    auto requirement = ParseRequirement(part);
    if (!requirement) return Err(std::move(requirement.error()));
    selector.requirements_.push_back(*std::move(requirement));
  }
  return selector;
}

bool LabelSelector::Matches(const Labels& labels) const {
  using Operator = Requirement::Operator;
  return std::all_of(
      requirements_.begin(), requirements_.end(), [&](const Requirement& requirement) {
        const auto found = labels.find(requirement.key);
        const bool exists = found != labels.end();
        if (requirement.op == Operator::kExists) return exists;
        if (requirement.op == Operator::kDoesNotExist) return !exists;
        const auto& values = requirement.values;
        const bool listed =
            exists && std::find(values.begin(), values.end(), found->second) != values.end();
        return requirement.op == Operator::kIn ? listed : !listed;
      });
}

}  // namespace capstan::controllers::cainjector
