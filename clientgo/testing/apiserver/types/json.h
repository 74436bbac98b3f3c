// SPDX-License-Identifier: Apache-2.0
// Json is the text of one JSON value. The server writes its documents with it:
//
//   Json scale = {{"kind", "Scale"}, {"spec", {{"replicas", 3}, {"paused", OmitEmpty(text)}}}};
//   exchange->Respond(200, "application/json", scale.text());
//
// Members keep their order. A Json without text is a member that its object omits. The texts of
// strings must be UTF-8.
#pragma once

#include <concepts>
#include <cstddef>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "clientgo/runtime/json.h"

namespace capstan::testing::apiserver {

class Json {
 public:
  struct Member;

  Json() = default;
  Json(std::string_view text);
  Json(const char* text) : Json(std::string_view(text)) {}
  Json(const std::string& text) : Json(std::string_view(text)) {}
  Json(std::same_as<bool> auto value) : text_(value ? "true" : "false") {}
  template <std::integral T>
  requires(!std::same_as<T, bool>) Json(T number) : text_(std::to_string(number)) {}
  Json(std::nullptr_t) : text_("null") {}
  Json(const runtime::JsonValue& value);
  template <class T>
  Json(const std::optional<T>& value) : Json(value ? Json(*value) : Json()) {}
  Json(std::initializer_list<Member> members);
  // Returns a value whose text is JSON already.
  static Json Raw(std::string json);
  static Json Object() { return Raw("{}"); }
  // Returns a list of the items, which convert to Json.
  template <class Range>
  static Json List(const Range& items);
  static Json List(std::initializer_list<Json> items) {
    return List<std::initializer_list<Json>>(items);
  }

  // Adds a member. REQUIRES: this is an object, or has no text.
  void Add(std::string_view key, const Json& value);
  // Adds the members of an object, which is JSON.
  void AddMembers(std::string_view object);

  const std::string& text() const { return text_; }
  bool operator==(const Json& other) const = default;

 private:
  void Open();  // so that a member and the last brace can follow

  std::string text_;
};

struct Json::Member {
  std::string_view key;
  Json value;
};

template <class Range>
Json Json::List(const Range& items) {
  std::string text;
  for (const auto& item : items) text.append(text.empty() ? "" : ",").append(Json(item).text_);
  return Raw("[" + std::move(text) + "]");
}

// Return no text for an empty text or list, as Go's encoder does with omitempty.
inline Json OmitEmpty(std::string_view text) { return text.empty() ? Json() : Json(text); }
template <class Range>
Json OmitEmptyList(const Range& items) {
  return items.empty() ? Json() : Json::List(items);
}

}  // namespace capstan::testing::apiserver
