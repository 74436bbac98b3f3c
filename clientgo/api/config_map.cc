// SPDX-License-Identifier: Apache-2.0
#include "capstan/api/config_map.h"

#include <memory>
#include <utility>

#include "capstan/api/gvr.h"
#include "capstan/heap.h"
#include "clientgo/runtime/json.h"

namespace capstan::api {

ConfigMap::ConfigMap(const runtime::ObjectIdentity& meta, Data data)
    : Object(meta), data_(std::move(data)) {}

std::optional<std::string_view> ConfigMap::Find(std::string_view key) const {
  const auto found = data_.find(key);
  if (found == data_.end()) return std::nullopt;
  return found->second;
}

std::size_t ConfigMap::ByteSize() const {
  constexpr std::size_t kNodeBytes = HeapBlockBytes(sizeof(Data::value_type) + 4 * sizeof(void*));
  std::size_t bytes = BlockBytes();
  for (const auto& [key, value] : data_) {
    bytes += kNodeBytes + HeapBytesOf(key) + HeapBytesOf(value);
  }
  return bytes;
}

namespace {

ConfigMap::Data DecodeData(const runtime::JsonValue& value) {
  ConfigMap::Data data;
  const runtime::JsonValue* members = runtime::Find(value, "data");
  if (members == nullptr || !members->IsObject()) return data;
  for (const auto& member : members->GetObject()) {
    if (!member.value.IsString()) continue;
    data.emplace(runtime::ToView(member.name), runtime::ToView(member.value));
  }
  return data;
}

}  // namespace

const runtime::ResourceType& ConfigMap::Type() {
  static const runtime::ResourceType type = {
      .gvr = ConfigMapsResource(),
      .kind = "ConfigMap",
      .namespaced = true,
      .projection = {{"data"}},
      .decode = [](const runtime::ObjectIdentity& meta,
                   const runtime::JsonValue& value) -> Expected<runtime::ObjectPtr> {
        return runtime::MakeObject<ConfigMap>(meta, DecodeData(value));
      }};
  return type;
}

runtime::ResourceType MakeConfigMapType(std::set<std::string, std::less<>> names) {
  runtime::ResourceType type = ConfigMap::Type();
  type.decode = [names = std::move(names)](
                    const runtime::ObjectIdentity& meta,
                    const runtime::JsonValue& value) -> Expected<runtime::ObjectPtr> {
    return runtime::MakeObject<ConfigMap>(
        meta, names.contains(meta.name) ? DecodeData(value) : ConfigMap::Data());
  };
  return type;
}

}  // namespace capstan::api
