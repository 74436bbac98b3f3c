// SPDX-License-Identifier: Apache-2.0
// WatchEvent and the decoders that make events, list pages and single objects from bytes.
// Mirrors k8s.io/apimachinery/pkg/watch and the streaming serializers.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "clientgo/runtime/object.h"
#include "clientgo/runtime/resource_type.h"
#include "clientgo/util/error.h"

namespace clientgo::runtime {

enum class EventType { kAdded, kModified, kDeleted, kBookmark, kError, kUnknown };

// UndecodableObject is what is known of an object that its type cannot decode.
struct UndecodableObject {
  std::string key = {};  // "namespace/name"; empty: it is of another kind, or has no readable name
  std::string uid = {};
  util::Error error = {};
};

struct WatchEvent {
  EventType type = EventType::kUnknown;
  // Set for kAdded, kModified, kDeleted; nullptr when the type's decode refused this one object
  // (then `error` says why, and the event only advances the resourceVersion).
  ObjectPtr object = nullptr;
  // The same events without `object`: as in UndecodableObject. Else empty.
  std::string key = {};
  std::string uid = {};
  // The object's; empty for kError, and for an object that is of another kind or has no identity:
  // such an event does not advance the watch.
  std::string resource_version = {};
  bool initial_events_end = false;  // kBookmark with k8s.io/initial-events-end: "true"
  util::Error error = {};           // kError: the Status; else see `object`
};

// The decoders take a frame of a JsonFilter as it is (parsed in place, so its bytes are spent) that
// ran with the shape of type.projection that each names. They allocate nothing but the object.
// A frame that is not what its caller asked for is kDecode, also a Status sent with HTTP 200.

// Shape: watch(). Never an error for one bad object; see WatchEvent::object.
util::Expected<WatchEvent> DecodeWatchEvent(const ResourceType& type, char* frame,
                                            std::size_t size);

// Shape: object().
util::Expected<ObjectPtr> DecodeObject(const ResourceType& type, char* frame, std::size_t size);

// Shape: list(); kItem frames. As DecodeObject, but the server need not repeat the kind.
tl::expected<ObjectPtr, UndecodableObject> DecodeListItem(const ResourceType& type, char* frame,
                                                          std::size_t size);

struct ListMeta {
  std::string resource_version = {};
  std::string continue_token = {};  // empty: the last page
  // The items that are missing from the list since they could not be decoded.
  std::vector<UndecodableObject> undecodable = {};
};

// Shape: list(); the kDocument frame.
util::Expected<ListMeta> DecodeListMeta(char* frame, std::size_t size);

// The error a Status body says, or for a body that is none: the reason for `http_code` and at most
// 2048 bytes of the text. `body` is a whole body, unfiltered; it may be cut off.
util::Error DecodeStatus(int http_code, std::string_view body);

// EXCERPT
std::string_view Excerpt(std::string_view text);

}  // namespace clientgo::runtime
