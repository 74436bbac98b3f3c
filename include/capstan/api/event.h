// SPDX-License-Identifier: Apache-2.0
// Event is a core/v1 Event with the fields that the recorder writes. Times are metav1.Time text.
// Mirrors corev1.Event without series and the fields of events.k8s.io/v1.
#pragma once

#include <string>

#include "capstan/api/object_reference.h"
#include "capstan/export.h"
#include "capstan/kind.h"
#include "capstan/object_meta.h"

namespace capstan::api {

// EventSource mirrors corev1.EventSource.
struct CAPSTAN_EXPORT EventSource {
  std::string component = {};
  std::string host = {};
  friend bool operator==(const EventSource&, const EventSource&) = default;
};

// EventFields are all fields of an Event except its metadata.
struct CAPSTAN_EXPORT EventFields {
  ObjectReference involved_object = {};
  std::string type = {};  // "Normal", "Warning"
  std::string reason = {};
  std::string message = {};
  EventSource source = {};
  std::string reporting_component = {};  // as source.component
  std::string reporting_instance = {};   // as source.host
  std::string first_timestamp = {};
  std::string last_timestamp = {};
  int count = 1;
  friend bool operator==(const EventFields&, const EventFields&) = default;
};

struct CAPSTAN_EXPORT Event : EventFields {
  ObjectMeta metadata = {};
};

}  // namespace capstan::api

namespace capstan {

template <>
inline constexpr auto kKind<api::Event> =
    Kind("", "v1", "Event", "events")
        .Namespaced()
        .Partial()
        .Fields(
            Field("involvedObject", &api::Event::involved_object).Required(),
            Field("type", &api::Event::type), Field("reason", &api::Event::reason),
            Field("message", &api::Event::message),
            Field("source", &api::Event::source, Field("component", &api::EventSource::component),
                  Field("host", &api::EventSource::host))
                .Required(),
            Field("reportingComponent", &api::Event::reporting_component),
            Field("reportingInstance", &api::Event::reporting_instance),
            Field("firstTimestamp", &api::Event::first_timestamp),
            Field("lastTimestamp", &api::Event::last_timestamp),
            // An Event without a count, such as one of events.k8s.io/v1, has 0; a new one has 1.
            Field("count", &api::Event::count).Default(0));

}  // namespace capstan
