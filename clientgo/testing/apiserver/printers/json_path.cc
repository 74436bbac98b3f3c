// SPDX-License-Identifier: Apache-2.0
#include "clientgo/testing/apiserver/printers/json_path.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "capstan/runtime/json_writer.h"
#include "capstan/text.h"

namespace capstan::testing::apiserver {
namespace {

// Returns the text up to an unquoted `end`, and removes it and `end` from `text`.
std::optional<std::string_view> TakeThrough(std::string_view& text, char end) {
  char quote = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quote != 0) {
      if (c == quote) quote = 0;
    } else if (c == '\'' || c == '"') {
      quote = c;
    } else if (c == end) {
      const std::string_view taken = text.substr(0, i);
      text.remove_prefix(i + 1);
      return taken;
    }
  }
  return std::nullopt;
}

// Returns the text inside quotes; nullopt: it has none.
std::optional<std::string> Unquoted(std::string_view text) {
  if (text.size() < 2 || (text.front() != '\'' && text.front() != '"')) return std::nullopt;
  if (text.back() != text.front()) return std::nullopt;
  return std::string(text.substr(1, text.size() - 2));
}

// Returns the name of a field, and removes it from `text`. A backslash escapes a dot.
std::string TakeField(std::string_view& text) {
  std::string name;
  while (!text.empty() && text.front() != '.' && text.front() != '[') {
    if (text.front() == '\\' && text.size() > 1) text.remove_prefix(1);
    name += text.front();
    text.remove_prefix(1);
  }
  return name;
}

}  // namespace

std::optional<JsonPath> JsonPath::Parse(std::string_view text) {
  JsonPath path;
  while (!text.empty()) {
    if (text.front() == '[') {
      text.remove_prefix(1);
      const auto inside = TakeThrough(text, ']');
      auto step = inside ? ParseBracket(*inside) : std::nullopt;
      if (!step) return std::nullopt;
      path.steps_.push_back(*std::move(step));
      continue;
    }
    if (text.front() != '.') return std::nullopt;
    text.remove_prefix(1);
    if (!text.empty() && text.front() == '[') continue;
    Step step{.name = TakeField(text)};
    if (step.name.empty()) return std::nullopt;
    path.steps_.push_back(std::move(step));
  }
  return path;
}

std::optional<JsonPath::Step> JsonPath::ParseBracket(std::string_view inside) {
  if (inside == "*") return Step{.kind = Step::Kind::kAll};
  if (auto name = Unquoted(inside)) return Step{.name = *std::move(name)};
  if (inside.starts_with("?(") && inside.ends_with(')')) {
    return ParseFilter(inside.substr(2, inside.size() - 3));
  }
  Step step{.kind = Step::Kind::kIndex};
  const auto [end, error] =
      std::from_chars(inside.data(), inside.data() + inside.size(), step.index);
  if (error != std::errc() || end != inside.data() + inside.size()) return std::nullopt;
  return step;
}

std::optional<JsonPath::Step> JsonPath::ParseFilter(std::string_view condition) {
  const std::size_t equals = condition.find("==");
  if (equals == std::string_view::npos) return std::nullopt;
  std::string_view field = Trim(condition.substr(0, equals), " ");
  const std::string_view value = Trim(condition.substr(equals + 2), " ");
  if (!field.starts_with("@.")) return std::nullopt;
  field.remove_prefix(1);
  Step step{.kind = Step::Kind::kFilter};
  while (!field.empty()) {
    if (field.front() != '.') return std::nullopt;
    field.remove_prefix(1);
    step.field.push_back(TakeField(field));
  }
  const auto text = Unquoted(value);
  step.value = text ? Quote(*text) : std::string(value);
  return step;
}

bool JsonPath::Matches(const Step& filter, const runtime::JsonValue& item) {
  const runtime::JsonValue* value = &item;
  for (const std::string& name : filter.field) {
    value = value->IsObject() ? runtime::Find(*value, name) : nullptr;
    if (value == nullptr) return false;
  }
  return runtime::ToJson(*value) == filter.value;
}

const runtime::JsonValue* JsonPath::FindFirst(const runtime::JsonValue& object) const {
  return FindFrom(0, object);
}

const runtime::JsonValue* JsonPath::FindFrom(std::size_t step,
                                             const runtime::JsonValue& value) const {
  if (step == steps_.size()) return &value;
  const Step& current = steps_[step];
  if (current.kind == Step::Kind::kField) {
    const runtime::JsonValue* const member =
        value.IsObject() ? runtime::Find(value, current.name) : nullptr;
    return member == nullptr ? nullptr : FindFrom(step + 1, *member);
  }
  if (!value.IsArray()) return nullptr;
  if (current.kind == Step::Kind::kIndex) {
    const std::int64_t size = value.Size();
    const std::int64_t at = current.index < 0 ? size + current.index : current.index;
    if (at < 0 || at >= size) return nullptr;
    return FindFrom(step + 1, value[static_cast<rapidjson::SizeType>(at)]);
  }
  for (const runtime::JsonValue& item : value.GetArray()) {
    if (current.kind == Step::Kind::kFilter && !Matches(current, item)) continue;
    if (const runtime::JsonValue* const found = FindFrom(step + 1, item)) return found;
  }
  return nullptr;
}

}  // namespace capstan::testing::apiserver
