// SPDX-License-Identifier: Apache-2.0
// WatchEvent and the decoders that make events, list pages and single objects from bytes.
// Mirrors k8s.io/apimachinery/pkg/watch and the streaming serializers.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "clientgo/runtime/json_filter.h"
#include "clientgo/runtime/object.h"
#include "clientgo/runtime/resource_type.h"
#include "clientgo/util/error.h"

namespace clientgo::runtime {

enum class EventType { kAdded, kModified, kDeleted, kBookmark, kError, kUnknown };

struct WatchEvent {
  EventType type = EventType::kUnknown;
  // Set for kAdded, kModified, kDeleted; nullptr when the type's decode refused this one object
  // (then `error` says why, and the event only advances the resourceVersion).
  ObjectPtr object;
  std::string resource_version;     // the object's; empty for kError
  bool initial_events_end = false;  // kBookmark with k8s.io/initial-events-end: "true"
  util::Error error;                // kError: the Status; else see `object`
};

struct ListMeta {
  std::string resource_version;
  std::string continue_token;  // empty: the last page
};

// The error a Status body says, or for a body that is none: the reason for `http_code` and at most
// 2048 bytes of the text.
util::Error DecodeStatus(int http_code, std::string_view body);

}  // namespace clientgo::runtime
