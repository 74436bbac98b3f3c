// SPDX-License-Identifier: Apache-2.0
#include "capstan/api/packed_string_map.h"

#include <cstring>
#include <utility>

#include "clientgo/runtime/json.h"

namespace capstan::api {
namespace {

struct Entry {
  std::uint32_t key;
  std::uint32_t bytes;
};

}  // namespace

PackedStringMap::PackedStringMap(std::shared_ptr<const Keys> keys, const runtime::JsonValue* map,
                                 std::size_t bytes_max)
    : keys_(std::move(keys)) {
  if (map == nullptr) return;
  std::string packed;
  std::size_t room = bytes_max;
  for (std::uint32_t i = 0; i < keys_->size(); ++i) {
    const runtime::JsonValue* value = runtime::Find(*map, (*keys_)[i]);
    if (value == nullptr || !value->IsString()) continue;
    const std::string_view text = runtime::ToView(*value);
    const std::string_view kept = text.substr(0, room);
    const std::string_view mark = kept.size() < text.size() ? kCutMark : std::string_view();
    room -= kept.size();
    const Entry entry = {.key = i, .bytes = static_cast<std::uint32_t>(kept.size() + mark.size())};
    packed.append(reinterpret_cast<const char*>(&entry), sizeof entry);
    packed.append(kept).append(mark);
  }
  if (packed.empty()) return;
  bytes_ = static_cast<std::uint32_t>(packed.size());
  entries_ = std::make_unique<char[]>(bytes_);
  std::memcpy(entries_.get(), packed.data(), bytes_);
}

std::optional<std::string_view> PackedStringMap::Find(std::string_view key) const {
  for (std::size_t at = 0; at < bytes_;) {
    Entry entry;
    std::memcpy(&entry, entries_.get() + at, sizeof entry);
    at += sizeof entry;
    if ((*keys_)[entry.key] == key) return std::string_view(entries_.get() + at, entry.bytes);
    at += entry.bytes;
  }
  return std::nullopt;
}

std::vector<runtime::Projection::Path> AnnotationPaths(const PackedStringMap::Keys& keys) {
  std::vector<runtime::Projection::Path> paths;
  paths.reserve(keys.size());
  for (const std::string& key : keys) paths.push_back({"metadata", "annotations", key});
  return paths;
}

}  // namespace capstan::api
