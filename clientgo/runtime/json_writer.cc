// SPDX-License-Identifier: Apache-2.0
#include "capstan/runtime/json_writer.h"

#include <array>
#include <charconv>
#include <cmath>

namespace capstan::runtime {
namespace {

constexpr std::string_view kUpperHexDigits = "0123456789ABCDEF";

// What each byte becomes in a string: itself (0), a short escape, or \u00XX ('u').
constexpr auto kEscapes = [] {
  std::array<char, 256> escapes{};
  for (std::size_t c = 0; c < 0x20; ++c) escapes[c] = 'u';
  escapes['\b'] = 'b';
  escapes['\t'] = 't';
  escapes['\n'] = 'n';
  escapes['\f'] = 'f';
  escapes['\r'] = 'r';
  escapes['"'] = '"';
  escapes['\\'] = '\\';
  return escapes;
}();

template <class Number>
void AppendNumber(std::string& text, Number number) {
  std::array<char, 32> digits;
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), number).ptr;
  text.append(digits.data(), end);
}

}  // namespace

void JsonWriter::Key(std::string_view key) {
  BeginValue();
  Quote(key);
  text_ += ':';
  needs_comma_ = false;
}

void JsonWriter::String(std::string_view text) {
  BeginValue();
  Quote(text);
}

void JsonWriter::Int64(std::int64_t number) {
  BeginValue();
  AppendNumber(text_, number);
}

void JsonWriter::Uint64(std::uint64_t number) {
  BeginValue();
  AppendNumber(text_, number);
}

void JsonWriter::Double(double number) {
  if (!std::isfinite(number)) return Null();
  BeginValue();
  AppendNumber(text_, number);
}

void JsonWriter::RawValue(std::string_view json) {
  BeginValue();
  text_ += json;
}

void JsonWriter::Open(char bracket) {
  BeginValue();
  text_ += bracket;
  needs_comma_ = false;
}

void JsonWriter::Close(char bracket) {
  text_ += bracket;
  needs_comma_ = true;
}

void JsonWriter::BeginValue() {
  if (needs_comma_) text_ += ',';
  needs_comma_ = true;
}

void JsonWriter::Quote(std::string_view text) {
  text_ += '"';
  std::size_t plain = 0;  // where the bytes begin that are not written yet
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    const char escape = kEscapes[byte];
    if (escape == 0) continue;
    text_.append(text, plain, i - plain);
    plain = i + 1;
    text_ += '\\';
    text_ += escape;
    if (escape == 'u') {
      text_ += "00";
      text_ += kUpperHexDigits[byte >> 4U];
      text_ += kUpperHexDigits[byte & 15U];
    }
  }
  text_.append(text, plain);
  text_ += '"';
}

void WriteField(JsonWriter& writer, std::string_view key, std::string_view value) {
  if (value.empty()) return;
  writer.Key(key);
  writer.String(value);
}

}  // namespace capstan::runtime
