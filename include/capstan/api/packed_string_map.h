// SPDX-License-Identifier: Apache-2.0
// PackedStringMap holds the values of a few known keys of an object's annotations or labels, packed
// into one heap block. All objects of a type share the keys. Immutable, so threads can share it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "capstan/export.h"
#include "capstan/heap.h"
#include "capstan/runtime/json_value.h"
#include "capstan/runtime/projection.h"

namespace capstan::api {

class CAPSTAN_EXPORT PackedStringMap {
 public:
  using Keys = std::vector<std::string>;
  static constexpr std::size_t kNoLimit = std::numeric_limits<std::size_t>::max();
  // The end of a value that was cut. No name, key or label value of Kubernetes has this character.
  static constexpr std::string_view kCutMark = "\u2026";

  // `map` is a JSON object that may have some of `keys`, or nullptr. At most `bytes_max` bytes of
  // values are kept, in the order of `keys`. The first value beyond them is cut, and kCutMark is
  // appended. Later values are only kCutMark.
  PackedStringMap(std::shared_ptr<const Keys> keys, const runtime::JsonValue* map,
                  std::size_t bytes_max = kNoLimit);

  // Returns nullopt if `key` is missing. A value may be empty.
  std::optional<std::string_view> Find(std::string_view key) const;
  bool empty() const { return bytes_ == 0; }
  std::size_t HeapBytes() const { return empty() ? 0 : HeapBlockBytes(bytes_); }

 private:
  std::shared_ptr<const Keys> keys_;
  std::unique_ptr<char[]> entries_;  // for each entry: index of the key, length, text
  std::uint32_t bytes_ = 0;
};

// Returns the paths of these annotations for a Projection.
CAPSTAN_EXPORT std::vector<runtime::Projection::Path> AnnotationPaths(
    const PackedStringMap::Keys& keys);

}  // namespace capstan::api
