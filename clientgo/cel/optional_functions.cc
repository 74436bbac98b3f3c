// SPDX-License-Identifier: Apache-2.0
// The functions of optional values, and those that find text by a pattern. Mirrors cel-go's
// cel/library.go and Kubernetes' cel/library/regex.go. The evaluator does a.?b, a[?b], x.or(y) and
// x.orValue(y).
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "clientgo/cel/ast.h"
#include "clientgo/cel/functions.h"
#include "clientgo/cel/go_regexp.h"

namespace capstan::cel {
namespace {

bool IsZero(const Value& value) {
  if (const bool* const flag = value.Get<bool>()) return !*flag;
  if (const auto* const number = value.Get<std::int64_t>()) return *number == 0;
  if (const auto* const number = value.Get<std::uint64_t>()) return *number == 0;
  if (const auto* const number = value.Get<double>()) return *number == 0;
  if (const auto* const text = value.Get<std::string>()) return text->empty();
  if (const auto* const bytes = value.Get<Bytes>()) return bytes->bytes.empty();
  if (const auto* const duration = value.Get<Duration>()) return duration->nanos == 0;
  if (value.list() != nullptr) return value.list()->size() == 0;
  if (value.map() != nullptr) return value.map()->size() == 0;
  return value.IsNull();
}

Value OptionalOf(Arguments args) { return Value::Some(args[0]); }
Value OptionalOfNonZero(Arguments args) {
  return IsZero(args[0]) ? Value::None() : Value::Some(args[0]);
}
Value OptionalNone(Arguments /*args*/) { return Value::None(); }
Value OptionalValue(Arguments args) {
  const auto& value = args[0].Get<Optional>()->value;
  return value == nullptr ? Value::Failure("optional.none() dereference") : *value;
}
Value OptionalHasValue(Arguments args) {
  return Value::Bool(args[0].Get<Optional>()->value != nullptr);
}

Value FirstElement(Arguments args) {
  const List& list = *args[0].list();
  return list.size() == 0 ? Value::None() : Value::Some(list.At(0));
}
Value LastElement(Arguments args) {
  const List& list = *args[0].list();
  return list.size() == 0 ? Value::None() : Value::Some(list.At(list.size() - 1));
}
Value UnwrapList(Arguments args) {
  const List& list = *args[0].list();
  std::vector<Value> values;
  for (std::size_t i = 0; i < list.size(); ++i) {
    const Value element = list.At(i);
    const auto* const optional = element.Get<Optional>();
    if (optional == nullptr) {
      return Value::Failure("value " + KeyText(element) + " is not optional");
    }
    if (optional->value != nullptr) values.push_back(*optional->value);
  }
  return NewList(std::move(values));
}

constexpr std::array kOptionalRows = std::to_array<OverloadRow>({
    {"optional.of", "V -> optional_type(V)", OptionalOf},
    {"optional.ofNonZeroValue", "V -> optional_type(V)", OptionalOfNonZero},
    {"optional.none", " -> optional_type(V)", OptionalNone},
    {"value", ". optional_type(V) -> V", OptionalValue},
    {"hasValue", ". optional_type(V) -> bool", OptionalHasValue},
    {"or", ". optional_type(V), optional_type(V) -> optional_type(V)", nullptr},
    {"orValue", ". optional_type(V), V -> V", nullptr},
    {kOptionalIndexFunction, "list(V), int -> optional_type(V)", nullptr},
    {kOptionalIndexFunction, "optional_type(list(V)), int -> optional_type(V)", nullptr},
    {kOptionalIndexFunction, "map(K, V), K -> optional_type(V)", nullptr},
    {kOptionalIndexFunction, "optional_type(map(K, V)), K -> optional_type(V)", nullptr},
    {"first", ". list(V) -> optional_type(V)", FirstElement},
    {"last", ". list(V) -> optional_type(V)", LastElement},
    {"optional.unwrap", "list(optional_type(V)) -> list(V)", UnwrapList},
    {"unwrapOpt", ". list(optional_type(V)) -> list(V)", UnwrapList},
});

Value FindPattern(Arguments args) {
  const GoRegexp pattern(*args[1].Get<std::string>());
  if (!pattern.Error().empty()) return Value::Failure("Illegal regex: " + pattern.Error());
  return Value::String(pattern.Find(*args[0].Get<std::string>()).value_or(""));
}

Value FindAllPatterns(Arguments args) {
  const GoRegexp pattern(*args[1].Get<std::string>());
  if (!pattern.Error().empty()) return Value::Failure("Illegal regex: " + pattern.Error());
  const std::int64_t count = args.size() == 3 ? *args[2].Get<std::int64_t>() : -1;
  const std::size_t count_max =
      count < 0 ? std::numeric_limits<std::size_t>::max() : static_cast<std::size_t>(count);
  return NewStringList(pattern.FindAll(*args[0].Get<std::string>(), count_max));
}

constexpr std::array kRegexRows = std::to_array<OverloadRow>({
    {"find", ". string, string -> string", FindPattern},
    {"findAll", ". string, string -> list(string)", FindAllPatterns},
    {"findAll", ". string, string, int -> list(string)", FindAllPatterns},
});

}  // namespace

std::span<const OverloadRow> OptionalRows() { return kOptionalRows; }
std::span<const OverloadRow> RegexRows() { return kRegexRows; }

}  // namespace capstan::cel
