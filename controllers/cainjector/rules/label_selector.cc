// SPDX-License-Identifier: Apache-2.0
#include "controllers/cainjector/rules/label_selector.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>

#include "capstan/logging.h"
#include "capstan/text.h"

namespace capstan::cainjector {
namespace {

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
  constexpr std::size_t kPrefixMax = 253;
  return slash <= kPrefixMax && IsDnsSubdomain(text.substr(0, slash)) &&
         IsName(text.substr(slash + 1));
}

bool IsValue(std::string_view text) { return text.empty() || IsName(text); }

// Returns what is wrong with the names and values, which the parser does not check.
std::string WhyInvalid(const LabelRequirement& requirement) {
  using Operator = LabelRequirement::Operator;
  if (!IsKey(requirement.key)) return Quoted(requirement.key) + " is not the key of a label";
  const bool number =
      requirement.op == Operator::kGreaterThan || requirement.op == Operator::kLessThan;
  for (const std::string& value : requirement.values) {
    if (!IsValue(value)) return Quoted(value) + " is not the value of a label";
    if (number && !ParseInteger(value)) return Quoted(value) + " is not an integer";
  }
  return {};
}

}  // namespace

Expected<LabelSelector> LabelSelector::Parse(std::string_view text) {
  LabelSelector selector;
  auto requirements = ParseLabelSelector(text);
  std::string why;
  if (!requirements) {
    why = std::move(requirements.error().message);
  } else {
    selector.requirements_ = *std::move(requirements);
    for (const LabelRequirement& requirement : selector.requirements_) {
      if (why.empty()) why = WhyInvalid(requirement);
    }
  }
  if (why.empty()) return selector;
  constexpr std::size_t kShownMax = 128;
  return Err(ErrorReason::kInvalidArgument,
             Quoted(Trim(text, " \t\r\n").substr(0, kShownMax)) +
                 " is not a label selector, such as " +
                 "team=web,env in (a,b): " + why.substr(0, kShownMax));
}

bool LabelSelector::Matches(const Labels& labels) const {
  return std::all_of(
      requirements_.begin(), requirements_.end(), [&](const LabelRequirement& requirement) {
        const auto found = labels.find(requirement.key);
        return requirement.Matches(
            found == labels.end() ? std::nullopt : std::optional<std::string_view>(found->second));
      });
}

}  // namespace capstan::cainjector
