// SPDX-License-Identifier: Apache-2.0
// ProtobufFilter is the FrameFilter for application/vnd.kubernetes.protobuf: an object or a list in
// the envelope of runtime.Unknown, or watch events with their lengths. Its frames are those that
// JsonFilter would make of the JSON of the same object, so one set of decoders reads both.
//
// The names and types of fields come from the table of built-in kinds (api_types.h). An unknown
// field is dropped. A dropped value is skipped by its length and not looked at, so what is wrong in
// it is not seen. A value that is kept but malformed makes its item or event undecodable, as a
// limit does (exceeded()); the frames after it are not affected.
//
// Kubernetes writes fields in the order of their numbers. In any other order, or if a field that is
// not a list occurs twice, the frame is merged as Go's decoder merges, which costs one more parse.
//
// Memory: the largest frame and one value of it, at most Options::frame_bytes_max each, plus the
// depth of the kept path.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "capstan/runtime/frame_filter.h"
#include "clientgo/runtime/protobuf/api_types.h"
#include "clientgo/runtime/protobuf/wire.h"

namespace capstan::runtime {

inline constexpr std::string_view kProtobufContentType = "application/vnd.kubernetes.protobuf";
inline constexpr std::string_view kProtobufPrefix("k8s\0", 4);

class ProtobufFilter final : public FrameFilter {
 public:
  enum class Stream { kBody, kWatch };

  // `projection` must outlive the filter.
  ProtobufFilter(const Projection& projection, Stream stream, Options options);
  ~ProtobufFilter() override;

  Expected<std::size_t> Feed(std::string_view bytes) override;
  [[gnu::cold]] Expected<void> Finish() override;

 private:
  enum class State {
    kEventLength,  // four bytes
    kPrefix,       // "k8s\0"
    kHeader,       // the header of the next field
    kLeaf,         // the bytes of a kept value
    kSkip,         // the bytes of a dropped value
    kSwap,         // the rest of a map entry whose value comes before its key
  };
  // What a level of the input is. Kinds from kList on have members in JSON.
  enum class Kind : std::uint8_t {
    kEvent,      // metav1.WatchEvent
    kExtension,  // runtime.RawExtension, with an object in its envelope
    kUnknown,    // runtime.Unknown: the envelope
    kTypeMeta,
    kList,
    kMessage,
    kInline,  // its members are those of the message around it
    kUnion,   // its value is one of its members
    kEntry,   // of a map
  };
  static constexpr std::uint32_t kListItems = 2;  // the number of the items
  struct Plan;
  struct Level {
    Kind kind = Kind::kMessage;
    std::uint64_t end = 0;                   // the position in the stream
    const Projection::Node* node = nullptr;  // what is kept of it
    const Message* message = nullptr;
    const Plan* plan = nullptr;    // of message and node; null: it is looked up
    const Field* field = nullptr;  // whose value it is
    const Field* open = nullptr;   // the list or map whose bracket is open
    std::uint32_t last = 0;        // the number of the last field
    bool has_members = false;      // so the next member needs a comma
    bool open_has_members = false;
    bool is_frame = false;
    std::uint8_t priority = 0;     // kUnion: of the written alternative
    bool has_key = false;          // kEntry
    bool has_value = false;        // kEntry
    std::size_t member_start = 0;  // kUnion, kEntry: where its member begins in buffer_
    std::size_t value_start = 0;   // kUnion, kEntry: where its value begins; 0: it has none

    // Returns what is kept of a member; null: nothing.
    const Projection::Node* Kept(std::string_view name) const {
      return node->keep_all ? node : node->Find(name);
    }
  };

  static const Field& ItemsField();

  const char* Step(const char* p, const char* end);
  const char* ReadFixedBytes(const char* p, const char* end);
  const char* ReadHeader(const char* p, const char* end);
  const char* ReadLongHeader(const char* p, const char* end);
  const char* ReadValue(const char* p, const char* end);
  const char* Skip(const char* p, const char* end);
  void OnFixedBytes();
  void OnHeader(const WireHeader& header);
  void OnField(const WireHeader& header);
  void OnEventField(const WireHeader& header);
  void OnUnknownField(const WireHeader& header);
  void OnListField(const WireHeader& header);
  void OnMessageField(const WireHeader& header);
  void OnEntryField(const WireHeader& header);
  void OnObject(std::uint64_t end);
  void BeginValue(const Field& field, const Projection::Node& node, const Plan* plan,
                  const WireHeader& header);
  void BeginLeaf(const Field& field, const WireHeader& header);
  void EndLeaf(std::string_view bytes);
  void WriteLeaf(const Field& field, const WireValue& value);
  [[gnu::cold]] void WritePacked(const Field& field, std::string_view bytes);
  [[gnu::cold]] void SwapEntry(std::string_view rest);

  void OpenObject(Level level);
  void OpenMessage(Level level);
  void CloseLevels();
  void CloseLevel();
  void CloseOpen(Level& level);
  void WriteKey(std::string_view name);
  bool BeginMember(const Field& field);
  bool BeginAlternative(const Field& field);
  static bool IsOverridden(const Level& union_level, const Field& alternative);
  void BeginEntryValue(Level& entry);
  void EndEntry(Level& entry);
  bool BeginBracket(char bracket);
  Level& Owner();
  void Write(std::string_view text) { buffer_.insert(buffer_.end(), text.begin(), text.end()); }

  const Plan* PlanFor(const Message& message, const Projection::Node& node);
  std::size_t FrameLevel() const;
  void BeginFrame();
  void EndObjectFrame(FrameType type);
  [[gnu::cold]] void Reduce(std::string_view why);
  [[gnu::cold]] void Fail(std::string_view why);
  [[gnu::cold]] void FailSize(std::string_view what, std::uint64_t bytes);
  [[gnu::cold]] void Malformed(std::string_view why);  // reduces the frame, or fails
  [[gnu::cold]] Error Failure() const;
  std::uint64_t Remaining() const { return levels_.back().end - position_; }

  const Projection::Node* const root_;
  const Stream stream_;
  const Projection::Node* reduced_ = nullptr;

  State state_;
  std::vector<Level> levels_;
  std::uint64_t position_ = 0;
  std::uint64_t field_start_ = 0;  // for errors; the same however the stream is split
  std::uint64_t value_end_ = 0;    // kLeaf, kSkip, kSwap
  int groups_ = 0;                 // open groups, which are dropped
  int depth_ = 0;                  // open brackets in JSON

  std::array<char, WireHeader::kBytesMax> pending_ = {};  // of a header in pieces
  std::size_t pending_size_ = 0;
  std::string value_;  // of a leaf in pieces
  const Field* leaf_ = nullptr;
  std::size_t member_start_ = 0;  // where the last member begins in buffer_
  std::string key_;               // of the last map entry
  std::string api_version_;
  std::string kind_;
  std::string* text_ = nullptr;      // the leaf is one of the three above; null: a value
  bool unordered_ = false;           // the frame must be merged
  const Message* object_ = nullptr;  // of the frame
  std::string object_kind_;          // object_ was found for these
  std::string object_api_version_;
  std::map<std::pair<const Message*, const Projection::Node*>, std::unique_ptr<Plan>> plans_;
  std::string failure_;
};

// Returns the JSON of a whole object, which begins with kProtobufPrefix. Fails with kDecode for an
// object that is malformed or too large, or whose kind is not in the table.
[[gnu::cold]] CAPSTAN_EXPORT_INTERNAL Expected<std::string> JsonOf(std::string_view object);

}  // namespace capstan::runtime
