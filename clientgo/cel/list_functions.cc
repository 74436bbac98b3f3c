// SPDX-License-Identifier: Apache-2.0
// The functions of lists, as in Kubernetes' cel/library/lists.go, and of sets, as in cel-go's
// ext/sets.go.
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>
#include <utility>

#include "clientgo/cel/functions.h"
#include "clientgo/cel/timestamps.h"

namespace capstan::cel {
namespace {

Value IsSortedList(Arguments args) {
  const List& list = *args[0].list();
  for (std::size_t i = 1; i < list.size(); ++i) {
    Value element = list.At(i);
    if (element.IsError()) return element;
    const Value order = Compare(list.At(i - 1), element);
    if (!order.IsError() && *order.Get<std::int64_t>() > 0) return Value::Bool(false);
  }
  return Value::Bool(true);
}

// Calls the function `_+_` of cel-go for two numbers or durations.
Value AddElements(const Value& a, const Value& b) {
  const std::array<Value, 2> args = {a, b};
  for (const Overload& overload : *FindFunction("_+_")) {
    if (overload.Accepts(args)) return overload.call(args);
  }
  return NoSuchOverload();
}

template <class T>
Value ZeroOf() {
  if constexpr (std::is_same_v<T, std::int64_t>) return Value::Int(0);
  if constexpr (std::is_same_v<T, std::uint64_t>) return Value::Uint(0);
  if constexpr (std::is_same_v<T, double>) return Value::Double(0);
  if constexpr (std::is_same_v<T, Duration>) return Value::Of(Duration{});
}

template <class T>
Value SumOfList(Arguments args) {
  const List& list = *args[0].list();
  Value sum = ZeroOf<T>();
  for (std::size_t i = 0; i < list.size(); ++i) {
    const Value element = list.At(i);
    if (!IsComparable(element)) return element.IsError() ? element : NoSuchOverload();
    sum = AddElements(sum, element);
    if (sum.IsError()) return sum;
  }
  return sum;
}

// Returns the first element that no other one is before, in an order of `sign`.
Value ExtremeOf(Arguments args, std::string_view name, std::int64_t sign) {
  const List& list = *args[0].list();
  if (list.size() == 0) return Value::Failure(std::string(name) + " called on empty list");
  Value extreme = list.At(0);
  for (std::size_t i = 0; i < list.size(); ++i) {
    Value element = list.At(i);
    if (!IsComparable(element)) return element.IsError() ? element : NoSuchOverload();
    const Value order = Compare(extreme, element);
    if (!order.IsError() && *order.Get<std::int64_t>() == sign) extreme = std::move(element);
  }
  return extreme;
}
Value MinOfList(Arguments args) { return ExtremeOf(args, "min", 1); }
Value MaxOfList(Arguments args) { return ExtremeOf(args, "max", -1); }

Value IndexOfElement(Arguments args) {
  const List& list = *args[0].list();
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (Equal(list.At(i), args[1]).IsTrue()) return Value::Int(static_cast<std::int64_t>(i));
  }
  return Value::Int(-1);
}

Value LastIndexOfElement(Arguments args) {
  const List& list = *args[0].list();
  for (std::size_t i = list.size(); i > 0; --i) {
    if (Equal(list.At(i - 1), args[1]).IsTrue())
      return Value::Int(static_cast<std::int64_t>(i - 1));
  }
  return Value::Int(-1);
}

// Returns true, or what the first element that is not in the list results in.
Value HasAllElements(const List& list, const List& wanted) {
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    Value found = list.Contains(wanted.At(i));
    if (!found.IsTrue()) return found;
  }
  return Value::Bool(true);
}

Value SetContains(Arguments args) { return HasAllElements(*args[0].list(), *args[1].list()); }
Value SetEquivalent(Arguments args) {
  Value contains = HasAllElements(*args[0].list(), *args[1].list());
  return contains.IsTrue() ? HasAllElements(*args[1].list(), *args[0].list()) : contains;
}
Value SetIntersects(Arguments args) {
  const List& list = *args[0].list();
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (args[1].list()->Contains(list.At(i)).IsTrue()) return Value::Bool(true);
  }
  return Value::Bool(false);
}

#define CAPSTAN_CEL_COMPARABLE_ROWS(function, call, result)          \
  {function, ". list(int) -> " result("int"), call},                 \
      {function, ". list(uint) -> " result("uint"), call},           \
      {function, ". list(double) -> " result("double"), call},       \
      {function, ". list(bool) -> " result("bool"), call},           \
      {function, ". list(duration) -> " result("duration"), call},   \
      {function, ". list(timestamp) -> " result("timestamp"), call}, \
      {function, ". list(string) -> " result("string"), call}, {     \
    function, ". list(bytes) -> " result("bytes"), call              \
  }
#define CAPSTAN_CEL_SAME(type) type
#define CAPSTAN_CEL_BOOL(type) "bool"

constexpr std::array kListRows = std::to_array<OverloadRow>({
    CAPSTAN_CEL_COMPARABLE_ROWS("isSorted", IsSortedList, CAPSTAN_CEL_BOOL),
    CAPSTAN_CEL_COMPARABLE_ROWS("max", MaxOfList, CAPSTAN_CEL_SAME),
    CAPSTAN_CEL_COMPARABLE_ROWS("min", MinOfList, CAPSTAN_CEL_SAME),
    {"sum", ". list(int) -> int", SumOfList<std::int64_t>},
    {"sum", ". list(uint) -> uint", SumOfList<std::uint64_t>},
    {"sum", ". list(double) -> double", SumOfList<double>},
    {"sum", ". list(duration) -> duration", SumOfList<Duration>},
    {"indexOf", ". list(A), A -> int", IndexOfElement},
    {"lastIndexOf", ". list(A), A -> int", LastIndexOfElement},
    {"sets.contains", "list(T), list(T) -> bool", SetContains},
    {"sets.equivalent", "list(T), list(T) -> bool", SetEquivalent},
    {"sets.intersects", "list(T), list(T) -> bool", SetIntersects},
});

#undef CAPSTAN_CEL_COMPARABLE_ROWS
#undef CAPSTAN_CEL_SAME
#undef CAPSTAN_CEL_BOOL

}  // namespace

std::span<const OverloadRow> ListRows() { return kListRows; }

}  // namespace capstan::cel
