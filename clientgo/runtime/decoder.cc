// SPDX-License-Identifier: Apache-2.0
#include "capstan/runtime/decoder.h"

#include <array>
#include <chrono>
#include <utility>

#include "capstan/runtime/json_filter.h"
#include "capstan/text.h"
#include "clientgo/runtime/json.h"

namespace capstan::runtime {
namespace {

constexpr std::string_view kInitialEventsEnd = "k8s.io/initial-events-end";

constexpr std::size_t kTextBytesMax = 2048;
constexpr std::string_view kTooLargeMessage = "Too large resource version";

EventType EventTypeFromString(std::string_view text) {
  constexpr std::array kTypes = {
      std::pair{std::string_view("ADDED"), EventType::kAdded},
      std::pair{std::string_view("MODIFIED"), EventType::kModified},
      std::pair{std::string_view("DELETED"), EventType::kDeleted},
      std::pair{std::string_view("BOOKMARK"), EventType::kBookmark},
      std::pair{std::string_view("ERROR"), EventType::kError},
  };
  for (const auto& [name, type] : kTypes) {
    if (name == text) return type;
  }
  return EventType::kUnknown;
}

tl::unexpected<Error> DecodeErr(std::string message) {
  return Err(ErrorReason::kDecode, std::move(message));
}

// "expected Secret, got Status: etcd is away"
tl::unexpected<Error> Unexpected(std::string_view expected, const JsonValue& got) {
  const std::string_view kind = GetString(got, "kind");
  std::string text = "expected " + std::string(expected) + ", got ";
  text += kind.empty() ? "JSON without a kind" : Excerpt(kind);
  if (kind == "Status") text.append(": ").append(Excerpt(GetString(got, "message")));
  return DecodeErr(std::move(text));
}

bool IsOfKind(const ResourceType& type, const JsonValue& object) {
  const std::string_view kind = GetString(object, "kind");
  return kind.empty() || kind == type.kind ||
         (type.metadata_only && kind == "PartialObjectMetadata");
}

std::string KeyOf(const ObjectIdentity& meta) {
  std::string key(meta.namespace_);
  if (!key.empty()) key += '/';
  key += meta.name;
  return key;
}

using DecodedObject = tl::expected<ObjectPtr, UndecodableObject>;

// Returns the identity of `object`, which cannot be decoded because of `error`.
UndecodableObject Undecodable(const ResourceType& type, const JsonValue& object, Error error) {
  UndecodableObject undecodable{.error = std::move(error)};
  if (!IsOfKind(type, object)) return undecodable;
  if (const auto meta = DecodeIdentity(object)) {
    undecodable.key = KeyOf(*meta);
    undecodable.uid = meta->uid;
  }
  return undecodable;
}

DecodedObject FromJson(const ResourceType& type, const JsonValue& object,
                       std::string_view exceeded = {}) {
  const auto fail = [&](Error error) {
    return tl::unexpected(Undecodable(type, object, std::move(error)));
  };
  if (!IsOfKind(type, object)) return fail(Unexpected(type.kind, object).value());
  // A Status is the one kind without an identity.
  auto meta = type.kind == "Status" ? ObjectIdentity() : DecodeIdentity(object);
  if (!exceeded.empty()) {
    const std::string name = meta ? " " + KeyOf(*meta) : "";
    return fail(DecodeErr("bad " + type.kind + name + ": " + std::string(exceeded)).value());
  }
  if (!meta) return fail(meta.error().Wrap("bad " + type.kind));
  auto decoded = type.decode(*meta, object);
  // The readers of a list or a cache require an object.
  if (decoded && *decoded == nullptr) decoded = DecodeErr("the decode function returned no object");
  if (!decoded) return fail(decoded.error().Wrap("bad " + type.kind + " " + KeyOf(*meta)));
  return std::move(*decoded);
}

// IdentityFrame reads the identity from a frame that RapidJSON cannot parse, such as one with text
// that is not UTF-8.
class IdentityFrame {
 public:
  IdentityFrame(const Projection& identity, std::string_view frame) : filter_(identity, {}) {
    if (!filter_.Feed(frame) || !filter_.HasFrame()) return;
    const auto root = parser_.ParseInsitu(filter_.frame(), filter_.frame_size());
    if (root) root_ = *root;
  }
  const JsonValue* root() const { return root_; }  // nullptr: it cannot be read

 private:
  JsonFilter filter_;
  JsonParser parser_;
  const JsonValue* root_ = nullptr;
};

void DecodeChange(const ResourceType& type, const JsonValue& object, std::string_view exceeded,
                  WatchEvent& event) {
  auto decoded = FromJson(type, object, exceeded);
  if (decoded) {
    event.object = std::move(*decoded);
    return;
  }
  if (!IsOfKind(type, object)) event.resource_version.clear();
  event.key = std::move(decoded.error().key);
  event.uid = std::move(decoded.error().uid);
  event.error = std::move(decoded.error().error);
}

int GetInt(const JsonValue* value) {
  return value != nullptr && value->IsInt() ? value->GetInt() : 0;
}

// Servers before 1.17 sent only the message and no cause type. See IsTooLargeResourceVersion in
// client-go's reflector.
bool IsTooLarge(const JsonValue& status, ErrorReason reason) {
  const bool legacy = reason == ErrorReason::kTimeout;
  if (legacy && GetString(status, "message").find(kTooLargeMessage) != std::string_view::npos) {
    return true;
  }
  const JsonValue* causes = FindPath(status, {"details", "causes"});
  if (causes == nullptr || !causes->IsArray()) return false;
  for (const JsonValue& cause : causes->GetArray()) {
    if (GetString(cause, "reason") == "ResourceVersionTooLarge") return true;
    if (legacy && GetString(cause, "message") == kTooLargeMessage) return true;
  }
  return false;
}

bool HasCause(const JsonValue& status, std::string_view reason) {
  const JsonValue* causes = FindPath(status, {"details", "causes"});
  if (causes == nullptr || !causes->IsArray()) return false;
  for (const JsonValue& cause : causes->GetArray()) {
    if (GetString(cause, "reason") == reason) return true;
  }
  return false;
}

Error FromText(int http_code, std::string_view body) {
  const std::string_view text = Excerpt(body);
  return {.reason = ReasonFromHttpCode(http_code),
          .http_code = http_code,
          .message = text.empty()
                         ? "the server answered " + std::to_string(http_code) + " without a message"
                         : std::string(text)};
}

// `http_code` is 0 for a Status in a stream with HTTP 200: the code in the Status counts.
Error ErrorFromStatus(int http_code, const JsonValue& status) {
  Error error;
  error.http_code = http_code != 0 ? http_code : GetInt(Find(status, "code"));
  error.reason = ReasonFromString(GetString(status, "reason"));
  if (error.reason == ErrorReason::kUnknown) {
    error.reason = ReasonFromHttpCode(error.http_code);
  }
  error.message = Excerpt(GetString(status, "message"));
  if (error.message.empty()) {
    error.message = "the server answered " + std::to_string(error.http_code) + " without a message";
  }
  const int retry_after = GetInt(FindPath(status, {"details", "retryAfterSeconds"}));
  if (retry_after > 0) error.retry_after = std::chrono::seconds(retry_after);
  error.resource_version_too_large = IsTooLarge(status, error.reason);
  error.field_manager_conflict = HasCause(status, "FieldManagerConflict");
  return error;
}

Expected<WatchEvent> DecodeEvent(const ResourceType& type, const JsonValue& root,
                                 std::string_view exceeded) {
  const JsonValue* object = Find(root, "object");
  const std::string_view name = GetString(root, "type");
  if (name.empty() || object == nullptr) return Unexpected("a watch event", root);

  WatchEvent event;
  event.type = EventTypeFromString(name);
  if (event.type == EventType::kError) {
    event.error = ErrorFromStatus(0, *object);
    return event;
  }
  const JsonValue* metadata = Find(*object, "metadata");
  if (metadata != nullptr) event.resource_version = GetString(*metadata, "resourceVersion");
  if (event.type == EventType::kBookmark) {
    const JsonValue* annotations = FindPath(*object, {"metadata", "annotations"});
    event.initial_events_end =
        annotations != nullptr && GetString(*annotations, kInitialEventsEnd) == "true";
  } else if (event.type != EventType::kUnknown) {
    DecodeChange(type, *object, exceeded, event);
  }
  return event;
}

}  // namespace

Expected<WatchEvent> DecodeWatchEvent(const ResourceType& type, char* frame, std::size_t size,
                                      std::string_view exceeded) {
  JsonParser parser;
  const auto root = parser.ParseInsitu(frame, size);
  if (root) return DecodeEvent(type, **root, exceeded);
  const IdentityFrame identity(WatchIdentityProjection(), {frame, size});
  if (identity.root() == nullptr) return Err(root.error().Wrap("bad watch event"));
  return DecodeEvent(type, *identity.root(), root.error().message);
}

Expected<ObjectPtr> DecodeObject(const ResourceType& type, char* frame, std::size_t size) {
  JsonParser parser;
  const auto root = parser.ParseInsitu(frame, size);
  if (!root) return Err(root.error().Wrap("bad " + type.kind));
  if (GetString(**root, "kind").empty()) return Unexpected(type.kind, **root);
  auto decoded = FromJson(type, **root);
  if (!decoded) return Err(std::move(decoded.error().error));
  return std::move(*decoded);
}

DecodedObject DecodeListItem(const ResourceType& type, char* frame, std::size_t size,
                             std::string_view exceeded) {
  JsonParser parser;
  const auto root = parser.ParseInsitu(frame, size);
  if (root) return FromJson(type, **root, exceeded);
  const IdentityFrame identity(IdentityProjection(), {frame, size});
  if (identity.root() != nullptr) return FromJson(type, *identity.root(), root.error().message);
  return tl::unexpected(UndecodableObject{.error = root.error().Wrap("bad " + type.kind)});
}

Expected<ListMeta> DecodeListMeta(char* frame, std::size_t size) {
  JsonParser parser;
  const auto root = parser.ParseInsitu(frame, size);
  if (!root) return Err(root.error().Wrap("bad list"));
  const JsonValue* metadata = Find(**root, "metadata");
  const std::string_view kind = GetString(**root, "kind");
  const JsonValue* items = Find(**root, "items");
  const bool has_items = items != nullptr && items->IsArray();
  const bool is_list = has_items ? !kind.empty() && kind != "Status" : kind.ends_with("List");
  if (!is_list || metadata == nullptr) return Unexpected("a list", **root);
  return ListMeta{.resource_version = std::string(GetString(*metadata, "resourceVersion")),
                  .continue_token = std::string(GetString(*metadata, "continue"))};
}

// The filter limits the depth and size of the body, which any proxy may have sent.
Error DecodeStatus(int http_code, std::string_view body) {
  JsonFilter filter(StatusProjection(), {});
  const auto taken = filter.Feed(body);
  if (!taken || !filter.HasFrame()) return FromText(http_code, body);
  JsonParser parser;
  const auto root = parser.ParseInsitu(filter.frame(), filter.frame_size());
  if (!root || GetString(**root, "kind") != "Status") return FromText(http_code, body);
  return ErrorFromStatus(http_code, **root);
}

std::string_view Excerpt(std::string_view text) {
  return Trim(TruncateUtf8(text, kTextBytesMax), " \t\r\n");
}

}  // namespace capstan::runtime
