// SPDX-License-Identifier: Apache-2.0
// IntOrString is a port number or a name, or a number or a percentage. RawJson is a JSON value that
// a program passes on without reading it. Plain values.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <variant>

#include "capstan/export.h"

namespace capstan {

// Mirrors intstr.IntOrString.
class CAPSTAN_EXPORT IntOrString {
 public:
  IntOrString() = default;  // the number 0
  IntOrString(std::int32_t number) : value_(number) {}
  IntOrString(std::string text) : value_(std::move(text)) {}
  IntOrString(const char* text) : value_(std::string(text)) {}

  bool IsInt() const { return value_.index() == 0; }
  // Returns 0 for a text.
  std::int32_t number() const { return IsInt() ? *std::get_if<std::int32_t>(&value_) : 0; }
  // Returns the text, or the number in decimal digits.
  std::string String() const {
    return IsInt() ? std::to_string(number()) : *std::get_if<std::string>(&value_);
  }
  // Returns nullptr for a number.
  const std::string* text() const { return std::get_if<std::string>(&value_); }
  friend bool operator==(const IntOrString&, const IntOrString&) = default;

 private:
  std::variant<std::int32_t, std::string> value_ = 0;
};

// Mirrors runtime.RawExtension.
struct CAPSTAN_EXPORT RawJson {
  std::string text = {};  // one JSON value; empty: the field is missing
  friend bool operator==(const RawJson&, const RawJson&) = default;
};

}  // namespace capstan
