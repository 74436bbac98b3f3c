// SPDX-License-Identifier: Apache-2.0
// Test support for every FrameFilter: Frames() records what a filter makes of a stream, and the
// other functions split a stream into pieces.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "capstan/runtime/frame_filter.h"

namespace capstan::runtime {

struct Recording {
  // With the prefix "item " for those of a list, and with the limit that was exceeded.
  std::vector<std::string> frames;
  std::string error;  // empty: no error
  friend bool operator==(const Recording&, const Recording&) = default;
};

inline void Record(FrameFilter& filter, Recording& recording) {
  if (!filter.HasFrame()) return;
  const bool item = filter.frame_type() == FrameFilter::FrameType::kItem;
  recording.frames.push_back((item ? "item " : "") +
                             std::string(filter.frame(), filter.frame_size()));
  if (!filter.exceeded().empty()) recording.frames.back() += " " + filter.exceeded();
}

inline Recording Frames(FrameFilter& filter, const std::vector<std::string_view>& pieces) {
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
  const std::size_t before = filter.frames();
  const auto finished = filter.Finish();
  if (!finished) recording.error = finished.error().message;
  if (filter.frames() != before) Record(filter, recording);
  return recording;
}

inline std::vector<std::string_view> SingleBytes(std::string_view stream) {
  std::vector<std::string_view> pieces;
  for (std::size_t at = 0; at < stream.size(); ++at) pieces.push_back(stream.substr(at, 1));
  return pieces;
}

// Splits a stream into pieces of 1 to 16 bytes. The sizes depend on the bytes.
inline std::vector<std::string_view> Split(std::string_view stream) {
  std::vector<std::string_view> pieces;
  std::uint32_t state = 2166136261U;
  while (!stream.empty()) {
    state = (state ^ static_cast<unsigned char>(stream.front())) * 16777619U;
    pieces.push_back(stream.substr(0, 1U + (state >> 28U)));
    stream.remove_prefix(pieces.back().size());
  }
  return pieces;
}

}  // namespace capstan::runtime
