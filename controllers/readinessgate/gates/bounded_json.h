// SPDX-License-Identifier: Apache-2.0
// BoundedJson: one JSON document from an annotation, which anybody may have written: bounded in
// size and depth before it is parsed. Internal to this folder. Not thread-safe.
#pragma once

#include <cstddef>
#include <string_view>

#include "clientgo/runtime/json.h"
#include "clientgo/runtime/json_filter.h"
#include "clientgo/runtime/projection.h"

namespace controllers::readinessgate {

class BoundedJson {
 public:
  static constexpr std::size_t kDepthMax = 32;

  explicit BoundedJson(std::size_t bytes_max) : bytes_max_(bytes_max) {}

  // The root, which dies with this; blanks around it are allowed, nothing else is. Errors are
  // kDecode, name what is wrong with `text` and do not quote it. Use once.
  clientgo::util::Expected<const clientgo::runtime::JsonValue*> Parse(std::string_view text);

 private:
  std::size_t bytes_max_;
  clientgo::runtime::Projection all_ = clientgo::runtime::Projection::All();
  clientgo::runtime::JsonFilter filter_{all_, {.depth_max = kDepthMax}};
  clientgo::runtime::JsonParser parser_;
};

}  // namespace controllers::readinessgate
