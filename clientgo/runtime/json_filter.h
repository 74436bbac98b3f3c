// SPDX-License-Identifier: Apache-2.0
// JsonFilter: a push scanner over JSON bytes in pieces of any size. It frames the input (one
// document, the events of a watch, the items of a list) and drops every value whose path the
// projection does not keep before it is copied. What is left of a frame lies in one reused buffer.
//
// A scalar at a path that only leads to kept ones is dropped; an empty container there is kept. The
// brackets, commas, literals and numbers of dropped values are checked too, their strings are not.
//
// Memory: the largest *filtered* frame, at most Options::frame_bytes_max, plus the depth of the
// kept path. Never an object, never a response. Any split of the bytes gives the same frames. Not
// thread-safe: one stream, one filter, one thread. No upstream: client-go decodes whole objects.
//
// What goes beyond a limit of Options, which no API server's objects come near, is an error that
// names the limit. A key given twice is passed on twice.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "clientgo/runtime/projection.h"
#include "clientgo/util/error.h"

namespace clientgo::runtime {

// Returns the first '"' or '\\' in [p, end), or `end`. Reads 16 bytes at a time where the CPU can.
const char* FindQuoteOrBackslash(const char* p, const char* end);

// NumberState is how much of a number was read.
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

class JsonFilter {
 public:
  enum class Framing {
    kDocument,  // every top-level value is a frame: a GET, or the events of a watch
    kList,      // every element of the top-level member "items" is a frame of its own (kItem); what
                // is around them is the last frame (kDocument)
  };
  struct Options {
    Framing framing = Framing::kDocument;
    // What is kept of one frame. etcd takes 1.5 MiB of an object, and a list's envelope is small.
    std::size_t frame_bytes_max = 4U << 20U;
    // Of the stream without an end of a frame, dropped bytes and space included: else a peer that
    // never ends a string keeps a watch busy forever. 1.5 MiB, all in escapes of six bytes a byte,
    // fit ten times over.
    std::size_t input_bytes_max = 96U << 20U;
    // Of kept and dropped values alike: what is kept is parsed recursively. The deepest objects,
    // CustomResourceDefinitions with their schemas, have a few dozen levels.
    std::size_t depth_max = 256;
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
  // The filtered frame, compact and NUL-terminated, in a buffer that may be parsed in situ. What
  // was kept is structurally sound JSON; strings are as they came. A scalar that is a frame of its
  // own and is not kept becomes null. Valid until the next Feed.
  char* frame() { return buffer_.data() + frame_start_; }
  std::size_t frame_size() const { return frame_size_; }

  // The stream ended: kUnexpectedEof when a value is incomplete. A number at the top level ends
  // with the stream and not before: then HasFrame() is true afterwards.
  util::Expected<void> Finish();
  std::size_t largest_frame() const { return largest_frame_; }

 private:
  // What the next byte is part of, or must be.
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
  // An open object or array.
  struct Level {
    const Projection::Node* node;  // nullptr: dropped
    bool object;
    bool items;        // the array whose elements are frames
    bool has_members;  // something was kept: the next one needs a comma
  };

  // Each takes bytes of [p, end), at least one unless it fails or ends a value, and returns where
  // it stopped.
  const char* Step(const char* p, const char* end);
  const char* ScanString(const char* p, const char* end);
  const char* ScanNumber(const char* p, const char* end);
  const char* ScanLiteral(const char* p, const char* end);
  const char* ScanStructure(const char* p);

  void BeginKey();
  std::size_t AppendKey(std::string_view run);  // as Append
  void EndKey();
  // Decides whether the value that starts here is kept, and writes the comma before it.
  const Projection::Node* BeginValue(bool container);
  bool BeginScalar(char first);  // false: no value starts so
  void Open(bool object);
  void Close(bool object);
  void EndValue();
  void EndFrame(FrameType type);
  void ReleaseFrame();
  // Returns how many of `bytes` fit: all, or it fails. So the offset that an error names is that of
  // the first byte too many, however the bytes were split.
  std::size_t Append(std::string_view bytes);
  void Append(char c);
  void Fail(std::string what);  // the first one counts
  util::Error Failure() const;

  const Projection::Node* root_;
  Options options_;

  State state_ = State::kTop;
  bool after_backslash_ = false;  // in kKey and kString
  bool keep_scalar_ = false;      // the current string, number or literal
  NumberState number_ = NumberState::kStart;
  std::string_view literal_rest_;

  const Projection::Node* key_node_ = nullptr;  // what the last key's value keeps
  bool key_is_items_ = false;
  bool keep_key_ = false;  // so far
  bool key_escaped_ = false;
  std::size_t key_start_ = 0;  // in buffer_: where to cut when the key's value is dropped
  std::size_t key_text_ = 0;

  std::vector<Level> levels_;
  // [0, frame_start_): the part of a list around its items, while an item is read.
  std::vector<char> buffer_;
  std::size_t frame_start_ = 0;
  std::size_t frame_size_ = 0;
  std::size_t largest_frame_ = 0;
  FrameType frame_type_ = FrameType::kDocument;
  bool has_frame_ = false;

  std::uint64_t offset_ = 0;     // bytes of the stream taken so far
  std::size_t frame_input_ = 0;  // of these, since the last frame
  std::string failure_;          // empty: none
};

}  // namespace clientgo::runtime
