// SPDX-License-Identifier: Apache-2.0
// The functions of strings. Mirrors version 2 of cel-go's ext/strings.go. Positions count
// characters.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <limits>
#include <string>
#include <vector>

#include "clientgo/cel/functions.h"
#include "clientgo/cel/utf8.h"

namespace capstan::cel {
namespace {

const std::string& TextAt(Arguments args, std::size_t index) {
  return *args[index].Get<std::string>();
}
std::int64_t IntAt(Arguments args, std::size_t index) { return *args[index].Get<std::int64_t>(); }
std::u32string CharactersAt(Arguments args, std::size_t index) {
  return ToCharacters(TextAt(args, index));
}

Value OutOfRange(std::int64_t index) {
  return Value::Failure("index out of range: " + std::to_string(index));
}

Value CharAt(Arguments args) {
  const std::u32string text = CharactersAt(args, 0);
  const std::int64_t index = IntAt(args, 1);
  if (index < 0 || static_cast<std::size_t>(index) > text.size()) return OutOfRange(index);
  return Value::String(FromCharacters(text.substr(static_cast<std::size_t>(index), 1)));
}

Value IndexOfText(Arguments args) {
  const std::int64_t offset = args.size() == 3 ? IntAt(args, 2) : 0;
  const std::u32string text = CharactersAt(args, 0);
  const std::u32string part = CharactersAt(args, 1);
  if (offset < 0) return OutOfRange(offset);
  if (part.empty()) return Value::Int(std::min(offset, static_cast<std::int64_t>(text.size())));
  if (static_cast<std::size_t>(offset) >= text.size()) return Value::Int(-1);
  const std::size_t found = text.find(part, static_cast<std::size_t>(offset));
  return Value::Int(found == std::u32string::npos ? -1 : static_cast<std::int64_t>(found));
}

Value LastIndexOfText(Arguments args) {
  const std::u32string text = CharactersAt(args, 0);
  const std::u32string part = CharactersAt(args, 1);
  const auto size = static_cast<std::int64_t>(text.size());
  if (args.size() == 3 && IntAt(args, 2) < 0) return OutOfRange(IntAt(args, 2));
  // The empty text is at each position, and at the end.
  if (part.empty()) return Value::Int(args.size() == 3 ? std::min(IntAt(args, 2), size) : size);
  if (args.size() == 2 && TextAt(args, 0).size() < TextAt(args, 1).size()) return Value::Int(-1);
  const std::int64_t offset = args.size() == 3 ? IntAt(args, 2) : size - 1;
  if (offset < 0) return OutOfRange(offset);
  if (offset >= size || part.size() > text.size()) return Value::Int(-1);
  const std::size_t found = text.rfind(part, static_cast<std::size_t>(offset));
  return Value::Int(found == std::u32string::npos ? -1 : static_cast<std::int64_t>(found));
}

// Changes the ASCII letters between two letters by a distance.
std::string ShiftLetters(std::string text, char first, char last, int distance) {
  for (char& c : text) {
    if (c >= first && c <= last) c = static_cast<char>(c + distance);
  }
  return text;
}
Value ToLowerAscii(Arguments args) {
  return Value::String(ShiftLetters(TextAt(args, 0), 'A', 'Z', 'a' - 'A'));
}
Value ToUpperAscii(Arguments args) {
  return Value::String(ShiftLetters(TextAt(args, 0), 'a', 'z', 'A' - 'a'));
}

// The most parts; less than 0: there is no limit.
std::size_t CountMax(std::int64_t count) {
  return count < 0 ? std::numeric_limits<std::size_t>::max() : static_cast<std::size_t>(count);
}

Value ReplaceText(Arguments args) {
  const std::string& text = TextAt(args, 0);
  const std::string& old = TextAt(args, 1);
  const std::string& replacement = TextAt(args, 2);
  std::size_t left = CountMax(args.size() == 4 ? IntAt(args, 3) : -1);
  std::string out;
  std::size_t at = 0;
  if (old.empty()) {
    // The empty text is before each character, and at the end.
    for (const char32_t character : ToCharacters(text)) {
      if (left > 0) out += replacement;
      if (left > 0) --left;
      AppendUtf8(character, out);
    }
    return Value::String(left > 0 ? out + replacement : out);
  }
  for (; left > 0; --left) {
    const std::size_t found = text.find(old, at);
    if (found == std::string::npos) break;
    out.append(text, at, found - at).append(replacement);
    at = found + old.size();
  }
  return Value::String(out.append(text, at));
}

Value SplitText(Arguments args) {
  const std::string& text = TextAt(args, 0);
  const std::string& separator = TextAt(args, 1);
  const std::size_t count_max = CountMax(args.size() == 3 ? IntAt(args, 2) : -1);
  std::vector<std::string> parts;
  if (count_max == 0) return NewStringList({});
  if (separator.empty()) {
    const std::u32string characters = ToCharacters(text);
    for (std::size_t i = 0; i < characters.size(); ++i) {
      const bool last = parts.size() + 1 == count_max;
      parts.push_back(FromCharacters(
          std::u32string_view(characters).substr(i, last ? std::u32string::npos : 1)));
      if (last) break;
    }
    return NewStringList(std::move(parts));
  }
  std::size_t at = 0;
  while (parts.size() + 1 < count_max) {
    const std::size_t found = text.find(separator, at);
    if (found == std::string::npos) break;
    parts.push_back(text.substr(at, found - at));
    at = found + separator.size();
  }
  parts.push_back(text.substr(at));
  return NewStringList(std::move(parts));
}

Value Substring(Arguments args) {
  const std::u32string text = CharactersAt(args, 0);
  const auto size = static_cast<std::int64_t>(text.size());
  const std::int64_t start = IntAt(args, 1);
  const std::int64_t end = args.size() == 3 ? IntAt(args, 2) : size;
  if (args.size() == 3 && start > end) {
    return Value::Failure("invalid substring range. start: " + std::to_string(start) +
                          ", end: " + std::to_string(end));
  }
  if (start < 0 || start > size) return OutOfRange(start);
  if (end < 0 || end > size) return OutOfRange(end);
  return Value::String(FromCharacters(
      text.substr(static_cast<std::size_t>(start), static_cast<std::size_t>(end - start))));
}

// What Go's package unicode calls white space.
bool IsSpace(char32_t character) {
  constexpr char32_t kSpaces[] = {' ', 0x85, 0xa0, 0x1680, 0x2028, 0x2029, 0x202f, 0x205f, 0x3000};
  return (character >= '\t' && character <= '\r') || (character >= 0x2000 && character <= 0x200a) ||
         std::find(std::begin(kSpaces), std::end(kSpaces), character) != std::end(kSpaces);
}

Value TrimText(Arguments args) {
  const std::u32string text = CharactersAt(args, 0);
  const auto begin = std::find_if_not(text.begin(), text.end(), IsSpace);
  const auto end =
      std::find_if_not(text.rbegin(), std::make_reverse_iterator(begin), IsSpace).base();
  return Value::String(FromCharacters(std::u32string(begin, end)));
}

Value JoinTexts(Arguments args) {
  const List& list = *args[0].list();
  const std::string separator = args.size() == 2 ? TextAt(args, 1) : "";
  std::string joined;
  for (std::size_t i = 0; i < list.size(); ++i) {
    const Value element = list.At(i);
    const auto* const text = element.Get<std::string>();
    if (text == nullptr) return Value::Failure("join: invalid input: " + KeyText(element));
    if (i > 0) joined += separator;
    joined += *text;
  }
  return Value::String(std::move(joined));
}

Value QuoteText(Arguments args) {
  constexpr std::string_view kEscaped = "\a\b\f\n\r\t\v\\\"";
  constexpr std::string_view kNames = "abfnrtv\\\"";
  std::string quoted = "\"";
  for (const char c : FromCharacters(CharactersAt(args, 0))) {
    const std::size_t at = kEscaped.find(c);
    if (at == std::string_view::npos) {
      quoted += c;
    } else {
      quoted += '\\';
      quoted += kNames[at];
    }
  }
  return Value::String(quoted + "\"");
}

constexpr std::array kStringRows = std::to_array<OverloadRow>({
    {"charAt", ". string, int -> string", CharAt},
    {"indexOf", ". string, string -> int", IndexOfText},
    {"indexOf", ". string, string, int -> int", IndexOfText},
    {"lastIndexOf", ". string, string -> int", LastIndexOfText},
    {"lastIndexOf", ". string, string, int -> int", LastIndexOfText},
    {"lowerAscii", ". string -> string", ToLowerAscii},
    {"replace", ". string, string, string -> string", ReplaceText},
    {"replace", ". string, string, string, int -> string", ReplaceText},
    {"split", ". string, string -> list(string)", SplitText},
    {"split", ". string, string, int -> list(string)", SplitText},
    {"substring", ". string, int -> string", Substring},
    {"substring", ". string, int, int -> string", Substring},
    {"trim", ". string -> string", TrimText},
    {"upperAscii", ". string -> string", ToUpperAscii},
    {"join", ". list(string) -> string", JoinTexts},
    {"join", ". list(string), string -> string", JoinTexts},
    {"strings.quote", "string -> string", QuoteText},
});

}  // namespace

std::span<const OverloadRow> StringRows() { return kStringRows; }

}  // namespace capstan::cel
