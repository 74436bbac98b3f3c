// SPDX-License-Identifier: Apache-2.0
#include "capstan/runtime/frame_filter.h"

#include <algorithm>

namespace capstan::runtime {
namespace {

// A buffer that is larger than this is released after its frame.
constexpr std::size_t kBufferBytesKept = 64U << 10U;

}  // namespace

void FrameFilter::EndFrame(FrameType type) {
  frame_size_ = buffer_.size() - frame_start_;
  largest_frame_ = std::max(largest_frame_, frame_size_);
  buffer_.push_back('\0');
  frame_type_ = type;
  has_frame_ = true;
  ++frames_;
}

bool FrameFilter::ReleaseFrame() {
  if (!has_frame_) return false;
  has_frame_ = false;
  exceeded_.clear();
  buffer_.resize(frame_start_);
  frame_start_ = 0;
  if (buffer_.capacity() > kBufferBytesKept) buffer_.shrink_to_fit();
  return true;
}

std::string FrameFilter::TooManyBytes() const {
  return "more than " + std::to_string(options_.frame_bytes_max) + " bytes kept of one value";
}

std::string FrameFilter::TooDeep() const {
  return "nested deeper than " + std::to_string(options_.depth_max) + " levels";
}

}  // namespace capstan::runtime
