// SPDX-License-Identifier: Apache-2.0
// The part of ProtobufFilter that writes JSON.
#include <algorithm>
#include <utility>

#include "capstan/runtime/json_filter.h"
#include "clientgo/runtime/protobuf/leaf.h"
#include "clientgo/runtime/protobuf/merge.h"
#include "clientgo/runtime/protobuf/protobuf_filter.h"
#include "clientgo/runtime/protobuf/quoted.h"

namespace capstan::runtime {
namespace {

// Returns the brackets that close what is open in `json`, which ends between two values.
std::string Closers(std::string_view json) {
  std::string closers;
  for (std::size_t i = 0; i < json.size(); ++i) {
    const char c = json[i];
    if (c == '{' || c == '[') closers.insert(closers.begin(), c == '{' ? '}' : ']');
    if (c == '}' || c == ']') closers.erase(closers.begin());
    if (c != '"') continue;
    for (++i; json[i] != '"'; ++i) {
      if (json[i] == '\\') ++i;
    }
  }
  return closers;
}

// An alternative with a higher priority replaces one with a lower one, as in MarshalJSON of the
// JSONSchemaPropsOr* types.
std::uint8_t PriorityOf(const Field& alternative) {
  if (alternative.name == "allows") return 1;
  return alternative.name == kSchemaField ? 2 : 3;
}

// Returns the JSON of a message without fields.
std::string_view ZeroOf(const Message& message) {
  switch (message.form()) {
    case Message::Union::kNone:
      return "{}";
    case Message::Union::kSchemaOrBool:
      return "false";
    default:
      return "null";
  }
}

}  // namespace

const Field& ProtobufFilter::ItemsField() {
  static const Field field{.name = "items", .number = kListItems, .shape = Field::Shape::kList};
  return field;
}

void ProtobufFilter::WritePacked(const Field& field, std::string_view bytes) {
  // Reads each element as if it were a field of its own.
  const bool fixed = field.type == FieldType::kDouble;
  const std::string tag(1, static_cast<char>(fixed ? WireType::kFixed64 : WireType::kVarint));
  while (!bytes.empty() && failure_.empty() && state_ == State::kHeader) {
    std::string error;
    const auto element =
        ReadWireHeader(tag + std::string(bytes.substr(0, WireHeader::kBytesMax)), error);
    if (!element) return Malformed(error.empty() ? kTruncated : std::string_view(error));
    bytes.remove_prefix(element->size - 1);
    WriteLeaf(field, {.integer = element->value});
  }
}

void ProtobufFilter::WriteLeaf(const Field& field, const WireValue& value) {
  const Kind kind = levels_.back().kind;
  const bool member = field.shape == Field::Shape::kOne && kind != Kind::kUnion;
  // In a frame that must be merged, a zero may replace another value; MergeRepeats omits it.
  if (member && field.omit_zero && !field.pointer && !unordered_ && IsZeroLeaf(field, value))
    return;
  if (!BeginMember(field)) return;
  const std::size_t depth_left = options_.depth_max - static_cast<std::size_t>(depth_);
  std::string error = AppendLeaf(field, value, depth_left, buffer_);
  if (!error.empty()) return Malformed(error);
  if (buffer_.size() - frame_start_ > options_.frame_bytes_max) Reduce(TooManyBytes());
}

ProtobufFilter::Level& ProtobufFilter::Owner() {
  auto level = levels_.rbegin();
  while (level->kind == Kind::kInline) ++level;
  return *level;
}

void ProtobufFilter::WriteKey(std::string_view name) {
  buffer_.push_back('"');
  Write(name);
  Write("\":");
}

// Writes what comes before a value: the end of another list, a comma, a key, and the bracket of a
// list or map. Returns false if the frame was reduced.
bool ProtobufFilter::BeginMember(const Field& field) {
  Level& level = levels_.back();
  if (level.kind == Kind::kUnion) return BeginAlternative(field);
  if (level.kind == Kind::kEntry) {
    BeginEntryValue(level);
    return true;
  }
  if (level.open != &field) {
    CloseOpen(level);
    member_start_ = buffer_.size();
    if (std::exchange(Owner().has_members, true)) Write(",");
    WriteKey(field.name);
    if (field.shape == Field::Shape::kOne) return true;
    if (!BeginBracket(field.shape == Field::Shape::kList ? '[' : '{')) return false;
    level.open = &field;
    level.open_has_members = field.shape == Field::Shape::kList;
    return true;
  }
  member_start_ = buffer_.size();
  if (field.shape == Field::Shape::kList && std::exchange(level.open_has_members, true)) Write(",");
  return true;
}

bool ProtobufFilter::IsOverridden(const Level& union_level, const Field& alternative) {
  return PriorityOf(alternative) < union_level.priority;
}

bool ProtobufFilter::BeginAlternative(const Field& field) {
  Level& level = levels_.back();
  const bool list = field.shape == Field::Shape::kList;
  const bool next = list && level.open == &field;
  if (!next) {
    buffer_.resize(level.value_start);
    if (std::exchange(level.open, nullptr) != nullptr) --depth_;
  }
  level.priority = PriorityOf(field);
  if (next) {
    Write(",");
  } else if (list) {
    if (!BeginBracket('[')) return false;
    level.open = &field;
  }
  return true;
}

void ProtobufFilter::BeginEntryValue(Level& entry) {
  Level& map = levels_[levels_.size() - 2];
  member_start_ = entry.member_start;
  if (entry.value_start != 0) {  // the last value counts
    buffer_.resize(entry.value_start);
    return;
  }
  if (std::exchange(map.open_has_members, true)) Write(",");
  AppendQuoted(key_, buffer_);
  Write(":");
  entry.value_start = buffer_.size();
}

bool ProtobufFilter::BeginBracket(char bracket) {
  const bool deep = static_cast<std::size_t>(depth_) >= options_.depth_max;
  if (deep || buffer_.size() - frame_start_ >= options_.frame_bytes_max) {
    Reduce(deep ? TooDeep() : TooManyBytes());
    return false;
  }
  ++depth_;
  buffer_.push_back(bracket);
  return true;
}

void ProtobufFilter::OpenObject(Level level) {
  if (!BeginBracket('{')) return;
  member_start_ = buffer_.size();
  levels_.push_back(level);
}

void ProtobufFilter::OpenMessage(Level level) {
  if (level.message->form() == Message::Union::kNone) return OpenObject(level);
  level.kind = Kind::kUnion;
  level.value_start = buffer_.size();
  levels_.push_back(level);
}

void ProtobufFilter::CloseOpen(Level& level) {
  const Field* const field = std::exchange(level.open, nullptr);
  if (field == nullptr) return;
  buffer_.push_back(field->shape == Field::Shape::kList ? ']' : '}');
  --depth_;
}

void ProtobufFilter::CloseLevel() {
  Level& level = levels_.back();
  switch (level.kind) {
    case Kind::kExtension:
    case Kind::kUnknown:
    case Kind::kTypeMeta:
      break;
    case Kind::kInline:
      CloseOpen(level);
      break;
    case Kind::kEntry:
      EndEntry(level);
      break;
    case Kind::kUnion:
      CloseOpen(level);
      if (level.priority == 0) {
        Write(ZeroOf(*level.message));
      }
      break;
    case Kind::kList:
      if (level.open == nullptr && level.Kept("items") != nullptr) BeginMember(ItemsField());
      [[fallthrough]];
    case Kind::kEvent:
    case Kind::kMessage:
      CloseOpen(level);
      buffer_.push_back('}');
      --depth_;
  }
  const Kind kind = level.kind;
  const bool is_frame = level.is_frame || kind == Kind::kList;
  levels_.pop_back();
  if (!is_frame) return;
  if (kind == Kind::kEvent) state_ = State::kEventLength;
  EndObjectFrame(frame_start_ != 0 ? FrameType::kItem : FrameType::kDocument);
}

// Go's decoder adds a zero value to the map if the entry has none.
void ProtobufFilter::EndEntry(Level& entry) {
  const Projection::Node* const node = entry.Kept(key_);
  if (entry.has_value || node == nullptr) return;
  const bool message = entry.field->type == FieldType::kMessage;
  if (!message && !node->keep_all) return;
  BeginEntryValue(entry);
  if (message) {
    Write(ZeroOf(*entry.field->message));
  } else {
    AppendLeaf(*entry.field, {}, options_.depth_max, buffer_);
  }
}

void ProtobufFilter::EndObjectFrame(FrameType type) {
  if (unordered_ && exceeded_.empty() && object_ != nullptr) {
    const std::string merged =
        MergeRepeats({buffer_.data() + frame_start_, buffer_.size() - frame_start_}, *object_,
                     stream_ == Stream::kWatch);
    buffer_.resize(frame_start_);
    Write(merged);
  }
  EndFrame(type);
}

// Returns the level of the current frame; levels_.size(): there is none.
std::size_t ProtobufFilter::FrameLevel() const {
  const auto frame = std::find_if(levels_.begin(), levels_.end(),
                                  [](const Level& level) { return level.is_frame; });
  return static_cast<std::size_t>(frame - levels_.begin());
}

// Reduces the frame to its identity: what is written and what follows. The value that was too much
// is dropped.
void ProtobufFilter::Reduce(std::string_view why) {
  static const Projection nothing(std::vector<Projection::Path>{});
  const std::size_t frame = FrameLevel();
  if (frame == levels_.size() || options_.identity == nullptr || reduced_ == &nothing.root()) {
    return Fail(why);
  }
  const Projection& kept = reduced_ == nullptr ? *options_.identity : nothing;
  reduced_ = &kept.root();
  if (exceeded_.empty()) exceeded_ = why;

  // The levels that the identity has, too.
  std::size_t count = frame;
  std::size_t brackets = 0;
  const Projection::Node* node = reduced_;
  std::size_t written = std::min(member_start_, buffer_.size());
  for (; count < levels_.size(); ++count) {
    Level& level = levels_[count];
    if (level.kind == Kind::kUnion || level.kind == Kind::kEntry) {
      written = std::min(written, level.member_start);
      break;
    }
    const bool is_object = level.kind == Kind::kEvent || level.kind == Kind::kMessage;
    if (level.kind == Kind::kExtension) node = node->Find("object");
    if (count != frame && level.field != nullptr && !level.field->name.empty()) {
      node = level.field->shape == Field::Shape::kOne ? node->Find(level.field->name) : nullptr;
    }
    if (node == nullptr) break;
    level.node = node;
    level.plan = nullptr;
    level.open = nullptr;
    level.has_members = true;
    brackets += is_object ? 1 : 0;
  }
  for (std::size_t i = count; i < levels_.size(); ++i) {
    const Level& level = levels_[i];
    const bool has_start = level.kind == Kind::kUnion || level.kind == Kind::kEntry;
    if (has_start) written = std::min(written, level.member_start);
  }
  if (count < levels_.size()) value_end_ = levels_[count].end;
  levels_.resize(count);

  std::string json(buffer_.data() + frame_start_, std::max(written, frame_start_) - frame_start_);
  json += Closers(json);
  buffer_.resize(frame_start_);
  if (!json.empty()) {
    JsonFilter filter(kept, {});
    const auto taken = filter.Feed(json);
    if (!taken || !filter.HasFrame()) return Fail("a frame cannot be reduced");
    Write({filter.frame(), filter.frame_size() - brackets});
  }
  if (!levels_.empty() && brackets > 0) Owner().has_members = buffer_.back() != '{';
  depth_ = static_cast<int>(brackets) + (frame_start_ != 0 ? 2 : 0);
  member_start_ = buffer_.size();
  pending_size_ = 0;
  groups_ = 0;
  text_ = nullptr;
  state_ = State::kSkip;
}

Expected<std::string> JsonOf(std::string_view object) {
  static const Projection all = Projection::All();
  ProtobufFilter filter(all, ProtobufFilter::Stream::kBody, {});
  const auto taken = filter.Feed(object);
  if (!taken) return Err(taken.error());
  if (!filter.HasFrame()) return Err(ErrorReason::kDecode, std::string(kTruncated));
  return std::string(filter.frame(), filter.frame_size());
}

}  // namespace capstan::runtime
