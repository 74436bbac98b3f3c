// SPDX-License-Identifier: Apache-2.0
// Expr is a node of the syntax tree of an expression. The parser makes the tree with its macros
// expanded, the checker adds the types and resolves names, and the evaluator reads it. Mirrors
// cel-go's common/ast.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "clientgo/cel/type.h"
#include "clientgo/cel/value.h"

namespace capstan::cel {

// Location is a place in the text of an expression.
struct Location {
  int line = 1;
  int column = 0;  // in characters, from 0
};

// Issue is one mistake in an expression.
struct Issue {
  Location location;
  std::string message;
};

// Returns the issues as cel-go prints them, each with its line of the text.
std::string IssuesText(std::string_view expression, std::vector<Issue> issues);

enum class ExprKind : std::uint8_t {
  kLiteral,
  kIdent,
  kSelect,
  kCall,
  kList,
  kMap,
  kMessage,  // Name{field: value}
  kComprehension,
};

struct Expr;
using ExprPtr = std::unique_ptr<Expr>;

struct Overload;

// Comprehension is a loop over `range`, which macros expand to.
struct Comprehension {
  ExprPtr range;
  std::string variable;
  std::string second;  // of a comprehension with two variables; empty: it has one
  std::string accumulator;
  ExprPtr initial;
  ExprPtr condition;
  ExprPtr step;
  ExprPtr result;
};

struct Expr {
  ExprKind kind = ExprKind::kLiteral;
  Location location = {};
  int depth = 0;  // of the tree; 0: not measured yet

  Value literal = {};
  std::string name = {};   // of an identifier, a field, a function or a message
  ExprPtr operand = {};    // of a selection or a call of a member function; null: there is none
  bool test_only = false;  // has(operand.name)
  std::vector<ExprPtr> args = {};   // of a call, a list; keys and values of a map in turn
  std::vector<bool> optional = {};  // of the elements of a list or the entries of a map
  std::unique_ptr<Comprehension> comprehension = {};

  // What the checker found out.
  Type type = {};
  std::vector<const Overload*> overloads = {};  // of a call: those that may be called

  // The value, if it is the same for every object (FoldConstants). A literal has none.
  std::optional<Value> constant = {};
  bool in_constants = false;      // x in a list of constants that are bools, numbers and texts
  bool constant_pattern = false;  // a call with a constant regular expression
};

// Returns the name "a.b.c" of a chain of selections; empty: the expression is no such chain.
std::string QualifiedName(const Expr& expr);

// The names of the operators' functions.
inline constexpr std::string_view kAndFunction = "_&&_";
inline constexpr std::string_view kOrFunction = "_||_";
inline constexpr std::string_view kNotFunction = "!_";
inline constexpr std::string_view kConditionalFunction = "_?_:_";
inline constexpr std::string_view kIndexFunction = "_[_]";
inline constexpr std::string_view kOptionalIndexFunction = "_[?_]";
inline constexpr std::string_view kOptionalSelectFunction = "_?._";
inline constexpr std::string_view kEqualFunction = "_==_";
inline constexpr std::string_view kNotEqualFunction = "_!=_";
inline constexpr std::string_view kAddFunction = "_+_";
inline constexpr std::string_view kNotStrictlyFalseFunction = "@not_strictly_false";
inline constexpr std::string_view kMapInsertFunction = "cel.@mapInsert";

inline constexpr std::string_view kAccumulator = "@result";

}  // namespace capstan::cel
