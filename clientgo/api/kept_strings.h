// SPDX-License-Identifier: Apache-2.0
// KeptStrings: the values of a few known keys of a map of strings, such as an object's annotations,
// packed into one heap block. The keys themselves are shared by all objects of a type.
// Immutable once made; safe to read from any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "clientgo/runtime/json_value.h"
#include "clientgo/runtime/projection.h"

namespace clientgo::api {

class KeptStrings {
 public:
  using Keys = std::vector<std::string>;

  // `map` is the JSON object that may have some of `keys`; nullptr when there is none.
  KeptStrings(std::shared_ptr<const Keys> keys, const runtime::JsonValue* map);

  // nullopt when the map does not have `key`; a present one may be empty.
  std::optional<std::string_view> Find(std::string_view key) const;
  bool empty() const { return bytes_ == 0; }
  std::size_t HeapBytes() const { return bytes_; }

 private:
  std::shared_ptr<const Keys> keys_;
  std::unique_ptr<char[]> entries_;  // index of the key, length, text; end to end
  std::uint32_t bytes_ = 0;
};

// The paths of annotations, for a Projection.
std::vector<runtime::Projection::Path> AnnotationPaths(const KeptStrings::Keys& keys);

}  // namespace clientgo::api
