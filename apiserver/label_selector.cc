// SPDX-License-Identifier: Apache-2.0
// The parser of the label selector grammar, declared in selectors.h. Tokens and error texts follow
// k8s.io/apimachinery/pkg/labels.
#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "apiserver/selectors.h"

namespace apiserver {
namespace {

using Operator = LabelRequirement::Operator;

bool IsSpace(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }
bool IsSymbol(char c) { return std::string_view("=!(),><").find(c) != std::string_view::npos; }
bool IsAlphanumeric(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

// The last part of a key, and a value: letters, digits and "-_." inside.
bool IsQualifiedPart(std::string_view text) {
  constexpr std::size_t kLengthMax = 63;
  return !text.empty() && text.size() <= kLengthMax && IsAlphanumeric(text.front()) &&
         IsAlphanumeric(text.back()) && std::all_of(text.begin(), text.end(), [](char c) {
           return IsAlphanumeric(c) || c == '-' || c == '_' || c == '.';
         });
}

class Parser {
 public:
  explicit Parser(std::string_view text) : rest_(text) { Advance(); }

  Result<std::vector<LabelRequirement>> Parse() {
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
  static tl::unexpected<Status> Fail(std::string message) {
    return tl::unexpected(BadRequest(std::move(message)));
  }

  void Advance() {
    while (!rest_.empty() && IsSpace(rest_.front())) rest_.remove_prefix(1);
    std::size_t size = 0;
    if (!rest_.empty() && IsSymbol(rest_.front())) {
      size = rest_.starts_with("==") || rest_.starts_with("!=") ? 2 : 1;
    } else {
      while (size < rest_.size() && !IsSpace(rest_[size]) && !IsSymbol(rest_[size])) ++size;
    }
    token_ = rest_.substr(0, size);
    rest_.remove_prefix(size);
  }

  bool IsIdentifier() const { return !token_.empty() && !IsSymbol(token_.front()); }

  static std::optional<Status> CheckKey(const std::string& key) {
    const std::string name = key.substr(key.find('/') == std::string::npos ? 0 : key.find('/') + 1);
    if (IsQualifiedPart(name)) return std::nullopt;
    return BadRequest(
        "<nil>: Invalid value: \"" + key +
        "\": name part must consist of alphanumeric characters, '-', '_' or '.', and must start "
        "and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', "
        "regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')");
  }

  Result<LabelRequirement> ParseRequirement() {
    LabelRequirement requirement;
    if (token_ == "!") {
      requirement.op = Operator::kDoesNotExist;
      Advance();
    }
    if (!IsIdentifier()) return Fail("found '" + token_ + "', expected: identifier");
    requirement.key = token_;
    if (auto bad = CheckKey(requirement.key)) return tl::unexpected(std::move(*bad));
    Advance();
    if (requirement.op == Operator::kDoesNotExist) return requirement;
    if (token_.empty() || token_ == ",") return requirement;
    return ParseOperation(std::move(requirement));
  }

  Result<LabelRequirement> ParseOperation(LabelRequirement requirement) {
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
    // "a=" asks for an empty value.
    if (!token_.empty() && token_ != "," && !IsIdentifier()) {
      return Fail("found '" + token_ + "', expected: identifier");
    }
    requirement.values.push_back(IsIdentifier() ? token_ : std::string());
    if (IsIdentifier()) Advance();
    return requirement;
  }

  Result<LabelRequirement> ParseSet(LabelRequirement requirement) {
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

}  // namespace

Result<std::vector<LabelRequirement>> ParseLabelSelector(std::string_view text) {
  return Parser(text).Parse();
}

}  // namespace apiserver
