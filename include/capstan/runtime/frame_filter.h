// SPDX-License-Identifier: Apache-2.0
// FrameFilter splits the bytes of a response into frames (one document, the events of a watch, or
// the items of a list), drops every value outside a projection before it is copied, and returns the
// rest of each frame as compact JSON. JsonFilter reads JSON; the reader of protobuf is private.
//
// Every split of the bytes gives the same frames. Not thread-safe: each stream has one filter on
// one thread. There is no counterpart in client-go, which decodes whole objects.
//
// With Options::identity, a frame beyond a limit for kept values is reduced to its identity, and
// exceeded() names the limit. The frames after it are not affected, so one object cannot stop a
// list or a watch. Without it, such a frame is an error.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "capstan/error.h"
#include "capstan/export.h"
#include "capstan/runtime/projection.h"

namespace capstan::runtime {

class CAPSTAN_EXPORT FrameFilter {
 public:
  enum class Framing {
    kDocument,  // every top-level value is a frame: a GET, or the events of a watch
    // Every element of the top-level member "items" is a frame (kItem), and the rest is the last
    // frame (kDocument).
    kList,
  };
  struct Options {
    Framing framing = Framing::kDocument;
    // The limit for the kept bytes of one frame. etcd limits an object to 1.5 MiB, and the envelope
    // of a list is small.
    std::size_t frame_bytes_max = 4U << 20U;
    // The limit for the input of one frame, including dropped bytes and space. Without it, a string
    // that never ends would keep a watch busy forever. An object of 1.5 MiB in escapes of six bytes
    // fits ten times.
    std::size_t input_bytes_max = 96U << 20U;
    // The limit for the nesting of kept values. The deepest objects that programs read,
    // CustomResourceDefinitions with schemas, have a few dozen levels.
    std::size_t depth_max = 256;
    // What is kept of a frame (kList: of an item) beyond one of the two limits above, or null. The
    // projection must keep it, too. It must outlive the filter.
    const Projection* identity = nullptr;
  };
  enum class FrameType { kDocument, kItem };

  FrameFilter(const FrameFilter&) = delete;
  FrameFilter& operator=(const FrameFilter&) = delete;
  virtual ~FrameFilter() = default;

  // Reads bytes up to the end of the first complete frame and returns their number. If HasFrame()
  // is true afterwards, read frame() before the next Feed. Fails with kDecode and names the problem
  // and the byte offset in the stream. The filter cannot be used after an error.
  virtual Expected<std::size_t> Feed(std::string_view bytes) = 0;
  // Call Finish at the end of the stream. Fails with kUnexpectedEof if a value is incomplete. If
  // the end of the stream ends a frame, frames() has grown.
  virtual Expected<void> Finish() = 0;

  bool HasFrame() const { return has_frame_; }
  std::size_t frames() const { return frames_; }  // how many there were
  FrameType frame_type() const { return frame_type_; }
  // Returns the filtered frame: compact JSON, NUL-terminated, and in a buffer that may be parsed in
  // place. Valid until the next Feed or Finish.
  char* frame() { return buffer_.data() + frame_start_; }
  std::size_t frame_size() const { return frame_size_; }
  // Names the limit that the frame exceeded. Empty: none, and the frame has all that is kept.
  const std::string& exceeded() const { return exceeded_; }
  std::size_t largest_frame() const { return largest_frame_; }

 protected:
  explicit FrameFilter(Options options) : options_(options) {}

  void EndFrame(FrameType type);
  // Forgets the frame. Returns false if there is none.
  bool ReleaseFrame();
  [[gnu::cold]] std::string TooManyBytes() const;
  [[gnu::cold]] std::string TooDeep() const;

  Options options_;
  // While an item is read, [0, frame_start_) is the part of the list around its items.
  std::vector<char> buffer_;
  std::size_t frame_start_ = 0;
  std::string exceeded_;

 private:
  std::size_t frame_size_ = 0;
  std::size_t largest_frame_ = 0;
  std::size_t frames_ = 0;
  FrameType frame_type_ = FrameType::kDocument;
  bool has_frame_ = false;
};

}  // namespace capstan::runtime
