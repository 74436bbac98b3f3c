// SPDX-License-Identifier: Apache-2.0
#include "clientgo/cel/functions.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <map>

#include "capstan/text.h"

namespace capstan::cel {
namespace {

void AddParams(const Type& type, std::vector<std::string>& params) {
  if (type->kind == TypeKind::kParam &&
      std::find(params.begin(), params.end(), type->name) == params.end()) {
    params.push_back(type->name);
  }
  for (const Type& inner : type->params) AddParams(inner, params);
}

Overload ParseRow(const OverloadRow& row) {
  constexpr std::string_view kArrow = "->";
  std::string_view signature = row.signature;
  Overload overload{.function = row.function, .call = row.call};
  if (signature.starts_with('.')) {
    overload.member = true;
    signature.remove_prefix(1);
  }
  const std::size_t arrow = signature.find(kArrow);
  // The arguments are the parameters of one type.
  overload.args =
      ParseType("function(" + std::string(Trim(signature.substr(0, arrow), " ")) + ")")->params;
  overload.result = ParseType(signature.substr(arrow + kArrow.size()));
  for (const Type& type : overload.args) AddParams(type, overload.params);
  AddParams(overload.result, overload.params);
  return overload;
}

using FunctionTable = std::map<std::string_view, std::vector<Overload>>;

FunctionTable MakeFunctionTable() {
  FunctionTable table;
  // Lists come before texts, because an argument of unknown type takes the type of the first
  // overload.
  for (const auto& rows : {OperatorRows(), ConversionRows(), TimeRows(), ListRows(), StringRows(),
                           FormatStringRows(), OptionalRows(), RegexRows(), UrlRows(), NetRows(),
                           QuantityRows(), SemverRows(), NamedFormatRows(), AccessRows()}) {
    for (const OverloadRow& row : rows) table[row.function].push_back(ParseRow(row));
  }
  return table;
}

bool AcceptsKind(const Type& type, const Value& value) {
  switch (type->kind) {
    case TypeKind::kDyn:
    case TypeKind::kParam:
      return true;
    case TypeKind::kOpaque:
      return value.TypeName() == type->name;
    case TypeKind::kList:  // cel-go looks at the first element
      return value.list() != nullptr &&
             (value.list()->size() == 0 || AcceptsKind(type->params[0], value.list()->At(0)));
    default:
      return value.kind() == type->kind;
  }
}

}  // namespace

bool Overload::Accepts(Arguments values) const {
  return std::equal(args.begin(), args.end(), values.begin(), values.end(), AcceptsKind);
}

const std::vector<Overload>* FindFunction(std::string_view name) {
  static const FunctionTable table = MakeFunctionTable();
  const auto found = table.find(name.starts_with('.') ? name.substr(1) : name);
  return found == table.end() ? nullptr : &found->second;
}

Type FindTypeName(std::string_view name) {
  struct Named {
    std::string_view name;
    std::string_view type;
  };
  constexpr std::array kNamed = std::to_array<Named>({
      {"bool", "bool"},
      {"bytes", "bytes"},
      {"double", "double"},
      {"google.protobuf.Duration", "duration"},
      {"google.protobuf.Timestamp", "timestamp"},
      {"int", "int"},
      {"list", "list(dyn)"},
      {"map", "map(dyn, dyn)"},
      {"net.CIDR", "net.CIDR"},
      {"net.IP", "net.IP"},
      {"null_type", "null"},
      {"optional_type", "optional_type(dyn)"},
      {"string", "string"},
      {"type", "type"},
      {"uint", "uint"},
  });
  const auto* const found = std::find_if(kNamed.begin(), kNamed.end(),
                                         [&](const Named& each) { return each.name == name; });
  return found == kNamed.end() ? nullptr : ParseType(found->type);
}

}  // namespace capstan::cel
