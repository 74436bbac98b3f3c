// SPDX-License-Identifier: Apache-2.0
// The part of ProtobufFilter that reads the entries of maps.
#include <utility>

#include "clientgo/runtime/protobuf/protobuf_filter.h"

namespace capstan::runtime {
namespace {

void AppendHeader(const WireHeader& header, std::string& to) {
  AppendVarint((std::uint64_t{header.number} << 3U) | static_cast<std::uint64_t>(header.type), to);
  AppendVarint(header.value, to);
}

}  // namespace

void ProtobufFilter::OnEntryField(const WireHeader& header) {
  Level& entry = levels_.back();
  const Field& field = *entry.field;
  if (header.number == kEntryKey) {
    if (entry.has_value) return Malformed(kBadEntry);
    if (header.value > options_.frame_bytes_max) return Reduce(TooManyBytes());
    entry.has_key = true;
    text_ = &key_;
    state_ = State::kLeaf;
    if (header.value == 0) EndLeaf({});
    return;
  }
  if (header.number != kEntryValue) return;
  if (!entry.has_key) {
    if (entry.end - position_ > options_.frame_bytes_max) return Reduce(TooManyBytes());
    value_.clear();
    AppendHeader(header, value_);
    value_end_ = entry.end;
    state_ = State::kSwap;
    if (position_ == value_end_) SwapEntry(std::exchange(value_, {}));
    return;
  }
  entry.has_value = true;
  const Projection::Node* const node = entry.Kept(key_);
  if (node == nullptr) return;
  if (field.type != FieldType::kMessage) {
    if (node->keep_all) BeginLeaf(field, header);
    return;
  }
  state_ = State::kHeader;
  if (BeginMember(field)) {
    OpenMessage({.end = value_end_,
                 .node = node,
                 .message = field.message,
                 .field = &field,
                 .member_start = entry.member_start});
  }
}

// Reads a map entry once more, with its key first. Of several keys the last one counts.
void ProtobufFilter::SwapEntry(std::string_view rest) {
  std::string key;
  std::string value;
  WireReader reader(rest, true);
  WireHeader header;
  std::string_view bytes;
  while (reader.Next(header, bytes)) {
    if (header.number == kEntryKey) key.clear();
    if (header.number != kEntryKey && header.number != kEntryValue) continue;
    std::string& to = header.number == kEntryKey ? key : value;
    AppendHeader(header, to);
    to.append(bytes);
  }
  if (!reader.error().empty()) return Malformed(kBadEntry);
  const std::string swapped = key + value;
  Level& entry = levels_.back();
  entry.has_key = true;  // a missing one is empty
  position_ = entry.end - swapped.size();
  state_ = State::kHeader;
  const char* p = swapped.data();
  const char* const end = p + swapped.size();
  while (p != end && failure_.empty()) {
    p = Step(p, end);
    if (p != end) CloseLevels();
  }
}

}  // namespace capstan::runtime
