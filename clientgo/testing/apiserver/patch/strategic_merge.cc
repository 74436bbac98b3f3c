// SPDX-License-Identifier: Apache-2.0
#include "clientgo/testing/apiserver/patch/strategic_merge.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "capstan/text.h"
#include "clientgo/testing/apiserver/patch/go_slice.h"
#include "clientgo/testing/apiserver/patch/patch_type.h"
#include "clientgo/testing/apiserver/types/go_fields.h"

namespace capstan::testing::apiserver {
namespace {

using runtime::JsonValue;

constexpr std::string_view kPatch = "$patch";
constexpr std::string_view kRetainKeys = "$retainKeys";
constexpr std::string_view kDeleteFromList = "$deleteFromPrimitiveList";
constexpr std::string_view kElementOrder = "$setElementOrder";

// Kind is the type that Go's decoder gives a value.
enum class Kind { kNull, kBool, kInteger, kFloat, kString, kList, kMap };

Kind KindOf(const JsonValue& value) {
  if (value.IsNull()) return Kind::kNull;
  if (value.IsBool()) return Kind::kBool;
  if (value.IsString()) return Kind::kString;
  if (value.IsArray()) return Kind::kList;
  if (value.IsObject()) return Kind::kMap;
  return value.IsInt64() ? Kind::kInteger : Kind::kFloat;
}

tl::unexpected<Status> Internal(const std::string& message) {
  return tl::unexpected(InternalError(message));
}

tl::unexpected<Status> NoList(const JsonValue& value) {
  return Internal("expected a []interface {}, but received a " + runtime::GoTypeName(value));
}

tl::unexpected<Status> NoMap(const JsonValue& value) {
  return Internal("expected a map[string]interface {}, but received a " +
                  runtime::GoTypeName(value));
}

tl::unexpected<Status> NoMergeKey(const JsonValue& item, std::string_view key) {
  return Internal("map: " + GoText(item) +
                  " does not contain declared merge key: " + std::string(key));
}

tl::unexpected<Status> UnknownDirective(const JsonValue& directive, const JsonValue& map) {
  return Internal("unknown patch type: " + GoText(directive) + " in map: " + GoText(map));
}

bool IsText(const JsonValue& value, std::string_view text) {
  return value.IsString() && runtime::ToView(value) == text;
}

std::string TextOf(const Slice& list) {
  return "[" + Join(list, " ", [](const JsonValue* item) { return GoText(*item); }) + "]";
}

// Returns "a" for the directive "<prefix>/a". The error is for a directive without a name.
Result<std::string> ListNameOf(std::string_view directive, std::string_view prefix,
                               std::string_view error) {
  directive.remove_prefix(prefix.size());
  if (!directive.starts_with('/')) return tl::unexpected(BadRequest(std::string(error)));
  return std::string(directive.substr(1));
}

// Removes the maps with "$patch" from a value that is new in the target. Returns false when the
// value itself is one of them.
bool RemoveDirectives(JsonValue& value) {
  if (value.IsObject()) {
    if (runtime::Find(value, kPatch) != nullptr) return false;
    for (auto member = value.MemberBegin(); value.MemberEnd() - member > 0;) {
      member = RemoveDirectives(member->value) ? member + 1 : value.EraseMember(member);
    }
  } else if (value.IsArray()) {
    for (auto* item = value.Begin(); item != value.End();) {
      item = RemoveDirectives(*item) ? item + 1 : value.Erase(item);
    }
  }
  return true;
}

// Merger applies one patch, and moves values out of it. The recursion is as deep as the patch,
// whose depth the JSON parser limits.
class Merger {
 public:
  explicit Merger(JsonAllocator& allocator) : allocator_(allocator) {}

  Result<void> Merge(const PatchType& type, JsonValue& target, JsonValue& patch) {
    auto merged = MergeMap(type, target, patch);
    if (!panicked_) return merged;
    return Internal("the patch compares maps or lists; a merge key is a text or a number");
  }

 private:
  Result<void> MergeMap(const PatchType& type, JsonValue& target, JsonValue& patch);
  Result<void> RunDirective(const JsonValue& directive, JsonValue& target, JsonValue& patch);
  Result<void> RetainKeys(JsonValue& target, JsonValue& patch);
  Result<void> MergeOrderedLists(const PatchType& type, JsonValue& target, JsonValue& patch);
  Result<void> MergeOrderedList(const PatchType& type, JsonValue& target, JsonValue& patch,
                                const std::string& name, JsonValue& order);
  Result<void> CheckOrder(const Slice& patch, const Slice& order, std::string_view key);
  Result<void> MergeMember(const PatchType& type, JsonValue& target, std::string_view name,
                           JsonValue& value, bool deletes);
  Result<Slice> MergeList(const PatchListField& field, Slice target, Slice patch, bool deletes);
  Result<void> TakeSpecialItems(std::string_view key, Slice& target, Slice& patch);
  Result<void> MergeItems(const PatchListField& field, Slice& target, const Slice& patch);
  void DropRepeated(Slice& list);
  Slice Without(const Slice& list, const Slice& gone);
  Result<Slice> Arrange(const Slice& merged, const Slice& patch_order, const Slice& server_order,
                        std::string_view key, Kind kind);
  Result<Slice> Sort(const Slice& items, const Slice& order, std::string_view key, Kind kind);
  Result<std::optional<std::size_t>> FindItem(const Slice& list, std::string_view key,
                                              const JsonValue& value);
  std::ptrdiff_t RankOf(const JsonValue& item, const Slice& order, std::string_view key, Kind kind);
  Result<bool> IsSameItem(const JsonValue& a, const JsonValue& b, std::string_view key);
  bool Same(const JsonValue& a, const JsonValue& b);
  bool Contains(const Slice& list, const JsonValue& value);
  void Assign(JsonValue& list, const Slice& items);
  JsonValue Take(JsonValue& value);

  JsonAllocator& allocator_;
  bool panicked_ = false;  // Go compares maps or lists, which ends a request with an error
};

// Compares values as Go compares interfaces: 1 and 1.0 have different types.
bool Merger::Same(const JsonValue& a, const JsonValue& b) {
  const Kind kind = KindOf(a);
  if (kind != KindOf(b)) return false;
  if (kind == Kind::kMap || kind == Kind::kList) panicked_ = true;
  return kind < Kind::kList && a == b;
}

// Looks up a scalar as in a Go map.
bool Merger::Contains(const Slice& list, const JsonValue& value) {
  if (KindOf(value) >= Kind::kList) panicked_ = true;
  return std::any_of(list.begin(), list.end(),
                     [&](const JsonValue* item) { return Same(*item, value); });
}

void Merger::Assign(JsonValue& list, const Slice& items) {
  JsonValue next(rapidjson::kArrayType);
  next.Reserve(static_cast<rapidjson::SizeType>(items.size()), allocator_);
  for (JsonValue* const item : items) next.PushBack(*item, allocator_);
  list = std::move(next);
}

// Moves a list or a map out of the patch. Copies others: a merge key must stay with its item.
JsonValue Merger::Take(JsonValue& value) {
  if (KindOf(value) < Kind::kList) return {value, allocator_};
  return std::move(value);
}

Result<void> Merger::MergeMap(const PatchType& type, JsonValue& target, JsonValue& patch) {
  if (const JsonValue* const directive = runtime::Find(patch, kPatch)) {
    return RunDirective(*directive, target, patch);
  }
  if (auto kept = RetainKeys(target, patch); !kept) return kept;
  if (auto ordered = MergeOrderedLists(type, target, patch); !ordered) return ordered;
  for (const bool deletes : {true, false}) {
    for (auto member = patch.MemberBegin(); patch.MemberEnd() - member > 0; ++member) {
      std::string name(runtime::ToView(member->name));
      if (name.starts_with(kDeleteFromList) != deletes) continue;
      if (deletes) {
        auto list = ListNameOf(name, kDeleteFromList, "invalid patch format of primitive list");
        if (!list) return tl::unexpected(std::move(list.error()));
        if (!list->empty()) name = *std::move(list);
      }
      auto merged = MergeMember(type, target, name, member->value, deletes);
      if (!merged) return merged;
    }
  }
  return {};
}

Result<void> Merger::RunDirective(const JsonValue& directive, JsonValue& target, JsonValue& patch) {
  if (IsText(directive, "replace")) {
    Remove(patch, kPatch);
    target = std::move(patch);
  } else if (IsText(directive, "delete")) {
    target.SetObject();
  } else {
    return UnknownDirective(directive, patch);
  }
  return {};
}

// "$retainKeys" names all members of the patch, and those of the target that stay.
Result<void> Merger::RetainKeys(JsonValue& target, JsonValue& patch) {
  constexpr const char* kInvalid = "invalid patch format of retainKeys";
  JsonValue* const directive = FindMutable(patch, kRetainKeys);
  if (directive == nullptr) return {};
  JsonValue list = std::move(*directive);
  Remove(patch, kRetainKeys);
  if (!list.IsArray()) return tl::unexpected(BadRequest(kInvalid));
  const Slice kept(&list);
  for (const JsonValue* const key : kept) {
    if (KindOf(*key) >= Kind::kList) panicked_ = true;
  }
  for (const auto& member : std::as_const(patch).GetObject()) {
    const std::string_view name = runtime::ToView(member.name);
    if (member.value.IsNull() || name.starts_with(kDeleteFromList) ||
        name.starts_with(kElementOrder) || Contains(kept, member.name)) {
      continue;
    }
    return tl::unexpected(BadRequest(kInvalid));
  }
  for (auto member = target.MemberBegin(); target.MemberEnd() - member > 0;) {
    member = Contains(kept, member->name) ? member + 1 : target.EraseMember(member);
  }
  return {};
}

// Merges the lists that have a "$setElementOrder/<list>", and removes them from the patch.
Result<void> Merger::MergeOrderedLists(const PatchType& type, JsonValue& target, JsonValue& patch) {
  std::vector<std::string> directives;
  for (const auto& member : std::as_const(patch).GetObject()) {
    if (runtime::ToView(member.name).starts_with(kElementOrder)) {
      directives.emplace_back(runtime::ToView(member.name));
    }
  }
  for (const std::string& directive : directives) {
    JsonValue order = std::move(*FindMutable(patch, directive));
    Remove(patch, directive);
    if (!order.IsArray()) return NoList(order);
    const auto name =
        ListNameOf(directive, kElementOrder, "invalid patch format of setElementOrder list");
    if (!name) return tl::unexpected(name.error());
    if (auto merged = MergeOrderedList(type, target, patch, *name, order); !merged) return merged;
  }
  return {};
}

// Returns the kind of the items of two lists, which must be the same.
Result<Kind> ItemKind(const Slice& target, const Slice& patch) {
  std::optional<Kind> kind;
  for (const Slice* const list : {&target, &patch}) {
    for (const JsonValue* const item : *list) {
      if (!kind) kind = KindOf(*item);
      if (*kind == Kind::kNull) {
        return Internal("the first item of a merged list is null");
      }
      if (*kind == Kind::kList) {
        return tl::unexpected(
            Status{.code = 422,
                   .reason = "Invalid",
                   .message = "the server rejected our request due to an error in our request",
                   .has_details = true});
      }
      if (*kind != KindOf(*item)) {
        return Internal("list element types are not identical: [" + TextOf(target) + " " +
                        TextOf(patch) + "]");
      }
    }
  }
  if (!kind) return Internal("no elements in any of the given slices");
  return *kind;
}

Result<void> Merger::MergeOrderedList(const PatchType& type, JsonValue& target, JsonValue& patch,
                                      const std::string& name, JsonValue& order) {
  JsonValue* const existing = FindMutable(target, name);
  JsonValue* const given = FindMutable(patch, name);
  if (existing != nullptr && !existing->IsArray()) return NoList(*existing);
  if (given != nullptr && !given->IsArray()) return NoList(*given);
  const auto field = FindListField(type, name);
  if (!field) return tl::unexpected(field.error());
  const Slice target_items(existing);
  const Slice patch_items(given);
  const Slice order_items(&order);
  if (auto valid = CheckOrder(patch_items, order_items, field->key); !valid) return valid;
  if (existing == nullptr && given == nullptr) return {};
  const auto kind = ItemKind(target_items, patch_items);
  if (!kind) return tl::unexpected(kind.error());
  Result<Slice> merged = target_items;
  if (existing == nullptr) {
    RemoveDirectives(*given);
    merged = Slice(given);
  } else if (given != nullptr) {
    merged = field->merged ? MergeList(*field, target_items, patch_items, false) : patch_items;
  }
  if (!merged) return tl::unexpected(std::move(merged.error()));
  const auto arranged = Arrange(*merged, order_items, target_items, field->key, *kind);
  if (!arranged) return tl::unexpected(arranged.error());
  JsonValue list;
  Assign(list, *arranged);
  Set(target, name, std::move(list), allocator_);
  Remove(patch, name);
  return {};
}

// Checks that the items of the patch are in the order, and in this order.
Result<void> Merger::CheckOrder(const Slice& patch, const Slice& order, std::string_view key) {
  if (order.empty() || patch.empty()) return {};
  std::vector<const JsonValue*> expected;
  for (const JsonValue* const item : patch) {
    if (!key.empty() && !item->IsObject()) return NoMap(*item);
    const JsonValue* const directive = item->IsObject() ? runtime::Find(*item, kPatch) : nullptr;
    if (key.empty() || directive == nullptr || !IsText(*directive, "delete")) {
      expected.push_back(item);
    }
  }
  auto next = expected.begin();
  auto* const* at = &*order.begin();
  auto* const* const end = at + order.size();
  while (next != expected.end() && at != end) {
    if ((*next)->IsObject() && runtime::Find(**next, kPatch) != nullptr) {
      ++next;
      continue;
    }
    const auto same = IsSameItem(**next, **at, key);
    if (!same) return tl::unexpected(same.error());
    if (*same) ++next;
    ++at;
  }
  if (next == expected.end()) return {};
  return Internal("The order in patch list:\n" + TextOf(patch) +
                  "\n doesn't match $setElementOrder list:\n" + TextOf(order) + "\n");
}

Result<bool> Merger::IsSameItem(const JsonValue& a, const JsonValue& b, std::string_view key) {
  if (key.empty()) return Same(a, b);
  for (const JsonValue* const item : {&a, &b}) {
    if (!item->IsObject()) return NoMap(*item);
    if (runtime::Find(*item, key) == nullptr) return NoMergeKey(*item, key);
  }
  return Same(*runtime::Find(a, key), *runtime::Find(b, key));
}

// `deletes`: the value has the items to delete from the list.
Result<void> Merger::MergeMember(const PatchType& type, JsonValue& target, std::string_view name,
                                 JsonValue& value, bool deletes) {
  if (value.IsNull()) {
    Remove(target, name);
    return {};
  }
  JsonValue* const existing = FindMutable(target, name);
  if (existing == nullptr || KindOf(*existing) != KindOf(value)) {
    if (deletes) return {};
    DropNulls(value);
    if (RemoveDirectives(value)) {
      Set(target, name, Take(value), allocator_);
    } else {
      Remove(target, name);
    }
    return {};
  }
  if (value.IsObject()) {
    const auto field = FindField(type, name);
    if (!field) return tl::unexpected(field.error());
    return MergeMap(TypeOf(**field), *existing, value);
  }
  if (!value.IsArray()) {
    *existing = Take(value);
    return {};
  }
  const auto field = FindListField(type, name);
  if (!field) return tl::unexpected(field.error());
  if (!field->merged && !deletes) {
    *existing = std::move(value);
    return {};
  }
  const auto merged = MergeList(*field, Slice(existing), Slice(&value), deletes);
  if (!merged) return tl::unexpected(merged.error());
  Assign(*existing, *merged);
  return {};
}

Result<Slice> Merger::MergeList(const PatchListField& field, Slice target, Slice patch,
                                bool deletes) {
  if (target.empty() && patch.empty()) return target;
  const auto kind = ItemKind(target, patch);
  if (!kind) return tl::unexpected(kind.error());
  Slice merged;
  if (*kind != Kind::kMap) {
    if (deletes) return Without(target, patch);
    merged = target;
    merged.Append(patch);
    DropRepeated(merged);
  } else {
    if (field.key.empty()) {
      return Internal("cannot merge lists without merge key for " + std::string(field.items.kind));
    }
    if (auto taken = TakeSpecialItems(field.key, target, patch); !taken) {
      return tl::unexpected(std::move(taken.error()));
    }
    merged = target;
    if (auto done = MergeItems(field, merged, patch); !done) {
      return tl::unexpected(std::move(done.error()));
    }
  }
  return Arrange(merged, patch, target, field.key, *kind);
}

// Runs the directives among the items, and takes them out of the patch.
Result<void> Merger::TakeSpecialItems(std::string_view key, Slice& target, Slice& patch) {
  Slice others;
  bool replace = false;
  for (JsonValue* const item : patch) {
    const JsonValue* const directive = runtime::Find(*item, kPatch);
    if (directive == nullptr) {
      others.Append(item);
    } else if (IsText(*directive, "replace")) {
      replace = true;
    } else if (IsText(*directive, "delete")) {
      const JsonValue* const value = runtime::Find(*item, key);
      if (value == nullptr) return NoMergeKey(*item, key);
      while (true) {
        const auto at = FindItem(target, key, *value);
        if (!at) return tl::unexpected(at.error());
        if (!*at) break;
        target.Erase(**at);
      }
    } else if (IsText(*directive, "merge")) {
      return Internal("merging lists cannot yet be specified in the patch");
    } else {
      return UnknownDirective(*directive, *item);
    }
  }
  patch = replace ? Slice() : others;
  if (replace) target = others;
  return {};
}

Result<void> Merger::MergeItems(const PatchListField& field, Slice& target, const Slice& patch) {
  for (JsonValue* const item : patch) {
    const JsonValue* const value = runtime::Find(*item, field.key);
    if (value == nullptr) return NoMergeKey(*item, field.key);
    const auto at = FindItem(target, field.key, *value);
    if (!at) return tl::unexpected(at.error());
    if (!*at) {
      target.Append(item);
    } else if (auto merged = MergeMap(field.items, *target[**at], *item); !merged) {
      return merged;
    }
  }
  return {};
}

// Removes repeated items. As in Go, the last item of the list moves to the place of each.
void Merger::DropRepeated(Slice& list) {
  std::size_t size = list.size();
  for (std::size_t i = 0; i < size; ++i) {
    for (std::size_t j = i + 1; j < size;) {
      if (Same(*list[i], *list[j])) {
        list[j] = list[--size];
      } else {
        ++j;
      }
    }
  }
  list.Truncate(size);
}

Slice Merger::Without(const Slice& list, const Slice& gone) {
  Slice rest;
  for (JsonValue* const item : list) {
    if (!Contains(gone, *item)) rest.Append(item);
  }
  return rest;
}

// Returns the index of the item whose merge key has this value; nullopt: there is none.
Result<std::optional<std::size_t>> Merger::FindItem(const Slice& list, std::string_view key,
                                                    const JsonValue& value) {
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (!list[i]->IsObject()) {
      return Internal("value for key " + std::to_string(i) + " is not a map");
    }
    const JsonValue* const one = runtime::Find(*list[i], key);
    if (one != nullptr && Same(*one, value)) return std::optional(i);
  }
  return std::optional<std::size_t>();
}

// Returns the index of the item in the order; -1: it is not there.
std::ptrdiff_t Merger::RankOf(const JsonValue& item, const Slice& order, std::string_view key,
                              Kind kind) {
  static const JsonValue null;
  const auto identity = [&](const JsonValue& one) {
    if (kind != Kind::kMap) return &one;
    const JsonValue* const value = one.IsObject() ? runtime::Find(one, key) : nullptr;
    return value == nullptr ? &null : value;
  };
  for (std::size_t i = 0; i < order.size(); ++i) {
    if (Same(*identity(item), *identity(*order[i]))) return static_cast<std::ptrdiff_t>(i);
  }
  return -1;
}

// Orders a merged list. Items of the patch keep its order. They come before the other items, except
// before those that preceded them on the server.
Result<Slice> Merger::Arrange(const Slice& merged, const Slice& patch_order,
                              const Slice& server_order, std::string_view key, Kind kind) {
  Slice in_patch;
  Slice others;
  for (const JsonValue* const item : patch_order) {
    if (key.empty() && KindOf(*item) >= Kind::kList) panicked_ = true;
  }
  for (JsonValue* const item : merged) {
    bool found = false;
    if (key.empty()) {
      found = Contains(patch_order, *item);
    } else {
      if (!item->IsObject()) return NoMap(*item);
      const JsonValue* const value = runtime::Find(*item, key);
      if (value == nullptr) return NoMergeKey(*item, key);
      const auto at = FindItem(patch_order, key, *value);
      if (!at) return tl::unexpected(at.error());
      found = at->has_value();
    }
    (found ? in_patch : others).Append(item);
  }
  auto right = Sort(in_patch, patch_order, key, kind);
  if (!right) return right;
  auto left = Sort(others, server_order, key, kind);
  if (!left) return left;
  const auto rank = [&](const JsonValue& item) { return RankOf(item, server_order, key, kind); };
  Slice all;
  std::size_t l = 0;
  for (JsonValue* const item : *right) {
    const std::ptrdiff_t place = l == left->size() ? -1 : rank(*item);
    for (; l < left->size(); ++l) {
      const std::ptrdiff_t before = rank(*(*left)[l]);
      if (before < 0 || before >= place) break;
      all.Append((*left)[l]);
    }
    all.Append(item);
  }
  for (; l < left->size(); ++l) all.Append((*left)[l]);
  return all;
}

Result<Slice> Merger::Sort(const Slice& items, const Slice& order, std::string_view key,
                           Kind kind) {
  using Ranked = std::pair<std::ptrdiff_t, JsonValue*>;
  std::vector<Ranked> ranked;
  Slice deleted;
  for (const Slice* const list : {&items, &order}) {
    for (const JsonValue* const item : *list) {
      if (kind != Kind::kMap) break;
      if (!item->IsObject()) return NoMap(*item);
      if (runtime::Find(*item, key) == nullptr) return NoMergeKey(*item, key);
    }
  }
  bool all_known = true;
  for (JsonValue* const item : items) {
    const JsonValue* const directive = kind == Kind::kMap ? runtime::Find(*item, kPatch) : nullptr;
    if (directive != nullptr && IsText(*directive, "delete")) {
      deleted.Append(item);
      continue;
    }
    // Go looks up only items that it compares.
    ranked.emplace_back(items.size() < 2 ? 0 : RankOf(*item, order, key, kind), item);
    all_known = all_known && ranked.back().first >= 0;
  }
  if (all_known) {
    std::stable_sort(ranked.begin(), ranked.end(),
                     [](const Ranked& a, const Ranked& b) { return a.first < b.first; });
  } else {
    // Go says that an item without a place comes before every other, and sorts by insertion.
    const auto less = [](const Ranked& a, const Ranked& b) {
      return a.first < 0 || b.first < 0 || a.first < b.first;
    };
    for (std::size_t i = 1; i < ranked.size(); ++i) {
      for (std::size_t j = i; j > 0 && less(ranked[j], ranked[j - 1]); --j) {
        std::swap(ranked[j], ranked[j - 1]);
      }
    }
  }
  Slice sorted;
  for (const auto& [rank, item] : ranked) sorted.Append(item);
  sorted.Append(deleted);
  return sorted;
}

}  // namespace

Result<void> ApplyStrategicMergePatch(const runtime::Message& message, JsonValue& target,
                                      const JsonValue& patch, JsonAllocator& allocator) {
  JsonValue rest(patch, allocator);
  return Merger(allocator).Merge({.message = &message}, target, rest);
}

}  // namespace capstan::testing::apiserver
