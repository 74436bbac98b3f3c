// SPDX-License-Identifier: Apache-2.0
// JsonFilter is the FrameFilter for JSON. It scans the bytes in pieces of any size.
//
// A scalar or an empty container at a path that only leads to kept paths is kept, so that whoever
// decodes the frame can report a value of the wrong type.
// The brackets, commas, literals and numbers of dropped values are checked, their strings are not.
// A duplicate key is kept twice.
//
// Memory: the largest filtered frame, at most Options::frame_bytes_max, plus the depth of the kept
// path, plus one bit for each level of a dropped value. It never holds a whole response.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "capstan/error.h"
#include "capstan/export.h"
#include "capstan/runtime/frame_filter.h"
#include "capstan/runtime/projection.h"

namespace capstan::runtime {

// Returns the first '"' or '\' in [p, end), or `end`. Reads 16 bytes at a time where the CPU can.
CAPSTAN_EXPORT const char* FindQuoteOrBackslash(const char* p, const char* end);

// NumberState is the part of a number that was read.
enum class NumberState : std::uint8_t {
  kStart,
  kMinus,
  kZero,
  kInteger,
  kPoint,
  kFraction,
  kExponent,
  kExponentSign,
  kExponentDigits,
  kEnd,  // the byte is not part of the number
};

class CAPSTAN_EXPORT JsonFilter final : public FrameFilter {
 public:
  // The limit for the nesting of dropped values. The API server's is 10,000.
  static constexpr std::size_t kDroppedDepthMax = 1U << 16U;

  // `projection` must outlive the filter. For kList, its paths are those of the whole list
  // ({"metadata"}, {"items", "metadata", "name"}, ...).
  JsonFilter(const Projection& projection, Options options);

  // The kept part of a frame is structurally valid JSON; strings are unchanged. A dropped scalar
  // that is a whole frame becomes null. A top-level number ends only with Finish.
  Expected<std::size_t> Feed(std::string_view bytes) override;
  Expected<void> Finish() override;

 private:
  // State is what the next byte is part of, or must be.
  enum class State {
    kTop,           // between top-level values
    kValue,         // after a colon, or a comma of an array
    kFirstElement,  // after '[': a value or ']'
    kFirstKey,      // after '{': a key or '}'
    kNextKey,       // after a comma of an object
    kColon,
    kAfterValue,  // a comma or the container's end
    kKey,         // inside a key
    kString,      // inside a string value
    kNumber,
    kLiteral,
  };
  // Level is an open object or array that is kept. Only dropped ones are inside of a dropped one.
  struct Level {
    const Projection::Node* node;
    bool object;
    bool items;        // the elements of this array are frames
    bool has_members;  // something was kept, so the next member needs a comma
  };

  // These functions read bytes of [p, end) and return where they stopped. They read at least one
  // byte, unless they fail or end a value.
  const char* Step(const char* p, const char* end);
  const char* ScanString(const char* p, const char* end);
  const char* ScanNumber(const char* p, const char* end);
  const char* ScanLiteral(const char* p, const char* end);
  const char* ScanStructure(const char* p);

  bool InObject() const { return dropped_.empty() ? levels_.back().object : dropped_.back(); }
  // True in a kept container, which has a Level.
  bool InKept() const { return dropped_.empty() && !levels_.empty(); }
  bool AtTop() const { return levels_.empty(); }
  void BeginKey();
  std::size_t AppendKey(std::string_view run);  // like Append
  void EndKey();
  // Decides whether the next value is kept, and writes the comma before it.
  const Projection::Node* BeginValue(bool container);
  bool BeginScalar(char first);  // false: no value starts with `first`
  bool Open(bool object);        // false: the container was not opened
  void Close(bool object);
  void EndValue();
  void EndValueFrame(FrameType type);
  void BeginFrame();
  // Appends the bytes that fit, and returns their number. If not all fit, it fails or calls Exceed.
  // So the offset in the error is that of the first byte above the limit, for every split of the
  // input. After Exceed it appends none.
  std::size_t Append(std::string_view bytes);
  void Append(char c);
  // Makes Feed call ReduceFrame, or fails if the frame cannot be reduced.
  void Exceed(std::string limit);
  // Reduces the frame to its identity: reads the kept bytes again, with another projection. If that
  // is still too much, nothing is kept.
  void ReduceFrame();
  bool InItem() const { return frame_start_ != 0; }
  void Fail(std::string what);  // keeps the first failure
  Error Failure() const;

  const Projection::Node* root_;
  const Projection::Node* reduced_ = nullptr;  // replaces the projection of the current frame

  State state_ = State::kTop;
  bool after_backslash_ = false;  // in kKey and kString
  bool keep_scalar_ = false;      // for the current string, number or literal
  NumberState number_ = NumberState::kStart;
  std::string_view literal_rest_;

  const Projection::Node* key_node_ = nullptr;  // what is kept of the last key's value
  bool key_is_items_ = false;
  bool keep_key_ = false;  // so far
  bool key_escaped_ = false;
  std::size_t key_start_ = 0;  // in buffer_: where to cut if the key's value is dropped
  std::size_t key_text_ = 0;

  std::vector<Level> levels_;
  std::vector<bool> dropped_;  // the containers inside of the last level; true: an object
  bool must_reduce_ = false;

  std::uint64_t offset_ = 0;     // bytes of the stream read so far
  std::size_t frame_input_ = 0;  // of these, the bytes since the last frame
  std::string failure_;          // empty: no failure
};

}  // namespace capstan::runtime
