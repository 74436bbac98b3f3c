// SPDX-License-Identifier: Apache-2.0
#include "clientgo/cel/format_string.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <optional>
#include <string>
#include <utility>

#include "capstan/text.h"
#include "clientgo/cel/functions.h"
#include "clientgo/cel/number_text.h"
#include "clientgo/cel/utf8.h"

namespace capstan::cel {
namespace {

constexpr int kPrecisionDefault = 6;
constexpr int kPrecisionMax = 1000;

// One clause of a format, and the text before it.
struct FormatClause {
  std::string before;
  char verb = 0;
  int precision = kPrecisionDefault;
};

struct ParsedFormat {
  std::vector<FormatClause> clauses;
  std::string rest;   // behind the last clause
  std::string error;  // of the clause behind the last one
};

// Reads ".3" at the start of the text, and removes it. Returns an error or "".
std::string TakePrecision(std::string_view& text, int& precision) {
  if (!text.starts_with('.')) return {};
  std::size_t end = 1;
  while (end < text.size() && IsAsciiDigit(text[end])) ++end;
  if (end == text.size()) {
    return "error while parsing precision: could not find end of precision specifier";
  }
  const auto [rest, error] = std::from_chars(text.data() + 1, text.data() + end, precision);
  if (error != std::errc() || rest == text.data() + 1 || precision > kPrecisionMax) {
    return "error while parsing precision: error while converting precision to integer";
  }
  text.remove_prefix(end);
  return {};
}

ParsedFormat ParseFormat(std::string_view format) {
  constexpr std::string_view kVerbs = "sdfebxXo";
  ParsedFormat parsed;
  while (!format.empty()) {
    if (format[0] != '%' || format.starts_with("%%")) {
      parsed.rest += format[0];
      format.remove_prefix(format[0] == '%' ? 2 : 1);
      continue;
    }
    format.remove_prefix(1);
    FormatClause clause{.before = std::exchange(parsed.rest, {})};
    parsed.error =
        format.empty() ? "unexpected end of string" : TakePrecision(format, clause.precision);
    const bool prefix = !parsed.error.empty() && !format.empty();
    if (parsed.error.empty() && kVerbs.find(format[0]) == std::string_view::npos) {
      parsed.error =
          std::string("could not parse formatting clause: unrecognized formatting clause \"") +
          format[0] + "\"";
    } else if (prefix) {
      parsed.error.insert(0, "could not parse formatting clause: ");
    }
    if (!parsed.error.empty()) return parsed;
    clause.verb = format[0];
    format.remove_prefix(1);
    parsed.clauses.push_back(std::move(clause));
  }
  return parsed;
}

// Returns why a verb cannot show a value of a type.
std::string WrongType(char verb, std::string_view type) {
  const auto why = [&]() -> std::string_view {
    switch (verb) {
      case 'b':
        return "only integers and bools can be formatted as binary";
      case 'd':
        return "decimal clause can only be used on integers";
      case 'f':
        return "fixed-point clause can only be used on doubles";
      case 'x':
      case 'X':
        return "only integers, byte buffers, and strings can be formatted as hex";
      case 'o':
        return "octal clause can only be used on integers";
      case 'e':
        return "scientific clause can only be used on doubles";
      default:
        return "string clause can only be used on strings, bools, bytes, ints, doubles, maps, "
               "lists, types, durations, and timestamps";
    }
  };
  return "error during formatting: " + std::string(why()) + ", was given " + std::string(type);
}

Value WrongValue(char verb, const Value& value) {
  return Value::Failure(WrongType(verb, value.TypeName()));
}

// Reports whether Go's strconv.Quote writes a character beyond ASCII as an escape sequence.
// Differs: characters that Unicode has not assigned are printed.
bool IsEscaped(std::uint32_t c) {
  constexpr std::array<std::pair<std::uint32_t, std::uint32_t>, 13> kRanges = {
      {{0x7f, 0xa0},
       {0xad, 0xad},
       {0x1680, 0x1680},
       {0x2000, 0x200f},
       {0x2028, 0x202f},
       {0x205f, 0x206f},
       {0x3000, 0x3000},
       {0xd800, 0xf8ff},
       {0xfeff, 0xfeff},
       {0xfff0, 0xfffb},
       {0xfffe, 0xffff},
       {0xe0000, 0xe00ff},
       {0xf0000, 0x10ffff}}};
  return std::any_of(kRanges.begin(), kRanges.end(),
                     [&](const auto& range) { return c >= range.first && c <= range.second; });
}

}  // namespace

std::string GoQuoted(std::string_view text) {
  std::string quoted = "\"";
  constexpr std::u32string_view kEscaped = U"\a\b\f\n\r\t\v\\\"";
  constexpr std::string_view kNames = "abfnrtv\\\"";
  for (const char32_t c : ToCharacters(text)) {
    const std::size_t at = kEscaped.find(c);
    std::array<char, 16> escape{};
    if (at != std::u32string_view::npos) {
      quoted += '\\';
      quoted += kNames[at];
    } else if (c < U' ' || c == 0x7f) {
      std::snprintf(escape.data(), escape.size(), "\\x%02x", static_cast<unsigned>(c));
      quoted += escape.data();
    } else if (IsEscaped(c)) {
      std::snprintf(escape.data(), escape.size(), c > 0xffff ? "\\U%08x" : "\\u%04x",
                    static_cast<unsigned>(c));
      quoted += escape.data();
    } else {
      AppendUtf8(c, quoted);
    }
  }
  return quoted + "\"";
}

namespace {

std::string CFixed(double number, int precision) {
  const int size = std::snprintf(nullptr, 0, "%.*f", precision, number);
  std::string text(static_cast<std::size_t>(size) + 1, '\0');
  std::snprintf(text.data(), text.size(), "%.*f", precision, number);
  text.pop_back();
  return text;
}

Value FormatAsText(const Value& value);

// Returns a value inside of a list or a map: texts are quoted.
Value FormatInner(const Value& value) {
  if (const auto* const text = value.Get<std::string>()) return Value::String(GoQuoted(*text));
  if (const auto* const bytes = value.Get<Bytes>())
    return Value::String("b" + GoQuoted(bytes->bytes));
  if (const auto* const number = value.Get<double>()) {
    if (std::isnan(*number)) return Value::String("\"NaN\"");
    if (std::isinf(*number)) return Value::String(*number < 0 ? "\"-Inf\"" : "\"+Inf\"");
    return Value::String(CFixed(*number, kPrecisionDefault));
  }
  Value shown = FormatAsText(value);
  if (shown.IsError()) return shown;
  const std::string& text = *shown.Get<std::string>();
  if (value.Is<Timestamp>()) return Value::String("timestamp(\"" + text + "\")");
  if (value.Is<Duration>()) return Value::String("duration(\"" + text + "\")");
  return shown;
}

Value FormatListText(const List& list) {
  std::string text = "[";
  for (std::size_t i = 0; i < list.size(); ++i) {
    Value element = FormatInner(list.At(i));
    if (element.IsError()) return element;
    text.append(i == 0 ? "" : ", ").append(*element.Get<std::string>());
  }
  return Value::String(text + "]");
}

Value FormatMapText(const Map& map) {
  std::vector<std::pair<std::string, std::string>> members;
  for (const Value& key : map.Keys()) {
    const auto value = map.Find(key);
    if (key.IsNull() && value && value->IsError()) {  // a field that the schema does not know
      return Value::Failure(std::string(kPanic) +
                            "invalid memory address or nil pointer dereference");
    }
    if (!key.Is<std::string>() && !key.Is<bool>() && !key.Is<std::int64_t>() &&
        !key.Is<std::uint64_t>()) {
      return Value::Failure("no formatting function for map key of type " +
                            std::string(key.TypeName()));
    }
    Value shown_key = FormatInner(key);
    // A null in an object is a key without a value.
    if (!value) return Value::Failure(WrongType('s', "error"));
    Value shown = FormatInner(*value);
    if (shown_key.IsError()) return shown_key;
    if (shown.IsError()) return shown;
    members.emplace_back(*shown_key.Get<std::string>(), *shown.Get<std::string>());
  }
  std::stable_sort(members.begin(), members.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  return Value::String(
      "{" + Join(members, ", ", [](const auto& each) { return each.first + ":" + each.second; }) +
      "}");
}

Value FormatAsText(const Value& value) {
  if (value.IsNull()) return Value::String("null");
  if (const auto* const text = value.Get<std::string>()) return Value::String(*text);
  if (value.list() != nullptr) return FormatListText(*value.list());
  if (value.map() != nullptr) return FormatMapText(*value.map());
  if (auto text = ScalarText(value)) return Value::String(*std::move(text));
  if (const auto* const bytes = value.Get<Bytes>()) {
    if (IsUtf8(bytes->bytes)) return Value::String(bytes->bytes);
  }
  if (const Type* const type = value.Get<Type>()) {
    const bool opaque = (*type)->kind == TypeKind::kOpaque;
    return Value::String(opaque ? (*type)->name : std::string(RuntimeName((*type)->kind)));
  }
  return WrongValue('s', value);
}

std::string InBase(std::uint64_t number, int base, bool negative, bool upper) {
  std::array<char, 72> text{};
  const auto [end, error] = std::to_chars(text.data(), text.data() + text.size(), number, base);
  std::string digits(text.data(), end);
  if (upper) {
    for (char& c : digits) c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  }
  return (negative ? "-" : "") + digits;
}

std::string HexOfBytes(std::string_view bytes, bool upper) {
  std::string text;
  for (const char c : bytes) {
    std::array<char, 4> hex{};
    std::snprintf(hex.data(), hex.size(), upper ? "%02X" : "%02x", static_cast<unsigned char>(c));
    text += hex.data();
  }
  return text;
}

Value FormatWhole(const FormatClause& clause, const Value& value) {
  const bool hex = clause.verb == 'x' || clause.verb == 'X';
  const bool upper = clause.verb == 'X';
  int base = 10;
  if (clause.verb == 'b') base = 2;
  if (clause.verb == 'o') base = 8;
  if (hex) base = 16;
  if (const auto* const number = value.Get<std::int64_t>()) {
    const auto bits = static_cast<std::uint64_t>(*number);
    return Value::String(InBase(*number < 0 ? ~bits + 1 : bits, base, *number < 0, upper));
  }
  if (const auto* const number = value.Get<std::uint64_t>()) {
    return Value::String(InBase(*number, base, false, upper));
  }
  if (const bool* const flag = value.Get<bool>(); flag != nullptr && base == 2) {
    return Value::String(*flag ? "1" : "0");
  }
  if (const auto* const text = value.Get<std::string>(); text != nullptr && hex) {
    return Value::String(HexOfBytes(*text, upper));
  }
  if (const auto* const bytes = value.Get<Bytes>(); bytes != nullptr && hex) {
    return Value::String(HexOfBytes(bytes->bytes, upper));
  }
  return WrongValue(clause.verb, value);
}

// Puts a comma before each three digits, as the locale en_US does.
std::string Grouped(std::string fixed) {
  const std::size_t first = fixed.starts_with('-') ? 1 : 0;
  std::size_t at = std::min(fixed.find('.'), fixed.size());
  while (at > first + 3) {
    at -= 3;
    fixed.insert(at, ",");
  }
  return fixed;
}

// Returns 1.5×10⁰³ for "1.5e+03".
std::string WithSuperscript(const std::string& scientific) {
  constexpr std::array<std::string_view, 10> kDigits = {"⁰", "¹", "²", "³", "⁴",
                                                        "⁵", "⁶", "⁷", "⁸", "⁹"};
  const std::size_t e = scientific.find('e');
  std::string text = scientific.substr(0, e) + "×10";
  if (scientific[e + 1] == '-') text += "⁻";
  for (const char digit : scientific.substr(e + 2))
    text += kDigits.at(static_cast<std::size_t>(digit - '0'));
  return text;
}

// Returns a number as the locale en_US shows it.
std::string NumberInEnglish(const FormatClause& clause, double number) {
  if (std::isnan(number)) return "NaN";
  if (std::isinf(number)) return number < 0 ? "-∞" : "∞";
  if (clause.verb == 'f') return Grouped(CFixed(number, clause.precision));
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.*e", kPrecisionDefault, number);
  return WithSuperscript(text.data());
}

Value FormatDouble(const FormatClause& clause, const Value& value) {
  std::optional<double> number;
  if (const auto* const given = value.Get<double>()) number = *given;
  if (const auto* const text = value.Get<std::string>()) {
    if (*text == "NaN" || *text == "Infinity" || *text == "-Infinity") number = ParseGoFloat(*text);
  }
  if (!number) return WrongValue(clause.verb, value);
  std::string text = NumberInEnglish(clause, *number == 0 ? 0 : *number);  // not -0
  if (clause.verb == 'f') return Value::String(std::move(text));
  // cel-go takes the precision of a scientific clause for the least width.
  const auto width = static_cast<std::size_t>(clause.precision);
  const std::size_t size = CharacterCount(text);
  return Value::String(std::string(width > size ? width - size : 0, ' ') + text);
}

Value FormatClauseValue(const FormatClause& clause, const Value& value) {
  if (value.IsError()) return value;
  if (clause.verb == 's') {
    return FormatAsText(value);
  }
  return clause.verb == 'f' || clause.verb == 'e' ? FormatDouble(clause, value)
                                                  : FormatWhole(clause, value);
}

Value FormatText(Arguments args) {
  const ParsedFormat format = ParseFormat(*args[0].Get<std::string>());
  const List& list = *args[1].list();
  std::string text;
  for (std::size_t i = 0; i < format.clauses.size(); ++i) {
    if (i >= list.size()) return Value::Failure("index " + std::to_string(i) + " out of range");
    Value shown = FormatClauseValue(format.clauses[i], list.At(i));
    if (shown.IsError()) return shown;
    text.append(format.clauses[i].before).append(*shown.Get<std::string>());
  }
  if (!format.error.empty()) return Value::Failure(format.error);
  return Value::String(text + format.rest);
}

constexpr std::array kFormatStringRows = std::to_array<OverloadRow>({
    {"format", ". string, list(dyn) -> string", FormatText},
});

// Reports whether a verb can show a value of this type.
bool CanShow(char verb, TypeKind kind) {
  switch (kind) {
    case TypeKind::kDyn:
      return true;
    case TypeKind::kInt:
    case TypeKind::kUint:
      return verb != 'f' && verb != 'e';
    case TypeKind::kDouble:
      return verb == 's' || verb == 'f' || verb == 'e';
    case TypeKind::kString:
      return verb == 's' || verb == 'f' || verb == 'e' || verb == 'x' || verb == 'X';
    case TypeKind::kBytes:
      return verb == 's' || verb == 'x' || verb == 'X';
    case TypeKind::kBool:
      return verb == 's' || verb == 'b';
    case TypeKind::kObject:
    case TypeKind::kOpaque:
    case TypeKind::kParam:
    case TypeKind::kError:
      return false;
    default:
      return verb == 's';
  }
}

std::string_view CheckedName(const Type& type) {
  return type->name.empty() ? RuntimeName(type->kind) : std::string_view(type->name);
}

// Returns the part of an argument that a verb cannot show; null: it can show all.
const Expr* FindUnshowable(char verb, const Expr& arg) {
  if (!CanShow(verb, arg.type->kind)) return &arg;
  if (verb != 's' || (arg.kind != ExprKind::kList && arg.kind != ExprKind::kMap)) return nullptr;
  for (const ExprPtr& inner : arg.args) {
    if (const Expr* const found = FindUnshowable(verb, *inner)) return found;
  }
  return nullptr;
}

}  // namespace

void CheckFormatCall(const Expr& call, std::vector<Issue>& issues) {
  const auto* const text = call.operand->literal.Get<std::string>();
  if (call.operand->kind != ExprKind::kLiteral || text == nullptr || call.args.size() != 1 ||
      call.args[0]->kind != ExprKind::kList) {
    return;
  }
  const ParsedFormat format = ParseFormat(*text);
  const auto& args = call.args[0]->args;
  for (std::size_t i = 0; i < format.clauses.size(); ++i) {
    if (i >= args.size()) {
      issues.push_back({call.location, "index " + std::to_string(i) + " out of range"});
      return;
    }
    const char verb = format.clauses[i].verb;
    if (const Expr* const bad = FindUnshowable(verb, *args[i])) {
      issues.push_back({bad->location, WrongType(verb, CheckedName(bad->type))});
      return;
    }
  }
  if (!format.error.empty()) {
    issues.push_back({call.location, format.error});
  } else if (args.size() > format.clauses.size()) {
    issues.push_back({call.location, "too many arguments supplied to string.format (expected " +
                                         std::to_string(format.clauses.size()) + ", got " +
                                         std::to_string(args.size()) + ")"});
  }
}

std::span<const OverloadRow> FormatStringRows() { return kFormatStringRows; }

}  // namespace capstan::cel
