// SPDX-License-Identifier: Apache-2.0
#include "clientgo/cel/indexing.h"

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>

namespace capstan::cel {
namespace {

// Returns a number that can be an index; nullopt: it cannot.
std::optional<std::int64_t> ToIndex(const Value& key) {
  if (const auto* const number = key.Get<std::int64_t>()) return *number;
  if (const auto* const number = key.Get<std::uint64_t>()) {
    return *number > INT64_MAX ? std::nullopt : std::optional(static_cast<std::int64_t>(*number));
  }
  if (const auto* const number = key.Get<double>()) {
    constexpr double kRange = 9.0e18;
    if (std::abs(*number) < kRange && std::trunc(*number) == *number) {
      return static_cast<std::int64_t>(*number);
    }
  }
  return std::nullopt;
}

Value NoIndex(const Value& key) {
  const bool number = key.Is<double>() || key.Is<std::uint64_t>();
  return Value::Failure(number ? "unsupported index value in list"
                               : "unsupported index type '" + std::string(key.TypeName()) +
                                     "' in list");
}

// Returns nullopt if the index is outside the list.
std::optional<Value> FindElement(const List& list, std::int64_t index) {
  if (index < 0 || static_cast<std::size_t>(index) >= list.size()) return std::nullopt;
  return list.At(static_cast<std::size_t>(index));
}

Value ToOptional(std::optional<Value> value) {
  return value ? Value::Some(*std::move(value)) : Value::None();
}

}  // namespace

bool IsQualifier(const Value& key) {
  return key.Is<bool>() || key.Is<std::int64_t>() || key.Is<std::uint64_t>() || key.Is<double>() ||
         key.Is<std::string>();
}

Value GetIndex(const Value& container, const Value& key) {
  if (const List* const list = container.list()) {
    const auto index = ToIndex(key);
    if (!index) return NoIndex(key);
    auto element = FindElement(*list, *index);
    return element ? *std::move(element) : Value::Failure("index out of bounds: " + KeyText(key));
  }
  if (const Map* const map = container.map()) {
    if (auto value = map->Find(key)) return *std::move(value);
  }
  return Value::Failure("no such key: " + KeyText(key));
}

Value FindOptional(const Value& container, const Value& key) {
  if (const auto* const optional = container.Get<Optional>()) {
    return optional->value == nullptr ? container : FindOptional(*optional->value, key);
  }
  if (const List* const list = container.list()) {
    const auto index = ToIndex(key);
    return index ? ToOptional(FindElement(*list, *index)) : NoIndex(key);
  }
  if (const Map* const map = container.map()) {
    auto member = map->Find(key);
    return member && member->IsError() ? *std::move(member) : ToOptional(std::move(member));
  }
  return Value::None();
}

}  // namespace capstan::cel
