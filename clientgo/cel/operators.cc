// SPDX-License-Identifier: Apache-2.0
// The operators, and the functions of cel-go's standard library that are not conversions or about
// time. Mirrors common/stdlib/standard.go.
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>

#include "clientgo/cel/ast.h"
#include "clientgo/cel/functions.h"
#include "clientgo/cel/go_regexp.h"
#include "clientgo/cel/timestamps.h"

namespace capstan::cel {
namespace {

constexpr const char* kIntOverflow = "integer overflow";
constexpr const char* kUintOverflow = "unsigned integer overflow";

template <class T>
T As(const Value& value) {
  return *value.Get<T>();
}

Value MakeNumber(std::int64_t number) { return Value::Int(number); }
Value MakeNumber(std::uint64_t number) { return Value::Uint(number); }

template <class T>
Value OverflowOf() {
  return Value::Failure(std::numeric_limits<T>::is_signed ? kIntOverflow : kUintOverflow);
}

template <class T>
Value AddNumbers(Arguments args) {
  T sum{};
  if (__builtin_add_overflow(As<T>(args[0]), As<T>(args[1]), &sum)) return OverflowOf<T>();
  return MakeNumber(sum);
}

template <class T>
Value SubtractNumbers(Arguments args) {
  T difference{};
  if (__builtin_sub_overflow(As<T>(args[0]), As<T>(args[1]), &difference)) return OverflowOf<T>();
  return MakeNumber(difference);
}

template <class T>
Value MultiplyNumbers(Arguments args) {
  T product{};
  if (__builtin_mul_overflow(As<T>(args[0]), As<T>(args[1]), &product)) return OverflowOf<T>();
  return MakeNumber(product);
}

// Reports whether a / b does not fit into T.
template <class T>
bool DivisionOverflows(T a, T b) {
  if constexpr (std::numeric_limits<T>::is_signed) {
    return a == std::numeric_limits<T>::min() && b == -1;
  } else {
    return false;
  }
}

template <class T>
Value DivideNumbers(Arguments args) {
  const T a = As<T>(args[0]);
  const T b = As<T>(args[1]);
  if (b == 0) return Value::Failure("division by zero");
  return DivisionOverflows(a, b) ? OverflowOf<T>() : MakeNumber(static_cast<T>(a / b));
}

template <class T>
Value RemainderOfNumbers(Arguments args) {
  const T a = As<T>(args[0]);
  const T b = As<T>(args[1]);
  if (b == 0) return Value::Failure("modulus by zero");
  return DivisionOverflows(a, b) ? OverflowOf<T>() : MakeNumber(static_cast<T>(a % b));
}

Value AddDoubles(Arguments args) {
  return Value::Double(As<double>(args[0]) + As<double>(args[1]));
}
Value SubtractDoubles(Arguments args) {
  return Value::Double(As<double>(args[0]) - As<double>(args[1]));
}
Value MultiplyDoubles(Arguments args) {
  return Value::Double(As<double>(args[0]) * As<double>(args[1]));
}
Value DivideDoubles(Arguments args) {
  return Value::Double(As<double>(args[0]) / As<double>(args[1]));
}
Value NegateDouble(Arguments args) { return Value::Double(-As<double>(args[0])); }
Value NegateInt(Arguments args) {
  const auto number = As<std::int64_t>(args[0]);
  if (number == std::numeric_limits<std::int64_t>::min()) return Value::Failure(kIntOverflow);
  return Value::Int(-number);
}

Value AddTexts(Arguments args) {
  return Value::String(*args[0].Get<std::string>() + *args[1].Get<std::string>());
}
Value AddBytes(Arguments args) {
  return Value::FromBytes(args[0].Get<Bytes>()->bytes + args[1].Get<Bytes>()->bytes);
}
// The sum of an empty list of the expression and a list of the object is the object's list itself,
// which may be a set.
Value AddLists(Arguments args) {
  const List& left = *args[0].list();
  const List& right = *args[1].list();
  const bool made = !left.EqualToOther().IsError();
  if (made && left.size() == 0 && right.EqualToOther().IsError()) return args[1];
  return left.Concatenate(right);
}

Value AddDurations(Arguments args) { return Add(As<Duration>(args[0]), As<Duration>(args[1])); }
Value SubtractDurations(Arguments args) {
  return Subtract(As<Duration>(args[0]), As<Duration>(args[1]));
}
Value AddToTimestamp(Arguments args) { return Add(As<Timestamp>(args[0]), As<Duration>(args[1])); }
Value AddTimestampTo(Arguments args) { return Add(As<Timestamp>(args[1]), As<Duration>(args[0])); }
Value SubtractFromTimestamp(Arguments args) {
  return Subtract(As<Timestamp>(args[0]), As<Duration>(args[1]));
}
Value SubtractTimestamps(Arguments args) {
  return Subtract(As<Timestamp>(args[0]), As<Timestamp>(args[1]));
}

Value Negation(Arguments args) { return Value::Bool(!As<bool>(args[0])); }
Value IsEqual(Arguments args) { return Equal(args[0], args[1]); }
Value IsNotEqual(Arguments args) {
  return Value::Bool(!Equal(args[0], args[1]).IsTrue());  // an error means different
}

// Compares two values. `Holds` decides by their order: -1, 0 or 1.
template <bool (*Holds)(std::int64_t)>
Value CompareBy(Arguments args) {
  Value order = Compare(args[0], args[1]);
  return order.IsError() ? order : Value::Bool(Holds(As<std::int64_t>(order)));
}
bool OrderIsLess(std::int64_t order) { return order < 0; }
bool OrderIsLessOrEqual(std::int64_t order) { return order <= 0; }
bool OrderIsGreater(std::int64_t order) { return order > 0; }
bool OrderIsGreaterOrEqual(std::int64_t order) { return order >= 0; }

Value InList(Arguments args) { return args[1].list()->Contains(args[0]); }

Value InMap(Arguments args) {
  auto found = args[1].map()->Find(args[0]);
  return found && found->IsError() ? *std::move(found) : Value::Bool(found.has_value());
}

Value SizeOf(Arguments args) { return Value::Int(static_cast<std::int64_t>(args[0].CostSize())); }

Value ContainsText(Arguments args) {
  return Value::Bool(args[0].Get<std::string>()->find(*args[1].Get<std::string>()) !=
                     std::string::npos);
}
Value StartsWithText(Arguments args) {
  return Value::Bool(args[0].Get<std::string>()->starts_with(*args[1].Get<std::string>()));
}
Value EndsWithText(Arguments args) {
  return Value::Bool(args[0].Get<std::string>()->ends_with(*args[1].Get<std::string>()));
}
Value MatchesPattern(Arguments args) {
  const GoRegexp pattern(*args[1].Get<std::string>());
  if (!pattern.Error().empty()) return Value::Failure(pattern.Error());
  return Value::Bool(pattern.Matches(*args[0].Get<std::string>()));
}

Value InsertIntoMap(Arguments args) { return InsertMember(args[0], args[1], args[2]); }
Value InsertMapIntoMap(Arguments args) {
  Value map = args[0];
  for (const Value& key : args[1].map()->Keys()) {
    map = InsertMember(map, key, *args[1].map()->Find(key));
    if (map.IsError()) break;
  }
  return map;
}

constexpr auto kLess = CompareBy<OrderIsLess>;
constexpr auto kLessOrEqual = CompareBy<OrderIsLessOrEqual>;
constexpr auto kGreater = CompareBy<OrderIsGreater>;
constexpr auto kGreaterOrEqual = CompareBy<OrderIsGreaterOrEqual>;

#define CAPSTAN_CEL_ORDER_ROWS(function, call)                                              \
  {function, "bool, bool -> bool", call}, {function, "int, int -> bool", call},             \
      {function, "int, double -> bool", call}, {function, "int, uint -> bool", call},       \
      {function, "uint, uint -> bool", call}, {function, "uint, double -> bool", call},     \
      {function, "uint, int -> bool", call}, {function, "double, double -> bool", call},    \
      {function, "double, int -> bool", call}, {function, "double, uint -> bool", call},    \
      {function, "string, string -> bool", call}, {function, "bytes, bytes -> bool", call}, \
      {function, "timestamp, timestamp -> bool", call}, {                                   \
    function, "duration, duration -> bool", call                                            \
  }

constexpr std::array kOperatorRows = std::to_array<OverloadRow>({
    {kConditionalFunction, "bool, A, A -> A", nullptr},
    {kAndFunction, "bool, bool -> bool", nullptr},
    {kOrFunction, "bool, bool -> bool", nullptr},
    {kNotStrictlyFalseFunction, "bool -> bool", nullptr},
    {kNotFunction, "bool -> bool", Negation},
    {kEqualFunction, "A, A -> bool", IsEqual},
    {kNotEqualFunction, "A, A -> bool", IsNotEqual},
    {kAddFunction, "bytes, bytes -> bytes", AddBytes},
    {kAddFunction, "double, double -> double", AddDoubles},
    {kAddFunction, "duration, duration -> duration", AddDurations},
    {kAddFunction, "duration, timestamp -> timestamp", AddTimestampTo},
    {kAddFunction, "timestamp, duration -> timestamp", AddToTimestamp},
    {kAddFunction, "int, int -> int", AddNumbers<std::int64_t>},
    {kAddFunction, "list(A), list(A) -> list(A)", AddLists},
    {kAddFunction, "string, string -> string", AddTexts},
    {kAddFunction, "uint, uint -> uint", AddNumbers<std::uint64_t>},
    {"_-_", "double, double -> double", SubtractDoubles},
    {"_-_", "duration, duration -> duration", SubtractDurations},
    {"_-_", "int, int -> int", SubtractNumbers<std::int64_t>},
    {"_-_", "timestamp, duration -> timestamp", SubtractFromTimestamp},
    {"_-_", "timestamp, timestamp -> duration", SubtractTimestamps},
    {"_-_", "uint, uint -> uint", SubtractNumbers<std::uint64_t>},
    {"_*_", "double, double -> double", MultiplyDoubles},
    {"_*_", "int, int -> int", MultiplyNumbers<std::int64_t>},
    {"_*_", "uint, uint -> uint", MultiplyNumbers<std::uint64_t>},
    {"_/_", "double, double -> double", DivideDoubles},
    {"_/_", "int, int -> int", DivideNumbers<std::int64_t>},
    {"_/_", "uint, uint -> uint", DivideNumbers<std::uint64_t>},
    {"_%_", "int, int -> int", RemainderOfNumbers<std::int64_t>},
    {"_%_", "uint, uint -> uint", RemainderOfNumbers<std::uint64_t>},
    {"-_", "double -> double", NegateDouble},
    {"-_", "int -> int", NegateInt},
    CAPSTAN_CEL_ORDER_ROWS("_<_", kLess),
    CAPSTAN_CEL_ORDER_ROWS("_<=_", kLessOrEqual),
    CAPSTAN_CEL_ORDER_ROWS("_>_", kGreater),
    CAPSTAN_CEL_ORDER_ROWS("_>=_", kGreaterOrEqual),
    {kIndexFunction, "list(A), int -> A", nullptr},
    {kIndexFunction, "map(A, B), A -> B", nullptr},
    {kIndexFunction, "optional_type(list(V)), int -> optional_type(V)", nullptr},
    {kIndexFunction, "optional_type(map(K, V)), K -> optional_type(V)", nullptr},
    {"@in", "A, list(A) -> bool", InList},
    {"@in", "A, map(A, B) -> bool", InMap},
    {"size", "bytes -> int", SizeOf},
    {"size", ". bytes -> int", SizeOf},
    {"size", "list(A) -> int", SizeOf},
    {"size", ". list(A) -> int", SizeOf},
    {"size", "map(A, B) -> int", SizeOf},
    {"size", ". map(A, B) -> int", SizeOf},
    {"size", "string -> int", SizeOf},
    {"size", ". string -> int", SizeOf},
    {"contains", ". string, string -> bool", ContainsText},
    {"startsWith", ". string, string -> bool", StartsWithText},
    {"endsWith", ". string, string -> bool", EndsWithText},
    {"matches", "string, string -> bool", MatchesPattern},
    {"matches", ". string, string -> bool", MatchesPattern},
    {kMapInsertFunction, "map(K, V), K, V -> map(K, V)", InsertIntoMap},
    {kMapInsertFunction, "map(K, V), map(K, V) -> map(K, V)", InsertMapIntoMap},
});

#undef CAPSTAN_CEL_ORDER_ROWS

}  // namespace

std::span<const OverloadRow> OperatorRows() { return kOperatorRows; }

}  // namespace capstan::cel
