// SPDX-License-Identifier: Apache-2.0
#include "capstan/label_selector.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <system_error>
#include <utility>

#include "capstan/logging.h"
#include "capstan/text.h"

namespace capstan {
namespace {

using Operator = LabelRequirement::Operator;

constexpr std::string_view kSpaces = " \t\r\n";
constexpr std::string_view kDelimiters = " \t\r\n=!(),><";

class Parser {
 public:
  explicit Parser(std::string_view text) : rest_(text) { Advance(); }

  Expected<std::vector<LabelRequirement>> Parse() {
    std::vector<LabelRequirement> requirements;
    while (!token_.empty()) {
      if (!IsIdentifier() && token_ != "!") {
        return Fail("found '" + token_ + "', expected: !, identifier, or 'end of string'");
      }
      auto requirement = ParseRequirement();
      if (!requirement) {
        requirement.error().message = "unable to parse requirement: " + requirement.error().message;
        return tl::unexpected(std::move(requirement.error()));
      }
      requirements.push_back(std::move(*requirement));
      if (token_.empty()) break;
      if (token_ != ",") return Fail("found '" + token_ + "', expected: ',' or 'end of string'");
      Advance();
      if (!IsIdentifier() && token_ != "!") {
        return Fail("found '" + token_ + "', expected: identifier after ','");
      }
    }
    return requirements;
  }

 private:
  static tl::unexpected<Error> Fail(std::string message) {
    return Err(ErrorReason::kInvalidArgument, std::move(message));
  }

  void Advance() {
    rest_ = Trim(rest_, kSpaces);
    std::size_t size = rest_.find_first_of(kDelimiters);
    if (size == 0) size = rest_.starts_with("==") || rest_.starts_with("!=") ? 2 : 1;
    token_ = rest_.substr(0, size);
    rest_.remove_prefix(token_.size());
  }

  bool IsIdentifier() const { return !token_.empty() && token_.find_first_of(kDelimiters) != 0; }

  Expected<LabelRequirement> ParseRequirement() {
    LabelRequirement requirement;
    if (token_ == "!") {
      requirement.op = Operator::kDoesNotExist;
      Advance();
    }
    if (!IsIdentifier()) return Fail("found '" + token_ + "', expected: identifier");
    requirement.key = token_;
    Advance();
    if (requirement.op == Operator::kDoesNotExist) return requirement;
    if (token_.empty() || token_ == ",") return requirement;
    return ParseOperation(std::move(requirement));
  }

  Expected<LabelRequirement> ParseOperation(LabelRequirement requirement) {
    constexpr std::array kOperators = std::to_array<std::pair<std::string_view, Operator>>({
        {"=", Operator::kIn},
        {"==", Operator::kIn},
        {"!=", Operator::kNotIn},
        {"in", Operator::kIn},
        {"notin", Operator::kNotIn},
        {">", Operator::kGreaterThan},
        {"<", Operator::kLessThan},
    });
    const auto* const row = std::find_if(kOperators.begin(), kOperators.end(),
                                         [&](const auto& entry) { return entry.first == token_; });
    if (row == kOperators.end()) {
      return Fail("found '" + token_ + "', expected: in, notin, =, ==, !=, gt, lt");
    }
    requirement.op = row->second;
    const bool set = token_ == "in" || token_ == "notin";
    Advance();
    if (set) return ParseSet(std::move(requirement));
    // "a=" selects an empty value.
    if (!token_.empty() && token_ != "," && !IsIdentifier()) {
      return Fail("found '" + token_ + "', expected: identifier");
    }
    requirement.values.push_back(IsIdentifier() ? token_ : std::string());
    if (IsIdentifier()) Advance();
    return requirement;
  }

  Expected<LabelRequirement> ParseSet(LabelRequirement requirement) {
    if (token_ != "(") return Fail("found '" + token_ + "' expected: '('");
    Advance();
    while (true) {
      requirement.values.push_back(IsIdentifier() ? token_ : std::string());
      if (IsIdentifier()) Advance();
      if (token_ == ")") break;
      if (token_ != ",") return Fail("found '" + token_ + "', expected: ',' or ')'");
      Advance();
    }
    Advance();
    return requirement;
  }

  std::string_view rest_;
  std::string token_;
};

bool IsName(std::string_view text) {
  constexpr std::size_t kLongest = 63;
  return !text.empty() && text.size() <= kLongest && IsAsciiAlphanumeric(text.front()) &&
         IsAsciiAlphanumeric(text.back()) && std::all_of(text.begin(), text.end(), [](char c) {
           return IsAsciiAlphanumeric(c) || c == '-' || c == '_' || c == '.';
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

std::optional<std::int64_t> ParseInteger(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, ec] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (ec != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

bool LabelRequirement::Matches(std::optional<std::string_view> value) const {
  const auto listed = [&] {
    return std::find(values.begin(), values.end(), *value) != values.end();
  };
  switch (op) {
    case Operator::kExists:
      return value.has_value();
    case Operator::kDoesNotExist:
      return !value;
    case Operator::kIn:
      return value && listed();
    case Operator::kNotIn:
      return !value || !listed();
    case Operator::kGreaterThan:
    case Operator::kLessThan: {
      const auto have = value ? ParseInteger(*value) : std::nullopt;
      const auto bound = ParseInteger(values.front());
      if (!have || !bound) return false;
      return op == Operator::kGreaterThan ? *have > *bound : *have < *bound;
    }
  }
  return false;
}

Expected<std::vector<LabelRequirement>> ParseLabelSelector(std::string_view text) {
  return Parser(text).Parse();
}

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

LabelSelector LabelSelector::Nothing() {
  LabelSelector nothing;
  nothing.requirements_ = {{.key = "none", .op = Operator::kExists},
                           {.key = "none", .op = Operator::kDoesNotExist}};
  return nothing;
}

Expected<void> LabelSelector::Add(std::string key, std::string_view op,
                                  std::vector<std::string> values) {
  constexpr std::array kOperators = std::to_array<std::pair<std::string_view, Operator>>({
      {"In", Operator::kIn},
      {"NotIn", Operator::kNotIn},
      {"Exists", Operator::kExists},
      {"DoesNotExist", Operator::kDoesNotExist},
  });
  const auto fail = [&](const std::string& why) {
    return Err(ErrorReason::kInvalidArgument, "label selector, key " + Quoted(key) + ": " + why);
  };
  const auto* const row = std::find_if(kOperators.begin(), kOperators.end(),
                                       [&](const auto& entry) { return entry.first == op; });
  if (row == kOperators.end()) {
    return fail("operator " + Quoted(op) + " is not In, NotIn, Exists or DoesNotExist");
  }
  LabelRequirement requirement{
      .key = std::move(key), .op = row->second, .values = std::move(values)};
  const bool set = requirement.op == Operator::kIn || requirement.op == Operator::kNotIn;
  key = requirement.key;
  if (set == requirement.values.empty()) {
    return fail(std::string(op) + (set ? " needs a value" : " takes no values"));
  }
  if (const std::string why = WhyInvalid(requirement); !why.empty()) return fail(why);
  requirements_.push_back(std::move(requirement));
  return {};
}

std::string LabelSelector::String() const {
  return Join(requirements_, ",", [](const LabelRequirement& requirement) {
    const std::string& key = requirement.key;
    switch (requirement.op) {
      case Operator::kExists:
        return key;
      case Operator::kDoesNotExist:
        return "!" + key;
      case Operator::kIn:
        return key + " in (" + Join(requirement.values, ",") + ")";
      case Operator::kNotIn:
        return key + " notin (" + Join(requirement.values, ",") + ")";
      case Operator::kGreaterThan:
        return key + " > " + requirement.values.front();
      case Operator::kLessThan:
        return key + " < " + requirement.values.front();
    }
    return key;
  });
}

bool LabelSelector::Matches(const Labels& labels) const {
  return std::all_of(
      requirements_.begin(), requirements_.end(), [&](const LabelRequirement& requirement) {
        const auto found = labels.find(requirement.key);
        return requirement.Matches(
            found == labels.end() ? std::nullopt : std::optional<std::string_view>(found->second));
      });
}

}  // namespace capstan
