// SPDX-License-Identifier: Apache-2.0
#include "clientgo/testing/apiserver/validation/rule_text.h"

#include <glog/logging.h>

#include <algorithm>
#include <string>
#include <vector>

#include "capstan/text.h"

namespace capstan::testing::apiserver {
namespace {

// Rule is one rule of a text.
struct Rule {
  std::vector<std::string_view> path;
  char op;
  std::string_view values;
};

Rule ParseRule(std::string_view text) {
  const std::size_t at = text.find_first_of("!=+>$:?~");
  CHECK(at != std::string_view::npos) << "the rule has no operator: " << text;
  return {.path = Split(text.substr(0, at), '.'), .op = text[at], .values = text.substr(at + 1)};
}

// Returns the fields at the path.
std::vector<Place> Expand(const Place& object, const std::vector<std::string_view>& path) {
  std::vector<Place> places = {object};
  for (std::string_view step : path) {
    const bool each = step.ends_with("[]");
    if (each) step.remove_suffix(2);
    std::vector<Place> next;
    for (const Place& place : places) {
      const Place member = place[step];
      if (!each) {
        next.push_back(member);
        continue;
      }
      for (Place& item : member.Items()) next.push_back(std::move(item));
    }
    places = std::move(next);
  }
  return places;
}

bool IsEmpty(const Place& field) {
  return !field.Given() || IsEmptyContainer(field.value()) ||
         (field.value().IsString() && field.Text().empty());
}

void Check(const Rule& rule, const Place& field, FieldRules& rules) {
  switch (rule.op) {
    case '!':
      if (IsEmpty(field)) rules.Required(field);
      return;
    case '+':
      return rules.NotNegative(field);
    case '>':
      if (field.Number().value_or(0) < 1) {
        rules.InvalidAs(field, std::to_string(field.Number().value_or(0)),
                        "must be greater than 0");
      }
      return;
    case '$':
      return rules.Subdomain(field);
    case ':':
      return rules.Label(field);
    case '?':
      return rules.LabelSelector(field);
    case '=': {
      const auto values = Split(rule.values, ',');
      const std::string_view text = field.Text();
      if (text.empty() || std::find(values.begin(), values.end(), text) != values.end()) return;
      rules.causes().push_back(NotSupported(field.path(), Quote(text), Join(values, ", ", Quote)));
      return;
    }
    default:
      return;  // about changes
  }
}

}  // namespace

void CheckRules(std::string_view text, const Place& object, FieldRules& rules) {
  for (const std::string_view one : Split(text, ' ')) {
    if (one.empty()) continue;
    const Rule rule = ParseRule(one);
    for (const Place& field : Expand(object, rule.path)) Check(rule, field, rules);
  }
}

void CheckRulesOfUpdate(std::string_view text, const Place& live, const Place& next,
                        FieldRules& rules) {
  for (const std::string_view one : Split(text, ' ')) {
    if (!one.ends_with('~')) continue;
    const Rule rule = ParseRule(one);
    rules.Immutable(Expand(live, rule.path).front(), Expand(next, rule.path).front());
  }
}

}  // namespace capstan::testing::apiserver
