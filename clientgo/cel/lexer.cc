// SPDX-License-Identifier: Apache-2.0
#include "clientgo/cel/lexer.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>

#include "capstan/text.h"
#include "clientgo/cel/utf8.h"

namespace capstan::cel {
namespace {

constexpr std::array<std::string_view, 24> kSymbols = {
    "==", "!=", "<=", ">=", "&&", "||", "<", ">", "[", "]", "{", "}",
    "(",  ")",  ".",  ",",  "-",  "!",  "?", ":", "+", "*", "/", "%"};

bool IsWordStart(char c) { return IsAsciiLetter(c) || c == '_'; }
bool IsWordByte(char c) { return IsAsciiAlphanumeric(c) || c == '_'; }

// Returns the number of bytes at the start of `text` for which `is` holds.
template <class Is>
std::size_t Span(std::string_view text, const Is& is) {
  return static_cast<std::size_t>(std::find_if_not(text.begin(), text.end(), is) - text.begin());
}

std::size_t Digits(std::string_view text) { return Span(text, IsAsciiDigit); }

std::size_t Exponent(std::string_view text) {
  if (text.empty() || (text[0] != 'e' && text[0] != 'E')) return 0;
  const std::size_t sign = text.size() > 1 && (text[1] == '+' || text[1] == '-') ? 2 : 1;
  const std::size_t digits = Digits(text.substr(sign));
  return digits == 0 ? 0 : sign + digits;
}

// Returns the length of an escape sequence; 0: it is none.
std::size_t EscapeLength(std::string_view text) {
  if (text.size() < 2) return 0;
  const char c = text[1];
  const auto hex = [&](std::size_t digits) {
    if (text.size() < 2 + digits) return std::size_t{0};
    const bool all = std::all_of(text.begin() + 2, text.begin() + 2 + static_cast<int>(digits),
                                 [](char d) { return HexDigit(d) >= 0; });
    return all ? 2 + digits : 0;
  };
  if (c == 'x' || c == 'X') return hex(2);
  if (c == 'u') return hex(4);
  if (c == 'U') return hex(8);
  if (c >= '0' && c <= '3') {
    const auto octal = [&](std::size_t i) {
      return i < text.size() && text[i] >= '0' && text[i] <= '7';
    };
    return octal(2) && octal(3) ? 4 : 0;
  }
  return std::string_view("abfnrtv\"'\\?`").find(c) != std::string_view::npos ? 2 : 0;
}

// Returns the length of a string literal that begins at its quote; 0: it is none.
std::size_t QuotedLength(std::string_view text, bool raw) {
  if (text.empty() || (text[0] != '"' && text[0] != '\'')) return 0;
  const std::string triple(3, text[0]);
  const bool long_form = text.starts_with(triple);
  std::size_t at = long_form ? 3 : 1;
  while (at < text.size()) {
    if (long_form ? text.substr(at).starts_with(triple) : text[at] == text[0]) {
      return at + (long_form ? 3 : 1);
    }
    if (!long_form && (text[at] == '\n' || text[at] == '\r')) break;
    if (!raw && text[at] == '\\') {
      const std::size_t escape = EscapeLength(text.substr(at));
      if (escape == 0) return 0;
      at += escape;
    } else {
      ++at;
    }
  }
  // """ without an end begins with the empty string.
  return long_form ? 2 : 0;
}

struct Scanned {
  TokenKind kind;
  std::size_t length;
};

std::optional<Scanned> ScanQuoted(std::string_view text) {
  std::size_t prefix = 0;
  bool bytes = false;
  bool raw = false;
  if (!text.empty() && (text[0] == 'b' || text[0] == 'B')) {
    bytes = true;
    prefix = 1;
  }
  if (prefix < text.size() && (text[prefix] == 'r' || text[prefix] == 'R')) {
    raw = true;
    ++prefix;
  }
  const std::size_t length = QuotedLength(text.substr(prefix), raw);
  if (length == 0) return std::nullopt;
  return Scanned{bytes ? TokenKind::kBytes : TokenKind::kString, prefix + length};
}

std::optional<Scanned> ScanNumber(std::string_view text) {
  const auto with_suffix = [&](std::size_t length) {
    const bool is_unsigned = length < text.size() && (text[length] == 'u' || text[length] == 'U');
    return Scanned{is_unsigned ? TokenKind::kUint : TokenKind::kInt,
                   length + (is_unsigned ? 1 : 0)};
  };
  if (text.starts_with("0x")) {
    const std::size_t digits = Span(text.substr(2), [](char c) { return HexDigit(c) >= 0; });
    if (digits > 0) return with_suffix(2 + digits);
  }
  const std::size_t whole = Digits(text);
  std::size_t length = whole;
  if (length < text.size() && text[length] == '.') {
    const std::size_t fraction = Digits(text.substr(length + 1));
    if (fraction > 0) length += 1 + fraction;
  }
  if (length == 0) return std::nullopt;
  const std::size_t exponent = Exponent(text.substr(length));
  if (length > whole || exponent > 0) return Scanned{TokenKind::kDouble, length + exponent};
  return with_suffix(whole);
}

std::optional<Scanned> ScanWord(std::string_view text) {
  if (text.empty()) return std::nullopt;
  if (text[0] == '`') {
    const std::size_t inner = Span(text.substr(1), [](char c) {
      return IsWordByte(c) || c == '.' || c == '-' || c == '/' || c == ' ';
    });
    if (inner == 0 || inner + 1 >= text.size() || text[inner + 1] != '`') return std::nullopt;
    return Scanned{TokenKind::kEscapedIdentifier, inner + 2};
  }
  if (!IsWordStart(text[0])) return std::nullopt;
  const std::string_view word = text.substr(0, Span(text, IsWordByte));
  const bool symbol = word == "in" || word == "true" || word == "false" || word == "null";
  return Scanned{symbol ? TokenKind::kSymbol : TokenKind::kIdentifier, word.size()};
}

std::optional<Scanned> ScanToken(std::string_view text) {
  for (const auto scan : {ScanQuoted, ScanNumber, ScanWord}) {
    if (const auto found = scan(text)) return found;
  }
  const auto* const symbol = std::find_if(kSymbols.begin(), kSymbols.end(),
                                          [&](auto each) { return text.starts_with(each); });
  if (symbol == kSymbols.end()) return std::nullopt;
  return Scanned{TokenKind::kSymbol, symbol->size()};
}

// Moves a location behind some text.
void Advance(Location& location, std::string_view text) {
  for (const char c : text) {
    if (c == '\n') {
      ++location.line;
      location.column = 0;
    } else if ((static_cast<unsigned char>(c) & 0xc0U) != 0x80U) {
      ++location.column;
    }
  }
}

// Returns the length of white space and comments.
std::size_t SkipLength(std::string_view text) {
  std::size_t at = 0;
  while (at < text.size()) {
    if (std::string_view("\t \r\n\f").find(text[at]) != std::string_view::npos) {
      ++at;
    } else if (text.substr(at).starts_with("//")) {
      at = std::min(text.find('\n', at), text.size());
    } else {
      break;
    }
  }
  return at;
}

std::uint32_t HexNumber(std::string_view digits) {
  std::uint32_t number = 0;
  for (const char c : digits) number = number * 16 + static_cast<std::uint32_t>(HexDigit(c));
  return number;
}

char SimpleEscape(char c) {
  constexpr std::string_view kNames = "abfnrtv";
  constexpr std::string_view kBytes = "\a\b\f\n\r\t\v";
  const std::size_t at = kNames.find(c);
  return at == std::string_view::npos ? c : kBytes[at];
}

// Adds what an escape sequence means. Returns whether it is allowed.
bool AddEscape(std::string_view escape, bool bytes, std::string& out) {
  const char c = escape[1];
  if (c == 'u' || c == 'U') {
    const std::uint32_t character = HexNumber(escape.substr(2));
    if (bytes || character > 0x10ffff || (character >= 0xd800 && character < 0xe000)) return false;
    AppendUtf8(character, out);
  } else if (c == 'x' || c == 'X' || (c >= '0' && c <= '3')) {
    std::uint32_t byte = 0;
    if (c == 'x' || c == 'X') {
      byte = HexNumber(escape.substr(2));
    } else {
      for (const char digit : escape.substr(1))
        byte = byte * 8 + static_cast<std::uint32_t>(digit - '0');
    }
    if (bytes) {
      out += static_cast<char>(byte);
    } else {
      AppendUtf8(byte, out);
    }
  } else {
    out += SimpleEscape(c);
  }
  return true;
}

}  // namespace

std::vector<Token> Tokenize(std::string_view expression, std::vector<Issue>& issues) {
  std::vector<Token> tokens;
  Location location;
  std::string_view rest = expression;
  const auto take = [&](std::size_t length) {
    Advance(location, rest.substr(0, length));
    rest.remove_prefix(length);
  };
  while (true) {
    take(SkipLength(rest));
    if (rest.empty()) break;
    if (const auto found = ScanToken(rest)) {
      tokens.push_back({found->kind, rest.substr(0, found->length), location});
      take(found->length);
      continue;
    }
    const std::size_t bytes =
        std::max<std::size_t>(Utf8SequenceLength(rest.data(), rest.data() + rest.size()), 1);
    issues.push_back({location, "Syntax error: token recognition error at: '" +
                                    std::string(rest.substr(0, bytes)) + "'"});
    take(bytes);
  }
  tokens.push_back({TokenKind::kEnd, "<EOF>", location});
  return tokens;
}

Value Unquote(std::string_view literal, bool bytes) {
  if (bytes) literal.remove_prefix(1);
  const bool raw = literal[0] == 'r' || literal[0] == 'R';
  if (raw) literal.remove_prefix(1);
  const std::size_t quotes =
      literal.size() >= 6 && literal.starts_with(std::string(3, literal[0])) ? 3 : 1;
  literal = literal.substr(quotes, literal.size() - 2 * quotes);
  std::string out;
  while (!literal.empty()) {
    std::size_t length = 1;
    if (literal[0] == '\\' && !raw) {
      length = EscapeLength(literal);
      if (!AddEscape(literal.substr(0, length), bytes, out)) {
        return Value::Failure("unable to unescape string");
      }
    } else if (literal[0] == '\r') {
      // A line ends with \n alone.
      out += '\n';
      if (literal.starts_with("\r\n")) length = 2;
    } else {
      out += literal[0];
    }
    literal.remove_prefix(length);
  }
  return bytes ? Value::FromBytes(std::move(out)) : Value::String(std::move(out));
}

}  // namespace capstan::cel
