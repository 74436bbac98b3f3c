// SPDX-License-Identifier: Apache-2.0
// JsonFilter: a push scanner over JSON bytes in pieces of any size. It frames the input (one
// document, the events of a watch, the items of a list) and drops every value whose path the
// projection does not keep before it is copied. What is left of a frame lies in one reused buffer.
//
// Memory: the largest *filtered* frame, at most Options::frame_bytes_max, plus the depth of the kept
// path. Never an object, never a response. Any split of the bytes gives the same frames.
// Not thread-safe: one stream, one filter, one thread. No upstream: client-go decodes whole objects.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "clientgo/runtime/projection.h"
#include "clientgo/util/error.h"

namespace clientgo::runtime {

class JsonFilter {
 public:
  enum class Framing {
    kDocument,  // every top-level value is a frame: a GET, or the events of a watch
    kList,      // every element of the top-level member "items" is a frame of its own (kItem); what
                // is around them is the last frame (kDocument)
  };
  struct Options {
    Framing framing = Framing::kDocument;
    std::size_t frame_bytes_max = 4U << 20U;
    std::size_t depth_max = 256;  // of kept and dropped values alike
  };
  enum class FrameType { kDocument, kItem };

  // `projection` must outlive the filter. For kList its paths are those of the whole list
  // ({"metadata"}, {"items", "metadata", "name"}, ...).
  JsonFilter(const Projection& projection, Options options);

  // Takes bytes up to the end of the first frame that they complete, and returns how many it took.
  // When HasFrame() is true afterwards, read frame() before the next Feed. Errors are kDecode and
  // name what was wrong and where (byte offset in the stream); the filter is then unusable.
  util::Expected<std::size_t> Feed(std::string_view bytes);
  bool HasFrame() const { return has_frame_; }
  FrameType frame_type() const { return frame_type_; }
  // The filtered frame: valid JSON, NUL-terminated, in a buffer that may be parsed in situ.
  // Valid until the next Feed.
  char* frame() { return buffer_.data(); }
  std::size_t frame_size() const { return frame_size_; }

  // The stream ended: kUnexpectedEof when a value is incomplete.
  util::Expected<void> Finish() const;
  std::size_t largest_frame() const { return largest_frame_; }

 private:
  // Owner of the implementation: add the scanner's state here.
  std::vector<char> buffer_;
  std::size_t frame_size_ = 0;
  std::size_t largest_frame_ = 0;
  FrameType frame_type_ = FrameType::kDocument;
  bool has_frame_ = false;
};

}  // namespace clientgo::runtime
