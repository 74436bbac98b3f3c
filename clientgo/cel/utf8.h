// SPDX-License-Identifier: Apache-2.0
// Texts as lists of characters, because CEL's functions count characters. Mirrors Go's []rune: a
// byte that is not UTF-8 is one character, U+FFFD.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace capstan::cel {

// Adds the character in UTF-8; U+FFFD instead of what is no character.
void AppendUtf8(std::uint32_t character, std::string& text);
std::u32string ToCharacters(std::string_view text);
std::string FromCharacters(std::u32string_view characters);
// Reports whether the text is valid UTF-8.
bool IsUtf8(std::string_view text);

}  // namespace capstan::cel
