// SPDX-License-Identifier: Apache-2.0
// The frames and the buffer: what is kept, and where it goes. The scanner is in
// json_filter_scan.cc.
#include "clientgo/runtime/json_filter.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>

#include "clientgo/runtime/json.h"

namespace clientgo::runtime {
namespace {

// A buffer that one frame made larger than this is given back after that frame.
constexpr std::size_t kBufferBytesKept = 64U << 10U;
// The longest spelling of one byte of a key: an escape like \u0061.
constexpr std::size_t kEscapeBytesMax = 6;

// A key with escapes is as good as unheard of, so this may be slow.
bool Unescape(std::string_view text, std::string& to) {
  JsonDocument document;
  const std::string quoted = '"' + std::string(text) + '"';
  if (document.Parse(quoted.c_str()).HasParseError()) return false;
  to = ToView(document);
  return true;
}

}  // namespace

JsonFilter::JsonFilter(const Projection& projection, Options options)
    : root_(&projection.root()), options_(options) {}

util::Expected<std::size_t> JsonFilter::Feed(std::string_view bytes) {
  if (!failure_.empty()) return util::Err(Failure());
  ReleaseFrame();
  const char* const begin = bytes.data();
  const char* const end = begin + std::min(bytes.size(), options_.input_bytes_max - frame_input_);
  const char* p = begin;
  while (p != end && !has_frame_ && failure_.empty()) p = Step(p, end);
  const auto taken = static_cast<std::size_t>(p - begin);
  offset_ += taken;
  frame_input_ += taken;
  if (frame_input_ == options_.input_bytes_max && taken != bytes.size() && !has_frame_) {
    Fail("no end of a value in " + std::to_string(options_.input_bytes_max) + " bytes");
  }
  if (!failure_.empty()) return util::Err(Failure());
  return taken;
}

util::Expected<void> JsonFilter::Finish() {
  if (!failure_.empty()) return util::Err(Failure());
  if (state_ == State::kNumber && levels_.empty() && IsWholeNumber(number_)) {
    ReleaseFrame();
    EndValue();
  }
  if (state_ == State::kTop) return {};
  return util::Err(util::ErrorReason::kUnexpectedEof,
                   "stream ended inside a JSON value, after byte " + std::to_string(offset_));
}

void JsonFilter::BeginKey() {
  const Level& level = levels_.back();
  state_ = State::kKey;
  key_start_ = buffer_.size();
  key_escaped_ = false;
  keep_key_ = level.node != nullptr;
  if (keep_key_) {
    if (level.has_members) Append(',');
    Append('"');
  }
  key_text_ = buffer_.size();
}

// A key goes to the buffer before it is known to be kept, so that it is looked at in one piece
// however it was split; EndKey or BeginValue cuts it off again. The bound keeps that short.
std::size_t JsonFilter::AppendKey(std::string_view run) {
  if (!keep_key_) return run.size();
  const Projection::Node& node = *levels_.back().node;
  const bool any = node.keep_all || node.key_bytes_max == SIZE_MAX;
  if (any) return Append(run);
  // One more for the closing quote.
  if (buffer_.size() - key_text_ + run.size() > kEscapeBytesMax * node.key_bytes_max + 1) {
    buffer_.resize(key_start_);
    keep_key_ = false;
  } else {
    buffer_.insert(buffer_.end(), run.begin(), run.end());
  }
  return run.size();
}

void JsonFilter::EndKey() {
  state_ = State::kColon;
  key_node_ = nullptr;
  key_is_items_ = false;
  if (!keep_key_ || !failure_.empty()) return;
  std::string_view name(buffer_.data() + key_text_, buffer_.size() - key_text_ - 1);
  std::string unescaped;
  if (key_escaped_) {
    if (!Unescape(name, unescaped)) return Fail("bad escape in a key");
    name = unescaped;
  }
  const Projection::Node* node = levels_.back().node;
  key_node_ = node->keep_all ? node : node->Find(name);
  key_is_items_ = options_.framing == Framing::kList && levels_.size() == 1 && name == "items";
  if (key_node_ == nullptr) {
    buffer_.resize(key_start_);
  } else {
    Append(':');
  }
}

const Projection::Node* JsonFilter::BeginValue(bool container) {
  if (levels_.empty()) return container || root_->keep_all ? root_ : nullptr;
  Level& parent = levels_.back();
  const Projection::Node* node = parent.object ? key_node_ : parent.node;
  if (node != nullptr && !container && !node->keep_all) node = nullptr;
  if (parent.items) {
    frame_start_ = buffer_.size();
    return node;
  }
  if (node == nullptr) {
    if (parent.object && parent.node != nullptr) buffer_.resize(key_start_);
    return nullptr;
  }
  if (!parent.object && parent.has_members) Append(',');
  parent.has_members = true;
  return node;
}

void JsonFilter::Open(bool object) {
  if (levels_.size() == options_.depth_max) {
    return Fail("nested deeper than " + std::to_string(options_.depth_max) + " levels");
  }
  const Projection::Node* node = BeginValue(true);
  const bool items =
      !object && node != nullptr && levels_.size() == 1 && levels_.back().object && key_is_items_;
  levels_.push_back({.node = node, .object = object, .items = items, .has_members = false});
  if (node != nullptr) Append(object ? '{' : '[');
  state_ = object ? State::kFirstKey : State::kFirstElement;
}

void JsonFilter::Close(bool object) {
  if (levels_.empty() || levels_.back().object != object) {
    return Fail(object ? "'}' closes no object" : "']' closes no array");
  }
  if (levels_.back().node != nullptr) Append(object ? '}' : ']');
  levels_.pop_back();
  EndValue();
}

void JsonFilter::EndValue() {
  state_ = levels_.empty() ? State::kTop : State::kAfterValue;
  if (levels_.empty()) {
    EndFrame(FrameType::kDocument);
  } else if (levels_.back().items) {
    EndFrame(FrameType::kItem);
  }
}

void JsonFilter::EndFrame(FrameType type) {
  if (buffer_.size() == frame_start_) Append("null");
  frame_size_ = buffer_.size() - frame_start_;
  largest_frame_ = std::max(largest_frame_, frame_size_);
  buffer_.push_back('\0');
  frame_type_ = type;
  has_frame_ = true;
}

void JsonFilter::ReleaseFrame() {
  if (!has_frame_) return;
  has_frame_ = false;
  frame_input_ = 0;
  buffer_.resize(frame_start_);
  frame_start_ = 0;
  if (buffer_.capacity() > kBufferBytesKept) buffer_.shrink_to_fit();
}

std::size_t JsonFilter::Append(std::string_view bytes) {
  const std::size_t used = buffer_.size() - frame_start_;
  if (used + bytes.size() > options_.frame_bytes_max) {
    Fail("more than " + std::to_string(options_.frame_bytes_max) + " bytes kept of one value");
    return options_.frame_bytes_max - std::min(used, options_.frame_bytes_max);
  }
  buffer_.insert(buffer_.end(), bytes.begin(), bytes.end());
  return bytes.size();
}

void JsonFilter::Append(char c) {
  if (buffer_.size() - frame_start_ < options_.frame_bytes_max) {
    buffer_.push_back(c);
  } else {
    Append(std::string_view(&c, 1));  // It says what is wrong.
  }
}

void JsonFilter::Fail(std::string what) {
  if (failure_.empty()) failure_ = std::move(what);
}

util::Error JsonFilter::Failure() const {
  return {.reason = util::ErrorReason::kDecode,
          .message = "bad JSON at byte " + std::to_string(offset_) + ": " + failure_};
}

}  // namespace clientgo::runtime
