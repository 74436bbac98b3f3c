// SPDX-License-Identifier: Apache-2.0
#include "capstan/testing/apiserver/internal/strategic_merge.h"

#include <algorithm>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "capstan/clientgo/runtime/json_writer.h"
#include "capstan/testing/apiserver/internal/go_fields.h"

namespace capstan::testing::apiserver {
namespace {

constexpr std::string_view kPatch = "$patch";
constexpr std::string_view kRetainKeys = "$retainKeys";
constexpr std::string_view kDeleteFromList = "$deleteFromPrimitiveList/";
constexpr std::string_view kElementOrder = "$setElementOrder/";

std::string_view DirectiveOf(const JsonValue& value) {
  return value.IsObject() ? GetString(value, kPatch) : std::string_view();
}

// Returns what identifies an item of a merged list: the value of its key, or the value itself.
std::string IdentityOf(const Field& list, const JsonValue& item) {
  if (list.merge_key.empty()) return clientgo::runtime::ToJson(item);
  const JsonValue* const key = item.IsObject() ? Find(item, list.merge_key) : nullptr;
  return key == nullptr ? std::string() : clientgo::runtime::ToJson(*key);
}

bool IsMerged(const Field* field) {
  return field != nullptr && field->shape == Field::Shape::kList &&
         field->patch_strategy.find("merge") != std::string_view::npos;
}

// Merger applies one patch. It recurses as deep as the patch, which the JSON parser limits.
class Merger {
 public:
  explicit Merger(JsonAllocator& allocator) : allocator_(allocator) {}

  // `message` null: the fields have no known types.
  void MergeObject(const Message* message, JsonValue& target, const JsonValue& patch);

 private:
  void MergeMember(const Field* field, JsonValue& target, std::string_view name,
                   const JsonValue& value);
  void MergeMap(const Field& field, JsonValue& target, const JsonValue& patch);
  void MergeList(const Field& field, JsonValue& target, const JsonValue& patch);
  void ReadDirectives(const Message* message, JsonValue& target, const JsonValue& patch);
  void DeleteFromList(JsonValue& target, std::string_view name, const JsonValue& gone);
  void SetOrder(const Field& field, JsonValue& list, const JsonValue& order);
  void Interleave(const Field& field, JsonValue& list, std::vector<JsonValue> rest,
                  std::vector<JsonValue> patched, const std::vector<std::string>& server_order);

  JsonAllocator& allocator_;
};

void Merger::MergeObject(const Message* message, JsonValue& target, const JsonValue& patch) {
  const std::string_view directive = DirectiveOf(patch);
  if (directive == "replace" || directive == "delete") target.SetObject();
  if (directive == "delete") return;
  for (const auto& member : patch.GetObject()) {
    const std::string_view name = ToView(member.name);
    if (name.starts_with(kDeleteFromList)) {
      DeleteFromList(target, name.substr(kDeleteFromList.size()), member.value);
    }
  }
  for (const auto& member : patch.GetObject()) {
    const std::string_view name = ToView(member.name);
    if (name == kPatch || name == kRetainKeys || name.starts_with(kDeleteFromList) ||
        name.starts_with(kElementOrder)) {
      continue;
    }
    MergeMember(message == nullptr ? nullptr : message->Find(name), target, name, member.value);
  }
  ReadDirectives(message, target, patch);
}

void Merger::MergeMember(const Field* field, JsonValue& target, std::string_view name,
                         const JsonValue& value) {
  if (value.IsNull()) return Remove(target, name);
  JsonValue* const existing = FindMutable(target, name);
  if (value.IsObject()) {
    JsonValue& object = existing != nullptr && existing->IsObject()
                            ? *existing
                            : Set(target, name, JsonValue(rapidjson::kObjectType), allocator_);
    if (field != nullptr && field->shape == Field::Shape::kMap) {
      return MergeMap(*field, object, value);
    }
    return MergeObject(field == nullptr ? nullptr : field->message, object, value);
  }
  if (value.IsArray() && IsMerged(field)) {
    JsonValue& list = existing != nullptr && existing->IsArray()
                          ? *existing
                          : Set(target, name, JsonValue(rapidjson::kArrayType), allocator_);
    return MergeList(*field, list, value);
  }
  Set(target, name, JsonValue(value, allocator_), allocator_);
}

void Merger::MergeMap(const Field& field, JsonValue& target, const JsonValue& patch) {
  Field element = field;
  element.shape = Field::Shape::kOne;
  const std::string_view directive = DirectiveOf(patch);
  if (directive == "replace" || directive == "delete") target.SetObject();
  if (directive == "delete") return;
  for (const auto& member : patch.GetObject()) {
    const std::string_view name = ToView(member.name);
    if (name != kPatch) MergeMember(&element, target, name, member.value);
  }
}

void Merger::MergeList(const Field& field, JsonValue& target, const JsonValue& patch) {
  const auto replaces = [](const JsonValue& item) { return DirectiveOf(item) == "replace"; };
  if (std::any_of(patch.Begin(), patch.End(), replaces)) target.Clear();
  std::vector<std::string> server_order;
  for (const JsonValue& item : target.GetArray()) server_order.push_back(IdentityOf(field, item));
  std::vector<JsonValue> patched;
  for (const JsonValue& item : patch.GetArray()) {
    if (replaces(item)) continue;
    const std::string identity = IdentityOf(field, item);
    auto* const existing = std::find_if(target.Begin(), target.End(), [&](const JsonValue& one) {
      return IdentityOf(field, one) == identity;
    });
    const bool found = existing != target.End();
    if (DirectiveOf(item) != "delete") {
      if (item.IsObject()) {
        patched.emplace_back(rapidjson::kObjectType);
        if (found && existing->IsObject()) patched.back().CopyFrom(*existing, allocator_);
        MergeObject(field.message, patched.back(), item);
      } else {
        patched.emplace_back(item, allocator_);
      }
    }
    if (found) target.Erase(existing);
  }
  std::vector<JsonValue> rest(std::make_move_iterator(target.Begin()),
                              std::make_move_iterator(target.End()));
  Interleave(field, target, std::move(rest), std::move(patched), server_order);
}

// Mirrors mergeSortedSlice of strategicpatch: items of the patch keep its order. They come before
// the other items, except before those that preceded them on the server.
void Merger::Interleave(const Field& field, JsonValue& list, std::vector<JsonValue> rest,
                        std::vector<JsonValue> patched,
                        const std::vector<std::string>& server_order) {
  const auto place = [&](const JsonValue& item) {
    return std::find(server_order.begin(), server_order.end(), IdentityOf(field, item));
  };
  list.Clear();
  auto left = rest.begin();
  auto right = patched.begin();
  while (left != rest.end() || right != patched.end()) {
    bool take_left = right == patched.end();
    if (!take_left && left != rest.end()) {
      const auto known = place(*right);
      take_left = known != server_order.end() && place(*left) < known;
    }
    list.PushBack(take_left ? *left++ : *right++, allocator_);
  }
}

// "$retainKeys" keeps only the named members. "$setElementOrder/<list>" orders a list.
void Merger::ReadDirectives(const Message* message, JsonValue& target, const JsonValue& patch) {
  const JsonValue& retained = ListAt(patch, kRetainKeys);
  for (auto member = target.MemberBegin(); !retained.Empty() && target.MemberEnd() - member > 0;) {
    const auto* const at = std::find(retained.Begin(), retained.End(), member->name);
    member = at == retained.End() ? target.EraseMember(member) : member + 1;
  }
  for (const auto& member : patch.GetObject()) {
    std::string_view name = ToView(member.name);
    if (!name.starts_with(kElementOrder) || !member.value.IsArray() || message == nullptr) continue;
    name.remove_prefix(kElementOrder.size());
    const Field* const field = message->Find(name);
    JsonValue* const list = FindMutable(target, name);
    if (list != nullptr && list->IsArray() && IsMerged(field))
      SetOrder(*field, *list, member.value);
  }
}

// The items that `order` names take each other's places; the others stay.
void Merger::SetOrder(const Field& field, JsonValue& list, const JsonValue& order) {
  std::vector<std::string> wanted;
  for (const JsonValue& item : order.GetArray()) wanted.push_back(IdentityOf(field, item));
  const auto rank = [&](const JsonValue& item) {
    return std::find(wanted.begin(), wanted.end(), IdentityOf(field, item)) - wanted.begin();
  };
  const auto known = static_cast<std::ptrdiff_t>(wanted.size());
  std::vector<rapidjson::SizeType> places;
  std::vector<std::pair<std::ptrdiff_t, JsonValue>> items;
  for (rapidjson::SizeType i = 0; i < list.Size(); ++i) {
    const std::ptrdiff_t at = rank(list[i]);
    if (at == known) continue;
    places.push_back(i);
    items.emplace_back(at, std::move(list[i]));
  }
  std::stable_sort(items.begin(), items.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  for (std::size_t i = 0; i < places.size(); ++i) list[places[i]] = std::move(items[i].second);
}

void Merger::DeleteFromList(JsonValue& target, std::string_view name, const JsonValue& gone) {
  JsonValue* const list = FindMutable(target, name);
  if (list == nullptr || !list->IsArray() || !gone.IsArray()) return;
  for (const JsonValue& value : gone.GetArray()) {
    auto* const at = std::find(list->Begin(), list->End(), value);
    if (at != list->End()) list->Erase(at);
  }
}

// These check only what meets something in the target. kube-apiserver takes the rest as it is.
std::optional<Status> CheckPatch(const Message* message, const JsonValue& target,
                                 const JsonValue& patch);

std::optional<Status> CheckList(const Field& field, const JsonValue& target,
                                const JsonValue& list) {
  for (const JsonValue& item : list.GetArray()) {
    if (!item.IsObject() || field.merge_key.empty() || DirectiveOf(item) == "replace") continue;
    if (Find(item, field.merge_key) == nullptr) {
      return InternalError("map: " + GoText(item) +
                           " does not contain declared merge key: " + std::string(field.merge_key));
    }
    const std::string identity = IdentityOf(field, item);
    for (const JsonValue& existing : target.GetArray()) {
      if (IdentityOf(field, existing) != identity) continue;
      if (auto error = CheckPatch(field.message, existing, item)) return error;
    }
  }
  return std::nullopt;
}

std::optional<Status> CheckPatch(const Message* message, const JsonValue& target,
                                 const JsonValue& patch) {
  if (const JsonValue* const directive = Find(patch, kPatch)) {
    const std::string_view text = DirectiveOf(patch);
    if (text != "replace" && text != "delete" && text != "merge") {
      return InternalError("unknown patch type: " + GoText(*directive) +
                           " in map: " + GoText(patch));
    }
  }
  const JsonValue* const retained = Find(patch, kRetainKeys);
  if (retained != nullptr && !retained->IsArray()) {
    return BadRequest("invalid patch format of retainKeys");
  }
  for (const auto& member : patch.GetObject()) {
    const JsonValue* const existing = Find(target, ToView(member.name));
    if (existing == nullptr || existing->GetType() != member.value.GetType()) continue;
    const Field* const field = message == nullptr ? nullptr : message->Find(ToView(member.name));
    std::optional<Status> error;
    if (member.value.IsObject()) {
      const bool map = field == nullptr || field->shape != Field::Shape::kOne;
      error = CheckPatch(map ? nullptr : field->message, *existing, member.value);
    } else if (member.value.IsArray() && IsMerged(field)) {
      error = CheckList(*field, *existing, member.value);
    }
    if (error) return error;
  }
  return std::nullopt;
}

}  // namespace

std::optional<Status> CheckStrategicMergePatch(const Message& message, const JsonValue& target,
                                               const JsonValue& patch) {
  return CheckPatch(&message, target, patch);
}

void ApplyStrategicMergePatch(const Message& message, JsonValue& target, const JsonValue& patch,
                              JsonAllocator& allocator) {
  Merger(allocator).MergeObject(&message, target, patch);
}

}  // namespace capstan::testing::apiserver
