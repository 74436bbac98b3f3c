// SPDX-License-Identifier: Apache-2.0
// Test support: everything a JsonFilter makes of a stream cut into given pieces.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "clientgo/runtime/json_filter.h"

namespace clientgo::runtime {

struct Recording {
  std::vector<std::string> frames;  // "item " before those of a list
  std::string error;                // empty: none
  friend bool operator==(const Recording&, const Recording&) = default;
};

inline void Record(JsonFilter& filter, Recording& recording) {
  if (!filter.HasFrame()) return;
  const bool item = filter.frame_type() == JsonFilter::FrameType::kItem;
  recording.frames.push_back((item ? "item " : "") +
                             std::string(filter.frame(), filter.frame_size()));
}

inline Recording Frames(const Projection& projection, JsonFilter::Options options,
                        const std::vector<std::string_view>& pieces) {
  JsonFilter filter(projection, options);
  Recording recording;
  for (std::string_view piece : pieces) {
    while (!piece.empty()) {
      const auto taken = filter.Feed(piece);
      if (!taken) {
        recording.error = taken.error().message;
        return recording;
      }
      Record(filter, recording);
      piece.remove_prefix(*taken);
    }
  }
  const bool recorded = filter.HasFrame();
  const auto finished = filter.Finish();
  if (!finished) recording.error = finished.error().message;
  if (!recorded) Record(filter, recording);
  return recording;
}

}  // namespace clientgo::runtime
