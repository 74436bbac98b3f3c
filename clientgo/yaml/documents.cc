// SPDX-License-Identifier: Apache-2.0
#include "clientgo/yaml/documents.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "capstan/text.h"

namespace capstan::yaml {
namespace {

constexpr std::string_view kSeparator = "---";
constexpr std::string_view kSpaces = " \t\r\n\v\f";

void AppendUtf8(std::string& out, std::uint32_t code) {
  const auto byte = [&](std::uint32_t bits) { out += static_cast<char>(bits); };
  if (code < 0x80) {
    byte(code);
  } else if (code < 0x800) {
    byte(0xc0 | code >> 6);
    byte(0x80 | (code & 0x3f));
  } else if (code < 0x10000) {
    byte(0xe0 | code >> 12);
    byte(0x80 | (code >> 6 & 0x3f));
    byte(0x80 | (code & 0x3f));
  } else {
    byte(0xf0 | code >> 18);
    byte(0x80 | (code >> 12 & 0x3f));
    byte(0x80 | (code >> 6 & 0x3f));
    byte(0x80 | (code & 0x3f));
  }
}

bool IsFirstHalf(std::uint32_t unit) { return unit >= 0xd800 && unit < 0xdc00; }
bool IsSecondHalf(std::uint32_t unit) { return unit >= 0xdc00 && unit < 0xe000; }
std::uint32_t Join(std::uint32_t first, std::uint32_t second) {
  return 0x10000 + ((first - 0xd800) << 10U) + (second - 0xdc00);
}

// Half of a pair that stands alone becomes U+FFFD.
std::string FromUtf16(std::string_view text, bool big_endian) {
  const auto unit = [&](std::size_t at) -> std::uint32_t {
    const std::uint32_t first = static_cast<unsigned char>(text[at]);
    const std::uint32_t second = static_cast<unsigned char>(text[at + 1]);
    return big_endian ? first << 8U | second : second << 8U | first;
  };
  std::string out;
  for (std::size_t i = 2; i + 1 < text.size(); i += 2) {
    std::uint32_t code = unit(i);
    if (IsFirstHalf(code) && i + 3 < text.size() && IsSecondHalf(unit(i + 2))) {
      code = Join(code, unit(i + 2));
      i += 2;
    } else if (IsFirstHalf(code) || IsSecondHalf(code)) {
      code = 0xfffd;
    }
    AppendUtf8(out, code);
  }
  return out;
}

// Returns the size of the JSON value at the start of `text`: through the bracket that closes the
// first one. npos: it is not closed.
std::size_t JsonSize(std::string_view text) {
  int depth = 0;
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quoted) {
      if (c == '\\') ++i;
      if (c == '"') quoted = false;
    } else if (c == '"') {
      quoted = true;
    } else if (c == '{' || c == '[') {
      ++depth;
    } else if ((c == '}' || c == ']') && --depth == 0) {
      return i + 1;
    }
  }
  return std::string_view::npos;
}

// Adds the documents between two separators: JSON objects one after the other, or one document.
void AddDocuments(std::string_view text, int line, std::vector<Document>& documents) {
  for (;;) {
    const std::size_t start = text.find_first_not_of(kSpaces);
    if (start == std::string_view::npos) return;
    const bool json = text[start] == '{';
    const std::size_t size = json ? JsonSize(text.substr(start)) : std::string_view::npos;
    const std::size_t next = size == std::string_view::npos
                                 ? std::string_view::npos
                                 : text.find_first_not_of(kSpaces, start + size);
    if (next == std::string_view::npos || text[next] != '{') {
      documents.push_back({.text = text, .line = line, .json = json});
      return;
    }
    documents.push_back({.text = text.substr(0, start + size), .line = line, .json = true});
    line += LinesIn(text.substr(0, start + size));
    text.remove_prefix(start + size);
  }
}

// Returns the code unit of "\u1234" at the start of `text`, or -1.
int EscapedUnit(std::string_view text) {
  if (text.size() < 6 || !text.starts_with("\\u")) return -1;
  int unit = 0;
  for (const char c : text.substr(2, 4)) {
    const int digit = HexDigit(c);
    if (digit < 0) return -1;
    unit = unit * 16 + digit;
  }
  return unit;
}

// Returns the escape of the character at the start of `text` if YAML forbids the character or reads
// a line break, and its size. Returns "" for other characters.
std::string_view EscapeOf(std::string_view text, std::size_t& size) {
  constexpr std::pair<std::string_view, std::string_view> kEscapes[] = {
      {"\x7f", "\\x7f"},
      {"\xc2\x85", "\\N"},
      {"\xe2\x80\xa8", "\\L"},
      {"\xe2\x80\xa9", "\\P"},
      {"\xef\xbf\xbe", "\\ufffe"},
      {"\xef\xbf\xbf", "\\uffff"},
      {"\\/", "/"},
  };
  for (const auto& [character, escape] : kEscapes) {
    if (!text.starts_with(character)) continue;
    size = character.size();
    return escape;
  }
  return {};
}

}  // namespace

int LinesIn(std::string_view text) {
  return static_cast<int>(std::count(text.begin(), text.end(), '\n'));
}

std::string ToUtf8(std::string_view text) {
  if (text.starts_with("\xff\xfe")) return FromUtf16(text, false);
  if (text.starts_with("\xfe\xff")) return FromUtf16(text, true);
  // Each file of a concatenation may begin with the mark.
  std::string out;
  while (!text.empty()) {
    if (text.starts_with(kMark)) text.remove_prefix(kMark.size());
    const std::size_t end = std::min(text.find('\n'), text.size() - 1);
    out += text.substr(0, end + 1);
    text.remove_prefix(end + 1);
  }
  return out;
}

std::string JsonAsYaml(std::string_view json) {
  std::string out;
  while (!json.empty()) {
    std::size_t size = json.front() == '\\' ? std::min<std::size_t>(2, json.size()) : 1;
    const auto first = static_cast<std::uint32_t>(EscapedUnit(json));
    const bool half = IsFirstHalf(first) || IsSecondHalf(first);
    if (half) {
      const auto second = static_cast<std::uint32_t>(EscapedUnit(json.substr(6)));
      const bool pair = IsFirstHalf(first) && IsSecondHalf(second);
      AppendUtf8(out, pair ? Join(first, second) : 0xfffd);
      size = pair ? 12 : 6;
    } else if (const std::string_view escape = EscapeOf(json, size); !escape.empty()) {
      out += escape;
    } else {
      out += json.substr(0, size);
    }
    json.remove_prefix(size);
  }
  return out;
}

Expected<std::vector<Document>> SplitDocuments(std::string_view utf8, const std::string& name) {
  std::vector<Document> documents;
  std::size_t start = 0;
  int start_line = 1;
  int line = 1;
  for (std::size_t at = 0; at < utf8.size(); ++line) {
    const std::size_t end = std::min(utf8.find('\n', at), utf8.size());
    std::string_view text = utf8.substr(at, end - at);
    if (text.starts_with(kSeparator)) {
      text = Trim(text.substr(kSeparator.size()), kSpaces);
      if (!text.empty() && text.front() != '#') {
        return Err(ErrorReason::kInvalidArgument,
                   name + ":" + std::to_string(line) +
                       ": invalid YAML: only a comment may follow --- on its line");
      }
      AddDocuments(utf8.substr(start, at - start), start_line, documents);
      start = std::min(end + 1, utf8.size());
      start_line = line + 1;
    }
    at = end + 1;
  }
  AddDocuments(utf8.substr(start), start_line, documents);
  return documents;
}

}  // namespace capstan::yaml
