// SPDX-License-Identifier: Apache-2.0
#include "clientgo/runtime/repeated_members.h"

#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

#include "clientgo/runtime/json.h"

namespace capstan::runtime {
namespace {

// Up to this number of members, comparing all pairs is faster than a set.
constexpr rapidjson::SizeType kPairsMax = 16;

bool HasRepeats(const JsonValue& object) {
  const auto begin = object.MemberBegin();
  const rapidjson::SizeType count = object.MemberCount();
  if (count > kPairsMax) {
    std::unordered_set<std::string_view> names;
    for (rapidjson::SizeType i = 0; i < count; ++i) {
      if (!names.insert(ToView(begin[i].name)).second) return true;
    }
    return false;
  }
  for (rapidjson::SizeType i = 1; i < count; ++i) {
    const std::string_view name = ToView(begin[i].name);
    for (rapidjson::SizeType j = 0; j < i; ++j) {
      if (ToView(begin[j].name) == name) return true;
    }
  }
  return false;
}

void EraseRepeats(JsonValue& object) {
  const auto begin = object.MemberBegin();
  const rapidjson::SizeType count = object.MemberCount();
  std::unordered_set<std::string_view> names;
  std::vector<bool> is_last(count);
  for (rapidjson::SizeType i = count; i-- > 0;) {
    is_last[i] = names.insert(ToView(begin[i].name)).second;
  }
  rapidjson::SizeType kept = 0;
  for (rapidjson::SizeType i = 0; i < count; ++i) {
    if (!is_last[i]) continue;
    if (kept != i) {
      begin[kept].name = std::move(begin[i].name);
      begin[kept].value = std::move(begin[i].value);
    }
    ++kept;
  }
  object.EraseMember(begin + kept, object.MemberEnd());
}

}  // namespace

void KeepLastMembers(JsonValue& root) {
  std::vector<JsonValue*> open{&root};
  const auto add = [&](JsonValue& value) {
    if (value.IsObject() || value.IsArray()) open.push_back(&value);
  };
  while (!open.empty()) {
    JsonValue& value = *open.back();
    open.pop_back();
    if (value.IsObject()) {
      if (HasRepeats(value)) EraseRepeats(value);
      for (auto member = value.MemberBegin(); value.MemberEnd() - member > 0; ++member) {
        add(member->value);
      }
    } else if (value.IsArray()) {
      for (JsonValue& element : value.GetArray()) add(element);
    }
  }
}

}  // namespace capstan::runtime
