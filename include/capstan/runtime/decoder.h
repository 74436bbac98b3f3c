// SPDX-License-Identifier: Apache-2.0
// The decoders make watch events, list pages, single objects and errors from the bytes of a
// response. Mirrors k8s.io/apimachinery/pkg/watch and the streaming serializers.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "capstan/error.h"
#include "capstan/export.h"
#include "capstan/runtime/object.h"
#include "capstan/runtime/resource_type.h"

namespace capstan::runtime {

enum class EventType { kAdded, kModified, kDeleted, kBookmark, kError, kUnknown };

// UndecodableObject identifies an object that its type cannot decode.
struct CAPSTAN_EXPORT UndecodableObject {
  std::string key = {};  // "namespace/name"; empty: another kind, or no readable name
  std::string uid = {};
  Error error = {};
};

struct CAPSTAN_EXPORT WatchEvent {
  EventType type = EventType::kUnknown;
  // Set for kAdded, kModified and kDeleted. nullptr if the type cannot decode the object: `error`
  // is the reason, and the event only advances the resourceVersion.
  ObjectPtr object = nullptr;
  // As in UndecodableObject, if `object` is nullptr; otherwise empty.
  std::string key = {};
  std::string uid = {};
  // The resourceVersion of the object. Empty for kError, and for an object of another kind or
  // without an identity: such an event does not advance the watch.
  std::string resource_version = {};
  bool initial_events_end = false;  // kBookmark with k8s.io/initial-events-end: "true"
  Error error = {};                 // kError: the Status; otherwise see `object`
};

// The decoders parse a frame of a FrameFilter in place, so its bytes change. The filter must have
// used the named shape of type.projection. They allocate only the object. A frame of another kind
// fails with kDecode, as does a Status that was sent with HTTP 200. `exceeded` is what the filter
// returned. If it is not empty, the frame is only an identity, and the object cannot be decoded.

// Shape: watch(). An object that cannot be decoded is not an error; see WatchEvent::object.
CAPSTAN_EXPORT Expected<WatchEvent> DecodeWatchEvent(const ResourceType& type, char* frame,
                                                     std::size_t size,
                                                     std::string_view exceeded = {});

// Shape: object().
CAPSTAN_EXPORT Expected<ObjectPtr> DecodeObject(const ResourceType& type, char* frame,
                                                std::size_t size);

// Shape: list(), kItem frames. Like DecodeObject, but the kind may be missing.
CAPSTAN_EXPORT tl::expected<ObjectPtr, UndecodableObject> DecodeListItem(
    const ResourceType& type, char* frame, std::size_t size, std::string_view exceeded = {});

struct CAPSTAN_EXPORT ListMeta {
  std::string resource_version = {};
  std::string continue_token = {};  // empty: this is the last page
  // The items that are not in the list because they cannot be decoded.
  std::vector<UndecodableObject> undecodable = {};
};

// Shape: list(), the kDocument frame. Any kind with items is a list, because a
// CustomResourceDefinition may name the kind of its lists freely (listKind).
CAPSTAN_EXPORT Expected<ListMeta> DecodeListMeta(char* frame, std::size_t size);

// Returns the error of a Status body. For any other body, the reason is that of `http_code` and the
// message is the start of the body. `body` is unfiltered and may be incomplete.
CAPSTAN_EXPORT Error DecodeStatus(int http_code, std::string_view body);

// Returns text from a server or an object for use in messages: at most 2048 bytes, without white
// space around it, and not ending inside a UTF-8 character.
CAPSTAN_EXPORT std::string_view Excerpt(std::string_view text);

}  // namespace capstan::runtime
