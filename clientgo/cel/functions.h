// SPDX-License-Identifier: Apache-2.0
// The functions that an expression can call, and the operators, which are functions too. A library
// is a table of rows; FindFunction searches all of them. Mirrors the environment of Kubernetes 1.34
// for new expressions (k8s.io/apiserver/pkg/cel/environment). To add a function, add a row.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "clientgo/cel/type.h"
#include "clientgo/cel/value.h"

namespace capstan::cel {

using Arguments = std::span<const Value>;
using Implementation = Value (*)(Arguments args);

// OverloadRow declares one overload. The signature is "int, int -> int", and ". string -> int" for
// a member function, whose first argument is the target.
struct OverloadRow {
  std::string_view function;
  std::string_view signature;
  Implementation call;  // null: the evaluator does it
};

// Overload is a row with a parsed signature.
struct Overload {
  std::string_view function;
  bool member = false;
  std::vector<Type> args = {};
  Type result = {};
  std::vector<std::string> params = {};  // the type parameters
  Implementation call = nullptr;

  // Reports whether the arguments have the types of this overload.
  bool Accepts(Arguments values) const;
};

// Returns the overloads of a function in the order of the tables; null: it is not declared.
const std::vector<Overload>* FindFunction(std::string_view name);

// Returns the type that an identifier such as "int" or "google.protobuf.Duration" names; null:
// none.
Type FindTypeName(std::string_view name);

// The tables. Each is in the file of its library.
std::span<const OverloadRow> OperatorRows();
std::span<const OverloadRow> ConversionRows();
std::span<const OverloadRow> TimeRows();
std::span<const OverloadRow> StringRows();
std::span<const OverloadRow> FormatStringRows();
std::span<const OverloadRow> ListRows();
std::span<const OverloadRow> OptionalRows();
std::span<const OverloadRow> RegexRows();
std::span<const OverloadRow> UrlRows();
std::span<const OverloadRow> NetRows();
std::span<const OverloadRow> QuantityRows();
std::span<const OverloadRow> SemverRows();
std::span<const OverloadRow> NamedFormatRows();
std::span<const OverloadRow> AccessRows();

}  // namespace capstan::cel
