// SPDX-License-Identifier: Apache-2.0
#include "clientgo/cel/substitution.h"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace capstan::cel {
namespace {

bool IsParam(const Type& type) { return type->kind == TypeKind::kParam; }

// Null is a value of these types, too.
bool IsNullable(const Type& type) {
  switch (type->kind) {
    case TypeKind::kOpaque:
    case TypeKind::kObject:
    case TypeKind::kDuration:
    case TypeKind::kTimestamp:
    case TypeKind::kNull:
      return true;
    default:
      return false;
  }
}

// Reports whether `a` is equal to `b`, or says less about a value.
bool IsLessSpecific(const Type& a, const Type& b) {
  if (IsDyn(a) || IsParam(a)) return true;
  if (IsDyn(b) || IsParam(b) || a->kind != b->kind) return false;
  if (a->kind == TypeKind::kType) return true;
  return a->name == b->name && std::equal(a->params.begin(), a->params.end(), b->params.begin(),
                                          b->params.end(), IsLessSpecific);
}

}  // namespace

Type MostGeneral(const Type& a, const Type& b) { return IsLessSpecific(a, b) ? a : b; }

bool Substitution::Assign(const Type& from, const Type& to) {
  auto before = types_;
  if (Assignable(from, to)) return true;
  types_ = std::move(before);
  return false;
}

bool Substitution::AssignAll(const std::vector<Type>& from, const std::vector<Type>& to) {
  if (from.size() != to.size()) return false;
  auto before = types_;
  if (AllAssignable(from, to)) return true;
  types_ = std::move(before);
  return false;
}

const Type* Substitution::Find(const Type& type) const {
  if (!IsParam(type)) return nullptr;
  const auto found = types_.find(type->name);
  return found == types_.end() ? nullptr : &found->second;
}

bool Substitution::AllAssignable(const std::vector<Type>& from, const std::vector<Type>& to) {
  if (from.size() != to.size()) return false;
  for (std::size_t i = 0; i < from.size(); ++i) {
    if (!Assignable(from[i], to[i])) return false;
  }
  return true;
}

bool Substitution::Assignable(const Type& from, const Type& to) {
  if (IsParam(to)) {
    const Verdict verdict = CanStandFor(from, to);
    if (verdict.valid) return true;
    if (verdict.known) return false;
  }
  if (IsParam(from)) return CanStandFor(to, from).valid;
  if (IsDynOrError(from) || IsDynOrError(to)) return true;
  if (from->kind == TypeKind::kNull) return IsNullable(to);
  if (to->kind == TypeKind::kNull) return IsNullable(from);
  if (from->kind != to->kind) return false;
  switch (from->kind) {
    case TypeKind::kType:
      return true;
    case TypeKind::kOpaque:
    case TypeKind::kList:
    case TypeKind::kMap:
      return from->name == to->name && AllAssignable(from->params, to->params);
    default:
      return from->name == to->name;
  }
}

Substitution::Verdict Substitution::CanStandFor(const Type& type, const Type& param) {
  if (SameType(type, param)) return {.valid = true, .known = true};
  if (const Type* const found = Find(param)) {
    const Type known = *found;
    if (SameType(type, known)) return {.valid = true, .known = true};
    if (!Assignable(type, known)) return {.valid = false, .known = true};
    Type general = MostGeneral(type, known);
    if (IsAbsent(param, general)) Set(param, std::move(general));
    return {.valid = true, .known = true};
  }
  if (!IsAbsent(param, type)) return {};
  Set(param, type);
  return {.valid = true, .known = false};
}

bool Substitution::IsAbsent(const Type& param, const Type& within) const {
  if (SameType(param, within)) return false;
  if (IsParam(within)) {
    const Type* const found = Find(within);
    return found == nullptr || IsAbsent(param, *found);
  }
  return std::all_of(within->params.begin(), within->params.end(),
                     [&](const Type& inner) { return IsAbsent(param, inner); });
}

Type Substitution::Apply(const Type& type, bool to_dyn) const {
  if (const Type* const found = Find(type)) return Apply(*found, to_dyn);
  if (IsParam(type)) return to_dyn ? SimpleType(TypeKind::kDyn) : type;
  if (type->params.empty()) return type;
  TypeNode node = *type;
  for (Type& inner : node.params) inner = Apply(inner, to_dyn);
  return std::make_shared<const TypeNode>(std::move(node));
}

}  // namespace capstan::cel
