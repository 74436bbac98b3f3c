// SPDX-License-Identifier: Apache-2.0
#include "apiserver/metadata_edit.h"

#include <algorithm>

#include "clientgo/util/clock.h"
#include "clientgo/util/time_format.h"

namespace apiserver {

std::string NowText() {
  return clientgo::util::FormatTime(clientgo::util::Clock::Real().WallNow());
}

std::string_view Metadata(const JsonValue& object, std::string_view key) {
  const JsonValue* const metadata = Find(object, "metadata");
  return metadata == nullptr ? std::string_view() : GetString(*metadata, key);
}

void SetMetadata(JsonDocument& object, std::string_view key, std::string_view value) {
  auto& allocator = object.GetAllocator();
  JsonValue& metadata = Ensure(object, "metadata", allocator);
  if (value.empty()) return Remove(metadata, key);
  SetString(metadata, key, value, allocator);
}

void KeepMetadata(const JsonDocument& from, JsonDocument& to, std::string_view key) {
  auto& allocator = to.GetAllocator();
  JsonValue& metadata = Ensure(to, "metadata", allocator);
  const JsonValue* const kept = FindPath(from, {"metadata", key});
  if (kept == nullptr) return Remove(metadata, key);
  Set(metadata, key, JsonValue(*kept, allocator), allocator);
}

void KeepMember(const JsonDocument& from, JsonDocument& to, std::string_view key) {
  const JsonValue* const kept = Find(from, key);
  if (kept == nullptr) return Remove(to, key);
  Set(to, key, JsonValue(*kept, to.GetAllocator()), to.GetAllocator());
}

std::int64_t Generation(const JsonValue& object) {
  const JsonValue* const value = FindPath(object, {"metadata", "generation"});
  return value != nullptr && value->IsInt64() ? value->GetInt64() : 0;
}

void SetGeneration(JsonDocument& object, std::int64_t generation) {
  auto& allocator = object.GetAllocator();
  Set(Ensure(object, "metadata", allocator), "generation", JsonValue(generation), allocator);
}

bool HasFinalizers(const JsonValue& object) {
  const JsonValue* const list = FindPath(object, {"metadata", "finalizers"});
  return list != nullptr && list->IsArray() && !list->Empty();
}

void AddFinalizer(JsonDocument& object, std::string_view finalizer) {
  auto& allocator = object.GetAllocator();
  JsonValue& metadata = Ensure(object, "metadata", allocator);
  JsonValue* list = FindMutable(metadata, "finalizers");
  if (list == nullptr || !list->IsArray()) {
    list = &Set(metadata, "finalizers", JsonValue(rapidjson::kArrayType), allocator);
  }
  JsonValue value = NewString(finalizer, allocator);
  if (std::find(list->Begin(), list->End(), value) == list->End()) {
    list->PushBack(value, allocator);
  }
}

}  // namespace apiserver
