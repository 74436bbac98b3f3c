// SPDX-License-Identifier: Apache-2.0
#include "clientgo/cel/show_value.h"

#include <algorithm>
#include <cstddef>
#include <vector>

#include "capstan/text.h"
#include "clientgo/cel/number_text.h"
#include "clientgo/cel/timestamps.h"

namespace capstan::cel {
namespace {

std::string Hex(std::string_view bytes) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    text += kDigits[byte >> 4U];
    text += kDigits[byte & 0xfU];
  }
  return text;
}

std::string ShowMembers(const Map& map, const ErrorText& error_text) {
  std::vector<std::string> members;
  for (const Value& key : map.Keys()) {
    const auto value = map.Find(key);  // a null in an object is a key without a value
    if (key.IsNull() && value && value->IsError()) continue;
    members.push_back(ShowValue(key, error_text) + ": " +
                      (value ? ShowValue(*value, error_text) : "error: no such key"));
  }
  std::sort(members.begin(), members.end());
  return "{" + Join(members, ", ") + "}";
}

}  // namespace

std::string ShowValue(const Value& value, const ErrorText& error_text) {
  if (value.IsError()) {
    return "error: " + (error_text ? error_text(value.message()) : value.message());
  }
  if (value.IsNull()) return "null";
  if (const auto* const text = value.Get<std::string>()) return "\"" + *text + "\"";
  if (const auto* const bytes = value.Get<Bytes>()) return "b\"" + Hex(bytes->bytes) + "\"";
  if (value.Is<std::uint64_t>()) return *ScalarText(value) + "u";
  if (const auto* const number = value.Get<double>()) return "double(" + GoFloatText(*number) + ")";
  if (const auto* const time = value.Get<Timestamp>()) {
    const Timestamp utc{.seconds = time->seconds, .nanos = time->nanos};
    return "timestamp(" + TimestampText(utc) + ")";
  }
  if (value.Is<Duration>()) return "duration(" + *ScalarText(value) + ")";
  if (auto text = ScalarText(value)) return *std::move(text);
  if (const auto* const optional = value.Get<Optional>()) {
    return optional->value == nullptr ? "optional()"
                                      : "optional(" + ShowValue(*optional->value, error_text) + ")";
  }
  if (value.map() != nullptr) return ShowMembers(*value.map(), error_text);
  if (const List* const list = value.list()) {
    std::vector<std::string> elements;
    for (std::size_t i = 0; i < list->size(); ++i)
      elements.push_back(ShowValue(list->At(i), error_text));
    return "[" + Join(elements, ", ") + "]";
  }
  if (const Type* const type = value.Get<Type>()) {
    const bool named = !(*type)->name.empty();
    return "type(" + (named ? (*type)->name : std::string(RuntimeName((*type)->kind))) + ")";
  }
  return std::string(value.TypeName());
}

}  // namespace capstan::cel
