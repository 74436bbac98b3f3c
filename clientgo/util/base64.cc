// SPDX-License-Identifier: Apache-2.0
#include "capstan/base64.h"

#include <array>
#include <cstddef>
#include <cstdint>

namespace capstan {
namespace {

constexpr std::string_view kAlphabet =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr std::uint8_t kInvalid = 0xff;

constexpr std::array<std::uint8_t, 256> MakeValues() {
  std::array<std::uint8_t, 256> values{};
  for (auto& value : values) value = kInvalid;
  for (std::size_t i = 0; i < kAlphabet.size(); ++i) {
    values[static_cast<unsigned char>(kAlphabet[i])] = static_cast<std::uint8_t>(i);
  }
  return values;
}
constexpr std::array<std::uint8_t, 256> kValues = MakeValues();

constexpr std::uint32_t Byte(char c) { return static_cast<unsigned char>(c); }

}  // namespace

std::string Base64Encode(std::string_view bytes) {
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const std::size_t have = bytes.size() - i;
    const std::uint32_t group = Byte(bytes[i]) << 16U | (have > 1 ? Byte(bytes[i + 1]) << 8U : 0U) |
                                (have > 2 ? Byte(bytes[i + 2]) : 0U);
    text += kAlphabet[group >> 18U];
    text += kAlphabet[group >> 12U & 63U];
    text += have > 1 ? kAlphabet[group >> 6U & 63U] : '=';
    text += have > 2 ? kAlphabet[group & 63U] : '=';
  }
  return text;
}

std::optional<std::string> Base64Decode(std::string_view text) {
  std::string bytes;
  bytes.reserve(text.size() / 4 * 3);
  std::uint32_t bits = 0;      // read and not yet written, in the low end
  std::size_t characters = 0;  // read from the group of four, including padding
  bool padded = false;
  for (const char c : text) {
    if (c == '\n' || c == '\r') continue;
    characters = characters % 4 + 1;
    if (c == '=') {
      if (characters < 3) return std::nullopt;
      padded = true;
      continue;
    }
    const std::uint8_t value = kValues[static_cast<unsigned char>(c)];
    if (value == kInvalid || padded) return std::nullopt;
    bits = bits << 6U | value;
    if (characters > 1) {  // The 2nd, 3rd and 4th character each complete a byte.
      const std::size_t left = (4 - characters) * 2;
      bytes += static_cast<char>(bits >> left & 0xffU);
      bits &= (1U << left) - 1U;
    }
  }
  if (characters % 4 != 0) return std::nullopt;
  return bytes;
}

}  // namespace capstan
