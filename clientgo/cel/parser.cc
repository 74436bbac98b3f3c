// SPDX-License-Identifier: Apache-2.0
#include "clientgo/cel/parser.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <optional>
#include <string>
#include <utility>

#include "clientgo/cel/lexer.h"
#include "clientgo/cel/macros.h"

namespace capstan::cel {
namespace {

// The tokens that can begin an operand, as ANTLR lists them.
constexpr std::string_view kOperandTokens =
    "{'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, "
    "BYTES, IDENTIFIER}";

constexpr std::array<std::string_view, 17> kReservedIdentifiers = {
    "as",  "break", "const",     "continue", "else",   "for", "function", "if",   "import",
    "let", "loop",  "namespace", "package",  "return", "var", "void",     "while"};

struct BinaryOperator {
  std::string_view symbol;
  std::string_view function;
  int precedence;
};
constexpr int kRelation = 1;
constexpr std::array kBinaryOperators = std::to_array<BinaryOperator>({
    {"<", "_<_", kRelation},
    {"<=", "_<=_", kRelation},
    {">", "_>_", kRelation},
    {">=", "_>=_", kRelation},
    {"==", kEqualFunction, kRelation},
    {"!=", kNotEqualFunction, kRelation},
    {"in", "@in", kRelation},
    {"+", kAddFunction, kRelation + 1},
    {"-", "_-_", kRelation + 1},
    {"*", "_*_", kRelation + 2},
    {"/", "_/_", kRelation + 2},
    {"%", "_%_", kRelation + 2},
});

// The functions that read an expression are recursive, so its tree must not be deep.
constexpr int kTreeDepthMax = 4 * kExpressionDepthMax;

// Sets the depth of the parts that have none, and returns that of the whole.
int MeasureDepth(Expr& expr) {
  if (expr.depth != 0) return expr.depth;
  int deepest = 0;
  const auto measure = [&](const ExprPtr& part) {
    if (part != nullptr) deepest = std::max(deepest, MeasureDepth(*part));
  };
  measure(expr.operand);
  for (const ExprPtr& arg : expr.args) measure(arg);
  if (const auto& loop = expr.comprehension) {
    for (const ExprPtr* const part :
         {&loop->range, &loop->initial, &loop->condition, &loop->step, &loop->result}) {
      measure(*part);
    }
  }
  expr.depth = deepest + 1;
  return expr.depth;
}

// Parser reads the tokens. After a syntax error its functions return null, and the tokens are at
// their end.
class Parser {
 public:
  Parser(std::vector<Token> tokens, std::vector<Issue>& issues)
      : tokens_(std::move(tokens)), issues_(issues) {}

  ExprPtr ParseAll() {
    ExprPtr expr = ParseConditional();
    if (!failed_ && Peek().kind != TokenKind::kEnd) {
      const bool last = tokens_[at_ + 1].kind == TokenKind::kEnd;
      Fail(std::string(last ? "extraneous" : "mismatched") + " input '" + Shown() +
           "' expecting <EOF>");
    }
    return failed_ ? nullptr : std::move(expr);
  }

 private:
  // Counts the nesting of expressions.
  class Level {
   public:
    explicit Level(Parser& parser) : parser_(parser) {
      if (++parser_.depth_ <= kExpressionDepthMax || parser_.failed_) return;
      parser_.failed_ = true;
      parser_.issues_.push_back({parser_.Peek().location, "expression recursion limit exceeded: " +
                                                              std::to_string(kExpressionDepthMax)});
    }
    ~Level() { --parser_.depth_; }
    Level(const Level&) = delete;
    Level& operator=(const Level&) = delete;

   private:
    Parser& parser_;
  };

  const Token& Peek() const { return failed_ ? tokens_.back() : tokens_[at_]; }
  Token Next() {
    const Token token = Peek();
    if (token.kind != TokenKind::kEnd) ++at_;
    return token;
  }
  bool IsSymbol(std::string_view symbol) const {
    return Peek().kind == TokenKind::kSymbol && Peek().text == symbol;
  }
  bool Accept(std::string_view symbol) {
    if (!IsSymbol(symbol)) return false;
    ++at_;
    return true;
  }
  std::string Shown() const { return std::string(Peek().text); }
  void Fail(const std::string& why) {
    if (failed_) return;
    issues_.push_back({Peek().location, "Syntax error: " + why});
    failed_ = true;
  }
  void Expect(std::string_view symbol) {
    if (Accept(symbol)) return;
    const std::string wanted = "'" + std::string(symbol) + "'";
    Fail(Peek().kind == TokenKind::kEnd ? "missing " + wanted + " at '<EOF>'"
                                        : "mismatched input '" + Shown() + "' expecting " + wanted);
  }
  // Rejects an expression that is too deep.
  ExprPtr Measured(ExprPtr expr) {
    if (expr == nullptr || MeasureDepth(*expr) <= kTreeDepthMax || failed_) return expr;
    Report(expr->location,
           "expression recursion limit exceeded: " + std::to_string(kExpressionDepthMax));
    failed_ = true;
    return expr;
  }
  void Report(Location location, std::string message) {
    issues_.push_back({location, std::move(message)});
  }

  static ExprPtr New(ExprKind kind, Location location) {
    auto expr = std::make_unique<Expr>();
    expr->kind = kind;
    expr->location = location;
    return expr;
  }
  ExprPtr NewCall(std::string_view function, Location location, ExprPtr a, ExprPtr b = nullptr,
                  ExprPtr c = nullptr) {
    ExprPtr expr = New(ExprKind::kCall, location);
    expr->name = function;
    for (ExprPtr* const arg : {&a, &b, &c}) {
      if (*arg != nullptr) expr->args.push_back(std::move(*arg));
    }
    return Measured(std::move(expr));
  }
  static ExprPtr NewLiteral(Value value, Location location) {
    ExprPtr expr = New(ExprKind::kLiteral, location);
    expr->literal = std::move(value);
    return expr;
  }

  ExprPtr ParseConditional();
  ExprPtr ParseLogic(std::string_view symbol, std::string_view function);
  ExprPtr ParseBinary(int precedence);
  ExprPtr ParseUnary();
  ExprPtr ParseMember();
  ExprPtr ParseSelection(ExprPtr operand, Location dot);
  ExprPtr ParsePrimary();
  ExprPtr ParseName();
  ExprPtr ParseCall(std::string name, ExprPtr target, Location location);
  ExprPtr ParseMessage(std::string name, std::size_t start);
  std::optional<std::string> MessageName(std::size_t& length) const;
  ExprPtr ParseListLiteral(Location location);
  ExprPtr ParseMapLiteral(Location location);
  ExprPtr ParseNumber(bool negative, Location location);
  std::vector<ExprPtr> ParseArguments();
  std::string ParseFieldName();

  std::vector<Token> tokens_;
  std::vector<Issue>& issues_;
  std::size_t at_ = 0;
  int depth_ = 0;
  bool failed_ = false;
};

ExprPtr Parser::ParseConditional() {
  const Level level(*this);
  ExprPtr condition = ParseLogic("||", kOrFunction);
  const Location location = Peek().location;
  if (!Accept("?")) return condition;
  ExprPtr yes = ParseLogic("||", kOrFunction);
  Expect(":");
  ExprPtr no = ParseConditional();
  return NewCall(kConditionalFunction, location, std::move(condition), std::move(yes),
                 std::move(no));
}

// Returns terms [low, high + 1] as a balanced tree, as cel-go does, so that a long chain of terms
// is not nested deeply.
ExprPtr BalanceTerms(std::vector<ExprPtr>& terms, const std::vector<Location>& places,
                     std::string_view function, std::size_t low, std::size_t high) {
  const std::size_t middle = (low + high + 1) / 2;
  ExprPtr left = middle == low ? std::move(terms[middle])
                               : BalanceTerms(terms, places, function, low, middle - 1);
  ExprPtr right = middle == high ? std::move(terms[middle + 1])
                                 : BalanceTerms(terms, places, function, middle + 1, high);
  auto expr = std::make_unique<Expr>();
  expr->kind = ExprKind::kCall;
  expr->location = places[middle];
  expr->name = function;
  expr->args.push_back(std::move(left));
  expr->args.push_back(std::move(right));
  return expr;
}

ExprPtr Parser::ParseLogic(std::string_view symbol, std::string_view function) {
  const auto parse_term = [&] {
    return symbol == "||" ? ParseLogic("&&", kAndFunction) : ParseBinary(kRelation);
  };
  std::vector<ExprPtr> terms;
  std::vector<Location> places;
  terms.push_back(parse_term());
  while (IsSymbol(symbol)) {
    places.push_back(Next().location);
    terms.push_back(parse_term());
  }
  if (failed_) return nullptr;
  if (places.empty()) return std::move(terms.front());
  return Measured(BalanceTerms(terms, places, function, 0, places.size() - 1));
}

ExprPtr Parser::ParseBinary(int precedence) {
  ExprPtr left = ParseUnary();
  while (Peek().kind == TokenKind::kSymbol) {
    const auto* const found =
        std::find_if(kBinaryOperators.begin(), kBinaryOperators.end(),
                     [&](const auto& each) { return each.symbol == Peek().text; });
    if (found == kBinaryOperators.end() || found->precedence < precedence) break;
    const Location location = Next().location;
    ExprPtr right = ParseBinary(found->precedence + 1);
    left = NewCall(found->function, location, std::move(left), std::move(right));
  }
  return left;
}

ExprPtr Parser::ParseUnary() {
  const Location location = Peek().location;
  for (const char* const symbol : {"!", "-"}) {
    std::size_t count = 0;
    const std::size_t before = at_;
    while (Accept(symbol)) ++count;
    if (count == 0) continue;
    // The sign of a number belongs to the number.
    const bool number = Peek().kind == TokenKind::kInt || Peek().kind == TokenKind::kDouble;
    if (*symbol == '-' && count == 1 && number) {
      at_ = before;
      return ParseMember();
    }
    ExprPtr operand = ParseMember();
    if (count % 2 == 0) return operand;
    return NewCall(*symbol == '!' ? kNotFunction : "-_", location, std::move(operand));
  }
  return ParseMember();
}

ExprPtr Parser::ParseMember() {
  ExprPtr expr = ParsePrimary();
  while (!failed_) {
    const Location location = Peek().location;
    if (Accept(".")) {
      expr = ParseSelection(std::move(expr), location);
    } else if (Accept("[")) {
      const bool optional = Accept("?");
      ExprPtr index = ParseConditional();
      Expect("]");
      expr = NewCall(optional ? kOptionalIndexFunction : kIndexFunction, location, std::move(expr),
                     std::move(index));
    } else {
      return expr;
    }
  }
  return nullptr;
}

ExprPtr Parser::ParseSelection(ExprPtr operand, Location dot) {
  if (Accept("?")) {
    const Location location = Peek().location;
    ExprPtr field = NewLiteral(Value::String(ParseFieldName()), location);
    return NewCall(kOptionalSelectFunction, dot, std::move(operand), std::move(field));
  }
  std::string name = ParseFieldName();
  const Location location = Peek().location;
  if (Accept("(")) {
    return ParseCall(std::move(name), std::move(operand), location);
  }
  ExprPtr expr = New(ExprKind::kSelect, dot);
  expr->name = std::move(name);
  expr->operand = std::move(operand);
  return Measured(std::move(expr));
}

std::string Parser::ParseFieldName() {
  if (Peek().kind == TokenKind::kEscapedIdentifier) {
    Report(Peek().location, "unsupported syntax: '`'");
  } else if (Peek().kind != TokenKind::kIdentifier) {
    Fail("no viable alternative at input '." + (Peek().kind == TokenKind::kEnd ? "" : Shown()) +
         "'");
  }
  return std::string(Next().text);
}

// Reads the arguments of a function, behind its parenthesis.
ExprPtr Parser::ParseCall(std::string name, ExprPtr target, Location location) {
  std::vector<ExprPtr> args = ParseArguments();
  if (failed_) return nullptr;
  return Measured(ExpandCall({.function = std::move(name),
                              .target = std::move(target),
                              .args = std::move(args),
                              .location = location},
                             issues_));
}

std::vector<ExprPtr> Parser::ParseArguments() {
  std::vector<ExprPtr> args;
  if (Accept(")")) return args;
  do {
    args.push_back(ParseConditional());
  } while (Accept(","));
  Expect(")");
  return args;
}

ExprPtr Parser::ParsePrimary() {
  const Location location = Peek().location;
  switch (Peek().kind) {
    case TokenKind::kIdentifier:
      return ParseName();
    case TokenKind::kInt:
    case TokenKind::kUint:
    case TokenKind::kDouble:
      return ParseNumber(false, location);
    case TokenKind::kString:
    case TokenKind::kBytes: {
      const bool bytes = Peek().kind == TokenKind::kBytes;
      Value value = Unquote(Next().text, bytes);
      if (value.IsError()) Report(location, value.message());
      return NewLiteral(std::move(value), location);
    }
    default:
      break;
  }
  if (IsSymbol(".")) return ParseName();
  if (Accept("true")) return NewLiteral(Value::Bool(true), location);
  if (Accept("false")) return NewLiteral(Value::Bool(false), location);
  if (Accept("null")) return NewLiteral(Value(), location);
  if (Accept("[")) return ParseListLiteral(location);
  if (Accept("{")) return ParseMapLiteral(location);
  if (Accept("-")) return ParseNumber(true, location);
  if (Accept("(")) {
    ExprPtr expr = ParseConditional();
    Expect(")");
    return expr;
  }
  Fail("mismatched input '" + Shown() + "' expecting " + std::string(kOperandTokens));
  return nullptr;
}

// Returns the name of a message and its number of tokens if they are followed by a brace.
std::optional<std::string> Parser::MessageName(std::size_t& length) const {
  std::string name;
  std::size_t at = at_;
  if (IsSymbol(".")) name += tokens_[at++].text;
  while (tokens_[at].kind == TokenKind::kIdentifier) {
    name += tokens_[at++].text;
    if (tokens_[at].kind != TokenKind::kSymbol) return std::nullopt;
    if (tokens_[at].text == "{") {
      length = at - at_;
      return name;
    }
    if (tokens_[at].text != ".") return std::nullopt;
    name += tokens_[at++].text;
  }
  return std::nullopt;
}

ExprPtr Parser::ParseName() {
  std::size_t length = 0;
  if (auto message = MessageName(length)) return ParseMessage(*std::move(message), length);
  std::string name = Accept(".") ? "." : "";
  const Token token = Peek();
  if (token.kind != TokenKind::kIdentifier) {
    Fail("mismatched input '" + Shown() + "' expecting IDENTIFIER");
    return nullptr;
  }
  Next();
  const bool reserved = std::find(kReservedIdentifiers.begin(), kReservedIdentifiers.end(),
                                  token.text) != kReservedIdentifiers.end();
  if (reserved) Report(token.location, "reserved identifier: " + std::string(token.text));
  name += token.text;
  const Location location = Peek().location;
  if (Accept("(")) {
    return ParseCall(std::move(name), nullptr, location);
  }
  ExprPtr expr = New(ExprKind::kIdent, token.location);
  expr->name = std::move(name);
  return expr;
}

// Reads Name{field: value}. No kind of Kubernetes can be made so, but the checker says that.
ExprPtr Parser::ParseMessage(std::string name, std::size_t length) {
  at_ += length;
  ExprPtr expr = New(ExprKind::kMessage, Next().location);
  expr->name = std::move(name);
  const bool lone = Accept(",");  // Name{,} is an empty message
  while (!failed_ && !lone && !IsSymbol("}")) {
    Accept("?");
    ParseFieldName();
    Expect(":");
    expr->args.push_back(ParseConditional());
    if (!Accept(",")) break;
  }
  Expect("}");
  return expr;
}

ExprPtr Parser::ParseListLiteral(Location location) {
  ExprPtr expr = New(ExprKind::kList, location);
  const bool lone = Accept(",");  // [,] is an empty list
  while (!failed_ && !lone && !IsSymbol("]")) {
    expr->optional.push_back(Accept("?"));
    expr->args.push_back(ParseConditional());
    if (!Accept(",")) break;
  }
  Expect("]");
  return failed_ ? nullptr : Measured(std::move(expr));
}

ExprPtr Parser::ParseMapLiteral(Location location) {
  ExprPtr expr = New(ExprKind::kMap, location);
  const bool lone = Accept(",");  // {,} is an empty map
  while (!failed_ && !lone && !IsSymbol("}")) {
    expr->optional.push_back(Accept("?"));
    expr->args.push_back(ParseConditional());
    Expect(":");
    expr->args.push_back(ParseConditional());
    if (!Accept(",")) break;
  }
  Expect("}");
  return failed_ ? nullptr : Measured(std::move(expr));
}

template <class T>
std::optional<T> ParseWhole(std::string_view text, bool negative) {
  const bool hex = text.starts_with("0x");
  if (hex) text.remove_prefix(2);
  const std::string digits = (negative ? "-" : "") + std::string(text);
  T number{};
  const char* const end = digits.data() + digits.size();
  const auto [rest, error] = std::from_chars(digits.data(), end, number, hex ? 16 : 10);
  if (error != std::errc() || rest != end) return std::nullopt;
  return number;
}

ExprPtr Parser::ParseNumber(bool negative, Location location) {
  const Token token = Next();
  std::optional<Value> value;
  std::string_view what = "int";
  if (token.kind == TokenKind::kInt) {
    if (const auto number = ParseWhole<std::int64_t>(token.text, negative))
      value = Value::Int(*number);
  } else if (token.kind == TokenKind::kUint) {
    what = "uint";
    const auto number =
        ParseWhole<std::uint64_t>(token.text.substr(0, token.text.size() - 1), false);
    if (number) value = Value::Uint(*number);
  } else {
    what = "double";
    const double number = std::strtod(std::string(token.text).c_str(), nullptr);
    if (std::isfinite(number)) value = Value::Double(negative ? -number : number);
  }
  if (!value) Report(location, "invalid " + std::string(what) + " literal");
  return NewLiteral(value.value_or(Value()), location);
}

}  // namespace

ExprPtr Parse(std::string_view expression, std::vector<Issue>& issues) {
  const std::size_t characters = CharacterCount(expression);
  if (characters > kExpressionCharactersMax) {
    issues.push_back(
        {{.line = 1, .column = 0},
         "expression code point size exceeds limit: size: " + std::to_string(characters) +
             ", limit " + std::to_string(kExpressionCharactersMax)});
    return nullptr;
  }
  ExprPtr expr = Parser(Tokenize(expression, issues), issues).ParseAll();
  return issues.empty() ? std::move(expr) : nullptr;
}

}  // namespace capstan::cel
