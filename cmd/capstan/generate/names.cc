// SPDX-License-Identifier: Apache-2.0
#include "cmd/capstan/generate/names.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstddef>
#include <cstdio>

#include "capstan/text.h"

namespace capstan::cmd::generate {
namespace {

constexpr std::size_t kColumns = 100;

bool IsControlButNewline(char c) { return static_cast<unsigned char>(c) < ' ' && c != '\n'; }

constexpr std::array kKeywords =
    std::to_array<std::string_view>({"alignas",       "alignof",     "and",
                                     "and_eq",        "asm",         "auto",
                                     "bitand",        "bitor",       "bool",
                                     "break",         "case",        "catch",
                                     "char",          "char16_t",    "char32_t",
                                     "char8_t",       "class",       "co_await",
                                     "co_return",     "co_yield",    "compl",
                                     "concept",       "const",       "const_cast",
                                     "consteval",     "constexpr",   "constinit",
                                     "continue",      "decltype",    "default",
                                     "delete",        "do",          "double",
                                     "dynamic_cast",  "else",        "enum",
                                     "explicit",      "export",      "extern",
                                     "false",         "float",       "for",
                                     "friend",        "goto",        "if",
                                     "inline",        "int",         "long",
                                     "mutable",       "namespace",   "new",
                                     "noexcept",      "not",         "not_eq",
                                     "nullptr",       "operator",    "or",
                                     "or_eq",         "private",     "protected",
                                     "public",        "register",    "reinterpret_cast",
                                     "requires",      "return",      "short",
                                     "signed",        "sizeof",      "static",
                                     "static_assert", "static_cast", "struct",
                                     "switch",        "template",    "this",
                                     "thread_local",  "throw",       "true",
                                     "try",           "typedef",     "typeid",
                                     "typename",      "union",       "unsigned",
                                     "using",         "virtual",     "void",
                                     "volatile",      "wchar_t",     "while",
                                     "xor",           "xor_eq"});

bool IsUpper(char c) { return c >= 'A' && c <= 'Z'; }
bool IsLower(char c) { return c >= 'a' && c <= 'z'; }
bool IsDigit(char c) { return c >= '0' && c <= '9'; }

char Lower(char c) { return IsUpper(c) ? static_cast<char>(c - 'A' + 'a') : c; }
char Upper(char c) { return IsLower(c) ? static_cast<char>(c - 'a' + 'A') : c; }

// Reports whether a word begins at `i`: "i|P|Ps" has one word, because a plural of capitals is one.
bool BeginsWord(std::string_view name, std::size_t i) {
  if (!IsUpper(name[i]) || i == 0) return false;
  if (!IsUpper(name[i - 1])) return true;
  const bool last_capital = i + 1 < name.size() && IsLower(name[i + 1]);
  const bool plural =
      i + 1 < name.size() && name[i + 1] == 's' && (i + 2 == name.size() || !IsLower(name[i + 2]));
  return last_capital && !plural;
}

std::string Snake(std::string_view name) {
  std::string snake;
  for (std::size_t i = 0; i < name.size(); ++i) {
    const char c = name[i];
    const bool is_part = IsUpper(c) || IsLower(c) || IsDigit(c);
    if ((!is_part || BeginsWord(name, i)) && !snake.empty() && snake.back() != '_') snake += '_';
    if (is_part) snake += Lower(c);
  }
  while (snake.ends_with('_')) snake.pop_back();
  if (snake.empty() || IsDigit(snake.front())) snake.insert(0, "x_");
  return snake;
}

std::string WithoutKeyword(std::string name) {
  if (std::find(kKeywords.begin(), kKeywords.end(), name) != kKeywords.end()) name += '_';
  return name;
}

void AppendEscaped(std::string& to, char c) {
  switch (c) {
    case '"':
      to += "\\\"";
      return;
    case '\\':
      to += "\\\\";
      return;
    case '\n':
      to += "\\n";
      return;
    default:
      break;
  }
  if (static_cast<unsigned char>(c) >= 0x20 && c != 0x7f) {
    to += c;
    return;
  }
  std::array<char, 5> octal{};
  std::snprintf(octal.data(), octal.size(), "\\%03o", static_cast<unsigned>(c) & 0xffU);
  to += octal.data();
}

}  // namespace

std::string MemberName(std::string_view json_name) { return WithoutKeyword(Snake(json_name)); }

std::string TypeName(std::string_view json_name) {
  std::string name;
  bool begins = true;
  for (const char c : json_name) {
    if (!IsUpper(c) && !IsLower(c) && !IsDigit(c)) {
      begins = true;
      continue;
    }
    name += begins ? Upper(c) : c;
    begins = false;
  }
  if (name.empty() || IsDigit(name.front())) name.insert(0, "X");
  return name;
}

std::string NamespaceName(std::string_view name) { return WithoutKeyword(Snake(name)); }

std::string Literal(std::string_view text) {
  std::string literal = "\"";
  std::size_t line = 0;
  for (const char c : text) {
    const std::size_t before = literal.size();
    AppendEscaped(literal, c);
    line += literal.size() - before;
    if (line > kColumns - 20 && (c == ' ' || c == ',' || c == '\n')) {
      literal += "\"\n    \"";
      line = 0;
    }
  }
  literal += '"';
  return literal;
}

std::vector<std::string> Comment(std::string_view text, std::string_view indent) {
  std::vector<std::string> lines;
  std::string line;
  const auto end_line = [&] {
    if (line.empty()) return;
    // A backslash at the end of a line would continue the comment.
    if (line.ends_with('\\')) line += '.';
    lines.push_back(std::string(indent) + "// " + line);
    line.clear();
  };
  std::string plain(text);
  // Some compilers end a line at a carriage return as well.
  std::replace_if(plain.begin(), plain.end(), IsControlButNewline, ' ');
  for (const std::string_view paragraph : Split(plain, '\n')) {
    for (const std::string_view word : Split(paragraph, ' ')) {
      if (word.empty()) continue;
      if (indent.size() + 3 + line.size() + 1 + word.size() > kColumns) end_line();
      if (!line.empty()) line += ' ';
      line += word;
    }
    end_line();
  }
  return lines;
}

}  // namespace capstan::cmd::generate
