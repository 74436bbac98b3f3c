// SPDX-License-Identifier: Apache-2.0
// The parser of the label selector grammar, declared in selectors.h. Tokens and error texts follow
// k8s.io/apimachinery/pkg/labels.
#include <algorithm>
#include <array>
#include <utility>

#include "apiserver/names.h"
#include "apiserver/selectors.h"

namespace apiserver {
namespace {

using Operator = LabelRequirement::Operator;

bool IsSpace(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }
bool IsSymbol(char c) { return std::string_view("=!(),><").find(c) != std::string_view::npos; }
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

  // "<path>: Invalid value: "<text>": <why>; <why>".
  static Status Refuse(const std::string& path, const std::string& text,
                       const std::vector<std::string>& reasons) {
    std::string why;
    for (const std::string& reason : reasons) why += (why.empty() ? "" : "; ") + reason;
    return BadRequest(path + ": " + InvalidValue("", text, why).message);
  }

  static Result<LabelRequirement> CheckValues(LabelRequirement requirement) {
    const bool number =
        requirement.op == Operator::kGreaterThan || requirement.op == Operator::kLessThan;
    for (std::size_t i = 0; i < requirement.values.size(); ++i) {
      const std::string& value = requirement.values[i];
      const std::string path = "values[" + std::to_string(i) + "]";
      if (number && !ParseInteger(value)) {
        return tl::unexpected(
            Refuse(path, value, {"for 'Gt', 'Lt' operators, the value must be an integer"}));
      }
      const auto errors = LabelValueErrors(value);
      if (!errors.empty()) {
        return tl::unexpected(Refuse(path + "[" + requirement.key + "]", value, errors));
      }
    }
    return requirement;
  }

  Result<LabelRequirement> ParseRequirement() {
    LabelRequirement requirement;
    if (token_ == "!") {
      requirement.op = Operator::kDoesNotExist;
      Advance();
    }
    if (!IsIdentifier()) return Fail("found '" + token_ + "', expected: identifier");
    requirement.key = token_;
    if (const auto errors = QualifiedNameErrors(requirement.key); !errors.empty()) {
      return tl::unexpected(Refuse("<nil>", requirement.key, errors));
    }
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
    return CheckValues(std::move(requirement));
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
    return CheckValues(std::move(requirement));
  }

  std::string_view rest_;
  std::string token_;
};

}  // namespace

Result<std::vector<LabelRequirement>> ParseLabelSelector(std::string_view text) {
  return Parser(text).Parse();
}

}  // namespace apiserver
