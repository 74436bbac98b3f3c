// SPDX-License-Identifier: Apache-2.0
#include "clientgo/runtime/protobuf/protobuf_filter.h"

#include <algorithm>
#include <limits>
#include <optional>

#include "capstan/logging.h"
#include "clientgo/runtime/protobuf/leaf.h"
#include "clientgo/runtime/protobuf/quoted.h"

namespace capstan::runtime {
namespace {

constexpr std::uint64_t kNoEnd = std::numeric_limits<std::uint64_t>::max();
constexpr std::size_t kFixedBytes = 4;  // of an event's length, and of the prefix
// No apiVersion or kind is this long.
constexpr std::size_t kTypeTextBytesMax = 1024;

constexpr std::uint32_t kEventType = 1;
constexpr std::uint32_t kEventObject = 2;
constexpr std::uint32_t kExtensionRaw = 1;
constexpr std::uint32_t kUnknownTypeMeta = 1;
constexpr std::uint32_t kUnknownRaw = 2;
constexpr std::uint32_t kUnknownContentType = 4;
constexpr std::uint32_t kTypeMetaKind = 2;
constexpr std::uint32_t kListMetadata = 1;

const Field& TypeField() {
  static const Field field{.name = "type", .number = kEventType, .type = FieldType::kString};
  return field;
}

const Field& ListMetaField() {
  static const Field field = [] {
    Field metadata{.name = "metadata", .number = kListMetadata};
    metadata.message = MessageNamed("meta.v1.ListMeta");
    return metadata;
  }();
  return field;
}

}  // namespace

// Plan has the kept fields of a message by their numbers, so that reading a field needs no names.
struct ProtobufFilter::Plan {
  struct Entry {
    const Field* field = nullptr;
    const Projection::Node* node = nullptr;
    const Plan* plan = nullptr;
  };
  std::vector<Entry> by_number = {};
};

ProtobufFilter::ProtobufFilter(const Projection& projection, Stream stream, Options options)
    : FrameFilter(options),
      root_(&projection.root()),
      stream_(stream),
      state_(stream == Stream::kWatch ? State::kEventLength : State::kPrefix) {
  if (stream == Stream::kBody) {
    levels_.push_back({.kind = Kind::kUnknown, .end = kNoEnd, .node = root_});
  }
}

ProtobufFilter::~ProtobufFilter() = default;

Expected<std::size_t> ProtobufFilter::Feed(std::string_view bytes) {
  if (!failure_.empty()) return Err(Failure());
  BeginFrame();
  CloseLevels();
  const char* p = bytes.data();
  const char* const end = p + bytes.size();
  while (p != end && !HasFrame() && failure_.empty()) {
    p = Step(p, end);
    CloseLevels();
  }
  if (!failure_.empty()) return Err(Failure());
  return static_cast<std::size_t>(p - bytes.data());
}

Expected<void> ProtobufFilter::Finish() {
  if (!failure_.empty()) return Err(Failure());
  BeginFrame();
  CloseLevels();
  if (!failure_.empty()) return Err(Failure());
  const bool between = pending_size_ == 0 && groups_ == 0;
  const bool in_envelope = levels_.size() == 1 && state_ == State::kHeader && frames() > 0;
  if (between && (position_ == 0 || state_ == State::kEventLength || in_envelope)) return {};
  return Err(ErrorReason::kUnexpectedEof,
             "stream ended inside a protobuf value, after byte " + std::to_string(position_));
}

const char* ProtobufFilter::Step(const char* p, const char* end) {
  switch (state_) {
    case State::kEventLength:
    case State::kPrefix:
      return ReadFixedBytes(p, end);
    case State::kHeader:
      return ReadHeader(p, end);
    case State::kLeaf:
    case State::kSwap:
      return ReadValue(p, end);
    case State::kSkip:
      break;
  }
  return Skip(p, end);
}

const char* ProtobufFilter::ReadFixedBytes(const char* p, const char* end) {
  const auto size =
      std::min<std::size_t>(static_cast<std::size_t>(end - p), kFixedBytes - pending_size_);
  if (pending_size_ == 0) field_start_ = position_;
  std::copy_n(p, size, pending_.begin() + pending_size_);
  pending_size_ += size;
  position_ += size;
  if (pending_size_ == kFixedBytes) OnFixedBytes();
  return p + size;
}

void ProtobufFilter::OnFixedBytes() {
  pending_size_ = 0;
  if (state_ == State::kPrefix) {
    state_ = State::kHeader;
    if (std::string_view(pending_.data(), kFixedBytes) != kProtobufPrefix) {
      Malformed(R"(an object does not begin with "k8s\0")");
    }
    return;
  }
  std::uint64_t size = 0;
  for (std::size_t i = 0; i < kFixedBytes; ++i) {
    size = (size << 8U) | static_cast<unsigned char>(pending_[i]);
  }
  if (size > options_.input_bytes_max) {
    return FailSize("an event", size);
  }
  state_ = State::kHeader;
  OpenObject({.kind = Kind::kEvent, .end = position_ + size, .node = root_, .is_frame = true});
}

const char* ProtobufFilter::ReadHeader(const char* p, const char* end) {
  if (pending_size_ == 0 && end - p >= 2 && Remaining() >= 2) {
    // Almost every header is two bytes: a small number, and a small integer or length.
    const auto tag = static_cast<unsigned char>(p[0]);
    const auto value = static_cast<unsigned char>(p[1]);
    const auto type = static_cast<WireType>(tag & 7U);
    if ((tag | value) < 0x80 && (type == WireType::kBytes || type == WireType::kVarint) &&
        levels_.back().kind != Kind::kEntry) {
      field_start_ = position_;
      position_ += 2;
      value_end_ = position_;
      OnHeader({.number = std::uint32_t{tag} >> 3U, .type = type, .value = value, .size = 2});
      return p + 2;
    }
  }
  return ReadLongHeader(p, end);
}

const char* ProtobufFilter::ReadLongHeader(const char* p, const char* end) {
  const std::uint64_t in_level = Remaining() + pending_size_;
  const bool in_entry = levels_.back().kind == Kind::kEntry;
  const auto read = in_entry && groups_ == 0 ? ReadEntryHeader : ReadWireHeader;
  std::string error;
  std::optional<WireHeader> header;
  std::size_t taken = 0;
  if (pending_size_ == 0) {
    field_start_ = position_;
    const auto size = std::min<std::uint64_t>(static_cast<std::uint64_t>(end - p), in_level);
    header = read({p, static_cast<std::size_t>(size)}, error);
    taken = header ? header->size : 0;
  }
  // The header is in pieces.
  while (!header && error.empty() && p + taken != end && pending_size_ < in_level) {
    pending_[pending_size_++] = p[taken++];
    header = read({pending_.data(), pending_size_}, error);
  }
  position_ += taken;
  value_end_ = position_;
  if (header || !error.empty()) pending_size_ = 0;
  const bool truncated = !header && error.empty() && pending_size_ == in_level;
  if (header) {
    OnHeader(*header);
  } else if (truncated || !error.empty()) {
    pending_size_ = 0;
    if (truncated) error = kTruncated;
    Malformed(in_entry ? kBadEntry : std::string_view(error));
  }
  return p + taken;
}

void ProtobufFilter::OnHeader(const WireHeader& header) {
  if (header.type == WireType::kGroup && groups_ > 0) {
    ++groups_;
    return;
  }
  if (header.type == WireType::kEndGroup) {
    if (groups_-- == 0) Malformed("proto: end of a group without its begin");
    return;
  }
  const bool in_entry = levels_.back().kind == Kind::kEntry;
  if (header.type == WireType::kBytes) {
    if (header.value > Remaining()) {
      return Malformed(in_entry ? kBadEntry : kTruncated);
    }
    value_end_ = position_ + header.value;
  }
  // What follows changes the state for a value that is not dropped.
  state_ = State::kSkip;
  if (groups_ > 0) return;
  if (static_cast<std::int32_t>(header.number) <= 0 && !in_entry) {
    return Malformed("proto: illegal tag " +
                     std::to_string(static_cast<std::int32_t>(header.number)));
  }
  const Projection::Node* const reduced = reduced_;
  OnField(header);
  // OnField refuses a group that has the number of a known field. Any other group is skipped.
  if (header.type == WireType::kGroup && failure_.empty() && reduced_ == reduced) ++groups_;
}

void ProtobufFilter::OnField(const WireHeader& header) {
  switch (levels_.back().kind) {
    case Kind::kEvent:
      return OnEventField(header);
    case Kind::kExtension:
    case Kind::kUnknown:
    case Kind::kTypeMeta:
      return OnUnknownField(header);
    case Kind::kList:
      return OnListField(header);
    case Kind::kMessage:
    case Kind::kInline:
    case Kind::kUnion:
      return OnMessageField(header);
    case Kind::kEntry:
      return OnEntryField(header);
  }
}

void ProtobufFilter::OnEventField(const WireHeader& header) {
  const Level& event = levels_.back();
  const bool known = header.number == kEventType || header.number == kEventObject;
  if (known && header.type != WireType::kBytes)
    return Malformed(WrongWireType(header, std::to_string(header.number) + " of an event"));
  if (header.number == kEventType) {
    if (event.Kept("type") != nullptr) BeginLeaf(TypeField(), header);
  } else if (known) {
    const Projection::Node* const object = event.Kept("object");
    if (object == nullptr) return;
    state_ = State::kHeader;
    levels_.push_back({.kind = Kind::kExtension, .end = value_end_, .node = object});
  }
}

void ProtobufFilter::OnUnknownField(const WireHeader& header) {
  const Level& level = levels_.back();
  const std::uint32_t known = level.kind == Kind::kUnknown    ? kUnknownContentType
                              : level.kind == Kind::kTypeMeta ? kTypeMetaKind
                                                              : kExtensionRaw;
  if (header.number > known) return;
  if (header.type != WireType::kBytes)
    return Malformed(
        WrongWireType(header, std::to_string(header.number) + " of an object's envelope"));
  if (level.kind == Kind::kExtension) {
    if (header.value < kFixedBytes) return Malformed(kTruncated);
    state_ = State::kPrefix;
    api_version_.clear();
    kind_.clear();
    levels_.push_back({.kind = Kind::kUnknown, .end = value_end_, .node = level.node});
  } else if (level.kind == Kind::kUnknown) {
    if (header.number == kUnknownTypeMeta) {
      state_ = State::kHeader;
      levels_.push_back({.kind = Kind::kTypeMeta, .end = value_end_, .node = level.node});
    } else if (header.number == kUnknownRaw) {
      OnObject(value_end_);
    }
  } else {
    if (header.value > kTypeTextBytesMax) return Malformed("the kind is too long");
    text_ = header.number == kTypeMetaKind ? &kind_ : &api_version_;
    state_ = State::kLeaf;
    if (header.value == 0) EndLeaf({});
  }
}

void ProtobufFilter::OnObject(std::uint64_t end) {
  constexpr std::string_view kListSuffix = "List";
  const Projection::Node& node = *levels_.back().node;
  Level level{.kind = Kind::kMessage, .end = end, .node = &node};
  if (stream_ == Stream::kBody && options_.framing == Framing::kList &&
      kind_.ends_with(kListSuffix)) {
    std::string_view item(kind_);
    item.remove_suffix(kListSuffix.size());
    object_ = FindMessage(api_version_, item);
    if (object_ != nullptr) level.kind = Kind::kList;
  }
  if (level.kind == Kind::kMessage) {
    if (object_ == nullptr || kind_ != object_kind_ || api_version_ != object_api_version_) {
      object_ = FindMessage(api_version_, kind_);
      object_kind_ = kind_;
      object_api_version_ = api_version_;
    }
    if (object_ == nullptr) {
      return Malformed("the fields of the kind " + Quoted(kind_) + " of " + Quoted(api_version_) +
                       " are not known");
    }
    if (end - position_ > options_.input_bytes_max) {
      return FailSize("an object", end - position_);
    }
    level.message = object_;
    level.plan = reduced_ == nullptr ? PlanFor(*object_, node) : nullptr;
    level.is_frame = stream_ == Stream::kBody;
  }
  state_ = State::kHeader;
  if (stream_ == Stream::kWatch) {
    Level& event = levels_.front();
    CloseOpen(event);
    member_start_ = buffer_.size();
    if (std::exchange(event.has_members, true)) Write(",");
    WriteKey("object");
  }
  OpenObject(level);
  if (!failure_.empty() || levels_.back().end != end) return;
  for (const auto& [name, value] : {std::pair<std::string_view, const std::string&>("kind", kind_),
                                    {"apiVersion", api_version_}}) {
    if (level.Kept(name) == nullptr) continue;
    if (std::exchange(levels_.back().has_members, true)) Write(",");
    WriteKey(name);
    AppendQuoted(value, buffer_);
  }
}

void ProtobufFilter::OnListField(const WireHeader& header) {
  Level& list = levels_.back();
  if (header.number > kListItems) return;
  if (header.type != WireType::kBytes)
    return Malformed(WrongWireType(header, std::to_string(header.number) + " of a list"));
  if (header.number == kListMetadata) {
    if (const auto* const node = list.Kept("metadata")) {
      BeginValue(ListMetaField(), *node, nullptr, header);
    }
    return;
  }
  const Projection::Node* const node = list.Kept("items");
  if (node == nullptr) return;
  if (header.value > options_.input_bytes_max) {
    return FailSize("an item", header.value);
  }
  if (list.open != &ItemsField() && !BeginMember(ItemsField())) return;
  list.open_has_members = false;  // the items are frames of their own
  state_ = State::kHeader;
  frame_start_ = buffer_.size();
  OpenObject({.kind = Kind::kMessage,
              .end = value_end_,
              .node = node,
              .message = object_,
              .plan = PlanFor(*object_, *node),
              .is_frame = true});
}

void ProtobufFilter::OnMessageField(const WireHeader& header) {
  Level& level = levels_.back();
  const Field* field = nullptr;
  const Projection::Node* node = nullptr;
  const Plan* plan = nullptr;
  if (level.plan != nullptr) {
    if (header.number >= level.plan->by_number.size()) return;
    const Plan::Entry& entry = level.plan->by_number[header.number];
    field = entry.field;
    node = entry.node;
    plan = entry.plan;
  } else if ((field = level.message->Find(header.number)) != nullptr) {
    const bool same = field->name.empty() || level.kind == Kind::kUnion;
    node = same ? level.node : level.Kept(field->name);
  }
  if (field == nullptr || node == nullptr) return;
  if (!FitsWireType(*field, header.type)) {
    return Malformed(WrongWireType(header, field->name));
  }
  if (level.kind == Kind::kUnion && IsOverridden(level, *field)) return;
  const bool again = header.number == level.last && field->shape != Field::Shape::kOne;
  if (header.number <= level.last && !again && level.kind != Kind::kUnion) unordered_ = true;
  level.last = header.number;
  BeginValue(*field, *node, plan, header);
}

void ProtobufFilter::BeginValue(const Field& field, const Projection::Node& node, const Plan* plan,
                                const WireHeader& header) {
  const bool message = field.type == FieldType::kMessage;
  if (!message && field.shape != Field::Shape::kMap) {
    // A scalar is dropped where the projection keeps only members of it.
    if (node.keep_all || field.type == FieldType::kJson) BeginLeaf(field, header);
    return;
  }
  Level level{
      .end = value_end_, .node = &node, .message = field.message, .plan = plan, .field = &field};
  state_ = State::kHeader;
  if (field.name.empty()) {
    CloseOpen(levels_.back());
    level.kind = Kind::kInline;
    levels_.push_back(level);
    return;
  }
  if (!BeginMember(field)) return;
  level.member_start = member_start_;
  if (field.shape == Field::Shape::kMap) {
    level.kind = Kind::kEntry;
    level.member_start = buffer_.size();
    key_.clear();
    levels_.push_back(level);
  } else {
    OpenMessage(level);
  }
}

void ProtobufFilter::BeginLeaf(const Field& field, const WireHeader& header) {
  leaf_ = &field;
  if (header.type != WireType::kBytes) {
    state_ = State::kHeader;
    return WriteLeaf(field, {.integer = header.value});
  }
  const std::size_t used = buffer_.size() - frame_start_;
  if (header.value > options_.frame_bytes_max - std::min(used, options_.frame_bytes_max)) {
    member_start_ = buffer_.size();
    return Reduce(TooManyBytes());
  }
  state_ = State::kLeaf;
  value_.clear();
  if (header.value == 0) EndLeaf({});
}

const char* ProtobufFilter::ReadValue(const char* p, const char* end) {
  const auto size =
      std::min<std::uint64_t>(static_cast<std::uint64_t>(end - p), value_end_ - position_);
  const std::string_view bytes(p, static_cast<std::size_t>(size));
  position_ += size;
  const bool whole = position_ == value_end_;
  if (state_ == State::kLeaf && whole && value_.empty()) {
    EndLeaf(bytes);
    return p + size;
  }
  value_.append(bytes);
  if (!whole) return p + size;
  const std::string value = std::exchange(value_, {});
  if (state_ == State::kSwap) {
    SwapEntry(value);
  } else {
    EndLeaf(value);
  }
  return p + size;
}

const char* ProtobufFilter::Skip(const char* p, const char* end) {
  const auto size =
      std::min<std::uint64_t>(static_cast<std::uint64_t>(end - p), value_end_ - position_);
  position_ += size;
  return p + size;
}

void ProtobufFilter::EndLeaf(std::string_view bytes) {
  state_ = State::kHeader;
  if (text_ != nullptr) {
    std::exchange(text_, nullptr)->assign(bytes);
    return;
  }
  const bool bytes_type = FitsWireType(Field{.type = leaf_->type}, WireType::kBytes);
  if (leaf_->shape == Field::Shape::kList && !bytes_type) {
    WritePacked(*leaf_, bytes);
  } else {
    WriteLeaf(*leaf_, {.bytes = bytes});
  }
}

void ProtobufFilter::CloseLevels() {
  for (;;) {
    if (state_ == State::kSkip && position_ == value_end_) state_ = State::kHeader;
    if (state_ != State::kHeader || pending_size_ != 0 || HasFrame() || !failure_.empty() ||
        levels_.empty() || levels_.back().end != position_) {
      return;
    }
    if (groups_ > 0) {
      groups_ = 0;
      value_end_ = position_;
      Malformed(levels_.back().kind == Kind::kEntry ? kBadEntry : kTruncated);
    } else {
      CloseLevel();
    }
  }
}

const ProtobufFilter::Plan* ProtobufFilter::PlanFor(const Message& message,
                                                    const Projection::Node& node) {
  if (node.keep_all || message.form() != Message::Union::kNone) return nullptr;
  auto [known, is_new] = plans_.try_emplace({&message, &node});
  if (!is_new) return known->second.get();
  Plan* const plan = (known->second = std::make_unique<Plan>()).get();
  for (const Field& field : message.fields()) {
    const Projection::Node* const kept = field.name.empty() ? &node : node.Find(field.name);
    if (field.number == 0 || kept == nullptr) continue;
    if (plan->by_number.size() <= field.number) plan->by_number.resize(field.number + 1);
    const bool one_message = field.type == FieldType::kMessage && field.shape != Field::Shape::kMap;
    plan->by_number[field.number] = {
        .field = &field,
        .node = kept,
        .plan = one_message ? PlanFor(*field.message, *kept) : nullptr};
  }
  return plan;
}

void ProtobufFilter::BeginFrame() {
  if (!ReleaseFrame()) return;
  reduced_ = nullptr;
  unordered_ = false;
}

void ProtobufFilter::Malformed(std::string_view why) {
  const std::size_t frame = FrameLevel();
  if (frame == levels_.size() || options_.identity == nullptr) return Fail(why);
  Reduce(std::string("bad protobuf: ").append(why));
  if (!failure_.empty()) return;
  while (levels_.size() > frame + 1) CloseLevel();
  value_end_ = levels_.back().end;
  state_ = State::kSkip;
}

void ProtobufFilter::FailSize(std::string_view what, std::uint64_t bytes) {
  Fail(std::string(what) + " of " + std::to_string(bytes) + " bytes");
}

void ProtobufFilter::Fail(std::string_view why) {
  if (failure_.empty()) failure_ = why;
}

Error ProtobufFilter::Failure() const {
  return {.reason = ErrorReason::kDecode,
          .message = "bad protobuf at byte " + std::to_string(field_start_) + ": " + failure_};
}

}  // namespace capstan::runtime
