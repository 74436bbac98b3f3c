// SPDX-License-Identifier: Apache-2.0
// The bytes of protobuf, field by field, as Go's encoder writes them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "clientgo/runtime/protobuf/wire.h"

namespace capstan::runtime {

inline std::string Varint(std::uint64_t value) {
  std::string text;
  AppendVarint(value, text);
  return text;
}

inline std::string Number(std::uint32_t field, std::uint64_t value) {
  return Varint(field << 3U) + Varint(value);
}

inline std::string Bytes(std::uint32_t field, std::string_view value) {
  return Varint((field << 3U) | 2U) + Varint(value.size()) + std::string(value);
}

// Returns an entry of a map.
inline std::string Entry(std::uint32_t field, std::string_view key, std::string_view value) {
  return Bytes(field, Bytes(1, key) + Bytes(2, value));
}

inline std::string Group(std::uint32_t field, std::string_view content) {
  return Varint((field << 3U) | 3U) + std::string(content) + Varint((field << 3U) | 4U);
}

// Returns an object, whose fields are `raw`, in its envelope.
inline std::string Envelope(std::string_view api_version, std::string_view kind,
                            std::string_view raw) {
  return std::string("k8s\0", 4) + Bytes(1, Bytes(1, api_version) + Bytes(2, kind)) + Bytes(2, raw);
}

// Returns an event of a watch with its length.
inline std::string WatchEvent(std::string_view type, std::string_view object) {
  const std::string event = Bytes(1, type) + Bytes(2, Bytes(1, object));
  std::string size;
  for (int shift = 24; shift >= 0; shift -= 8) size += static_cast<char>(event.size() >> shift);
  return size + event;
}

}  // namespace capstan::runtime
