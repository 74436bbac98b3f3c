// SPDX-License-Identifier: Apache-2.0
#include "clientgo/testing/apiserver/types/correlation.h"

#include <algorithm>
#include <string>

#include "clientgo/testing/apiserver/types/json_edit.h"

namespace capstan::testing::apiserver {
namespace {

// Reports whether two elements have the same keys, all of which are scalars.
bool HasSameKeys(const cel::Schema& list, const runtime::JsonValue& a,
                 const runtime::JsonValue& b) {
  return std::all_of(list.list_keys.begin(), list.list_keys.end(), [&](const std::string& key) {
    const runtime::JsonValue* const x = runtime::Find(a, key);
    const runtime::JsonValue* const y = runtime::Find(b, key);
    const bool both = x != nullptr && y != nullptr;
    return both && !x->IsNull() && !x->IsObject() && !x->IsArray() && *x == *y;
  });
}

}  // namespace

bool IsFloat(const runtime::JsonValue& value) { return value.IsNumber() && !value.IsInt64(); }

bool DeepEqual(const runtime::JsonValue& a, const runtime::JsonValue& b) {
  if (a.IsNumber() && b.IsNumber()) return IsFloat(a) == IsFloat(b) && a == b;
  if (a.IsArray() && b.IsArray()) {
    return a.Size() == b.Size() && std::equal(a.Begin(), a.End(), b.Begin(), DeepEqual);
  }
  if (a.IsObject() && b.IsObject()) {
    return a.MemberCount() == b.MemberCount() &&
           std::all_of(a.MemberBegin(), a.MemberEnd(), [&](const auto& member) {
             const runtime::JsonValue* const other = runtime::Find(b, runtime::ToView(member.name));
             return other != nullptr && DeepEqual(member.value, *other);
           });
  }
  return a == b;
}

const runtime::JsonValue* FindCorrelated(const cel::Schema& list, const runtime::JsonValue* old,
                                         const runtime::JsonValue& element) {
  if (old == nullptr || !old->IsArray() || list.list_type != "map" || list.list_keys.empty()) {
    return nullptr;
  }
  const auto* const found = std::find_if(
      old->Begin(), old->End(),
      [&](const runtime::JsonValue& each) { return HasSameKeys(list, element, each); });
  return found == old->End() ? nullptr : found;
}

Correlation::Correlation(const runtime::JsonValue& value, const runtime::JsonValue* old,
                         const cel::Schema& schema) {
  if (old != nullptr) current_ = {.value = &value, .old = old, .schema = &schema};
}

Correlation::Pair Correlation::MemberOf(const Pair& pair, std::string_view name) {
  if (pair.value == nullptr) return {};
  const runtime::JsonValue* const value = runtime::Find(*pair.value, name);
  const runtime::JsonValue* const old = runtime::Find(*pair.old, name);
  const cel::Schema* const schema = pair.schema->Member(name);
  if (value == nullptr || old == nullptr || schema == nullptr) return {};
  return {.value = value, .old = old, .schema = schema};
}

Correlation::Pair Correlation::ItemOf(const Pair& pair, std::size_t index) {
  if (pair.value == nullptr || !pair.value->IsArray() || pair.schema->items == nullptr) return {};
  const runtime::JsonValue& value = (*pair.value)[static_cast<rapidjson::SizeType>(index)];
  const runtime::JsonValue* const old = FindCorrelated(*pair.schema, pair.old, value);
  if (old == nullptr) return {};
  return {.value = &value, .old = old, .schema = pair.schema->items.get()};
}

bool Correlation::Same(const Pair& pair) {
  if (pair.value == nullptr) return false;
  const runtime::JsonValue& value = *pair.value;
  const runtime::JsonValue& old = *pair.old;
  if (value.IsArray() && old.IsArray() && pair.schema->list_type == "map") {
    if (value.Size() != old.Size()) return false;
    for (rapidjson::SizeType i = 0; i < value.Size(); ++i) {
      if (!Same(ItemOf(pair, i))) return false;
    }
    return true;
  }
  if (!value.IsObject() || !old.IsObject()) return DeepEqual(value, old);
  return value.MemberCount() == old.MemberCount() &&
         std::all_of(value.MemberBegin(), value.MemberEnd(), [&](const auto& member) {
           return Same(MemberOf(pair, runtime::ToView(member.name)));
         });
}

Correlation Correlation::Member(std::string_view name) const {
  if (current_.value == nullptr) return *this;
  const bool root = around_.value == nullptr;
  // Both objects were converted to the same version.
  if (root && (name == "apiVersion" || name == "kind")) return {Pair(), Pair()};
  return {MemberOf(current_, name), current_};
}

Correlation Correlation::Item(std::size_t index) const {
  if (current_.value == nullptr) return *this;
  return {ItemOf(current_, index), current_};
}

Correlation Correlation::OfAllOf() const { return {Pair(), around_}; }

bool Correlation::IsUnchanged() const {
  return current_.value != nullptr ? Same(current_) : Same(around_);
}

}  // namespace capstan::testing::apiserver
