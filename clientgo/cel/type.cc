// SPDX-License-Identifier: Apache-2.0
#include "clientgo/cel/type.h"

#include <array>
#include <cstddef>
#include <utility>

#include "capstan/text.h"

namespace capstan::cel {
namespace {

struct KindNames {
  TypeKind kind;
  std::string_view text;     // in error texts and declarations
  std::string_view runtime;  // what type(x) shows
};
constexpr std::array kKindNames = std::to_array<KindNames>({
    {TypeKind::kDyn, "dyn", "dyn"},
    {TypeKind::kError, "!error!", "error"},
    {TypeKind::kNull, "null", "null_type"},
    {TypeKind::kBool, "bool", "bool"},
    {TypeKind::kInt, "int", "int"},
    {TypeKind::kUint, "uint", "uint"},
    {TypeKind::kDouble, "double", "double"},
    {TypeKind::kString, "string", "string"},
    {TypeKind::kBytes, "bytes", "bytes"},
    {TypeKind::kTimestamp, "timestamp", "google.protobuf.Timestamp"},
    {TypeKind::kDuration, "duration", "google.protobuf.Duration"},
    {TypeKind::kList, "list", "list"},
    {TypeKind::kMap, "map", "map"},
    {TypeKind::kObject, "object", "map"},
    {TypeKind::kOpaque, "", ""},
    {TypeKind::kType, "type", "type"},
    {TypeKind::kParam, "", ""},
});

const KindNames& NamesOf(TypeKind kind) { return kKindNames.at(static_cast<std::size_t>(kind)); }

Type NewType(TypeNode node) { return std::make_shared<const TypeNode>(std::move(node)); }

std::string TypesText(const std::vector<Type>& types) { return Join(types, ", ", TypeText); }

// Splits "A, list(B)" at the commas that are not in parentheses.
std::vector<std::string_view> SplitParams(std::string_view text) {
  std::vector<std::string_view> parts;
  std::size_t begin = 0;
  int depth = 0;
  for (std::size_t i = 0; i <= text.size(); ++i) {
    if (i < text.size() && text[i] == '(') ++depth;
    if (i < text.size() && text[i] == ')') --depth;
    if (i < text.size() && (text[i] != ',' || depth != 0)) continue;
    const std::string_view part = Trim(text.substr(begin, i - begin), " ");
    if (!part.empty()) parts.push_back(part);
    begin = i + 1;
  }
  return parts;
}

}  // namespace

Type SimpleType(TypeKind kind) {
  static const auto types = [] {
    std::vector<Type> all;
    all.reserve(std::size(kKindNames));
    for (const KindNames& names : kKindNames) all.push_back(NewType({.kind = names.kind}));
    return all;
  }();
  return types.at(static_cast<std::size_t>(kind));
}

Type ListType(Type element) {
  return NewType({.kind = TypeKind::kList, .params = {std::move(element)}});
}

Type MapType(Type key, Type value) {
  return NewType({.kind = TypeKind::kMap, .params = {std::move(key), std::move(value)}});
}

Type OpaqueType(std::string name, std::vector<Type> params) {
  return NewType({.kind = TypeKind::kOpaque, .name = std::move(name), .params = std::move(params)});
}

Type OptionalType(Type value) {
  return OpaqueType(std::string(kOptionalTypeName), {std::move(value)});
}

Type TypeType(Type of) { return NewType({.kind = TypeKind::kType, .params = {std::move(of)}}); }

Type ParamType(std::string name) {
  return NewType({.kind = TypeKind::kParam, .name = std::move(name)});
}

Type ObjectType(std::string name, ObjectFields fields) {
  return NewType({.kind = TypeKind::kObject,
                  .name = std::move(name),
                  .fields = std::make_shared<const ObjectFields>(std::move(fields))});
}

bool IsDyn(const Type& type) { return type->kind == TypeKind::kDyn; }

bool IsDynOrError(const Type& type) { return IsDyn(type) || type->kind == TypeKind::kError; }

bool IsOptional(const Type& type) {
  return type->kind == TypeKind::kOpaque && type->name == kOptionalTypeName;
}

bool SameType(const Type& a, const Type& b) {
  if (a == b) return true;
  if (a->kind != b->kind || a->name != b->name || a->params.size() != b->params.size()) {
    return false;
  }
  for (std::size_t i = 0; i < a->params.size(); ++i) {
    if (!SameType(a->params[i], b->params[i])) return false;
  }
  return true;
}

std::string TypeText(const Type& type) {
  switch (type->kind) {
    case TypeKind::kObject:
    case TypeKind::kParam:
      return type->name;
    case TypeKind::kOpaque:
      return type->params.empty() ? type->name : type->name + "(" + TypesText(type->params) + ")";
    default:
      break;
  }
  const std::string name(NamesOf(type->kind).text);
  return type->params.empty() ? name : name + "(" + TypesText(type->params) + ")";
}

std::string_view RuntimeName(TypeKind kind) { return NamesOf(kind).runtime; }

Type ParseType(std::string_view text) {
  text = Trim(text, " ");
  const std::string_view name = text.substr(0, text.find('('));
  std::vector<Type> params;
  if (name.size() < text.size()) {
    const std::string_view inner = text.substr(name.size() + 1, text.size() - name.size() - 2);
    for (const std::string_view part : SplitParams(inner)) params.push_back(ParseType(part));
  }
  if (name.size() == 1) return ParamType(std::string(name));
  if (name == "list" && params.size() == 1) return ListType(params[0]);
  if (name == "map" && params.size() == 2) return MapType(params[0], params[1]);
  if (name == "type" && params.size() == 1) return TypeType(params[0]);
  for (const KindNames& names : kKindNames) {
    if (!names.text.empty() && names.text == name) return SimpleType(names.kind);
  }
  return OpaqueType(std::string(name), std::move(params));
}

}  // namespace capstan::cel
