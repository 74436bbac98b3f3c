// SPDX-License-Identifier: Apache-2.0
#include "clientgo/cel/utf8.h"

#include <cstddef>

#include "capstan/text.h"

namespace capstan::cel {
namespace {

constexpr std::uint32_t kReplacement = 0xfffd;

std::uint32_t DecodeSequence(const char* p, std::size_t length) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(p[i]); };
  if (length == 1) return byte(0);
  std::uint32_t character = byte(0) & (0x7fU >> length);
  for (std::size_t i = 1; i < length; ++i) character = character << 6U | (byte(i) & 0x3fU);
  return character;
}

}  // namespace

void AppendUtf8(std::uint32_t character, std::string& text) {
  if (character > 0x10ffff || (character >= 0xd800 && character < 0xe000)) character = kReplacement;
  const auto add = [&](std::uint32_t byte) { text += static_cast<char>(byte); };
  if (character < 0x80) return add(character);
  if (character < 0x800) {
    add(0xc0U | character >> 6U);
  } else {
    if (character < 0x10000) {
      add(0xe0U | character >> 12U);
    } else {
      add(0xf0U | character >> 18U);
      add(0x80U | (character >> 12U & 0x3fU));
    }
    add(0x80U | (character >> 6U & 0x3fU));
  }
  add(0x80U | (character & 0x3fU));
}

std::u32string ToCharacters(std::string_view text) {
  std::u32string characters;
  const char* p = text.data();
  const char* const end = p + text.size();
  while (p != end) {
    const std::size_t length = Utf8SequenceLength(p, end);
    characters += static_cast<char32_t>(length == 0 ? kReplacement : DecodeSequence(p, length));
    p += length == 0 ? 1 : length;
  }
  return characters;
}

std::string FromCharacters(std::u32string_view characters) {
  std::string text;
  for (const char32_t character : characters) AppendUtf8(character, text);
  return text;
}

bool IsUtf8(std::string_view text) {
  const char* p = text.data();
  const char* const end = p + text.size();
  while (p != end) {
    const std::size_t length = Utf8SequenceLength(p, end);
    if (length == 0) return false;
    p += length;
  }
  return true;
}

}  // namespace capstan::cel
