// SPDX-License-Identifier: Apache-2.0
// Written by hack/api_kinds.py from Kubernetes v0.37.2, with its documentation.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "capstan/api/core/v1/event_source.h"
#include "capstan/api/core/v1/object_reference.h"
#include "capstan/boxed.h"
#include "capstan/detail/layout.h"
#include "capstan/export.h"
#include "capstan/kind.h"
#include "capstan/object_meta.h"
#include "capstan/time.h"

namespace capstan::api::core::v1 {

// EventSeries contain information on series of events, i.e. thing that was/is happening
// continuously for some time.
struct CAPSTAN_EXPORT EventSeries {
  // Number of occurrences in this series up to the last heartbeat time
  std::int32_t count = {};
  // Time of the last occurrence observed
  std::optional<MicroTime> last_observed_time = {};
};
CAPSTAN_EXPORT bool operator==(const EventSeries& a, const EventSeries& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const EventSeries*);

// Event is a report of an event somewhere in the cluster.  Events have a limited retention time and
// triggers and messages may evolve with time.  Event consumers should not rely on the timing of an
// event with a given Reason reflecting a consistent underlying trigger, or the continued existence
// of events with that Reason.  Events should be treated as informative, best-effort, supplemental
// data.
struct CAPSTAN_EXPORT Event {
  // Standard object's metadata. More info:
  // https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#metadata
  ObjectMeta metadata = {};
  // The object that this event is about.
  ObjectReference involved_object = {};
  std::string reason = {};
  std::string message = {};
  // The component reporting this event. Should be a short machine understandable string.
  EventSource source = {};
  // The time at which the event was first recorded. (Time of server receipt is in TypeMeta.)
  std::optional<Time> first_timestamp = {};
  // The time at which the most recent occurrence of this event was recorded.
  std::optional<Time> last_timestamp = {};
  // The number of times this event has occurred.
  std::int32_t count = {};
  // Type of this event (Normal, Warning), new types could be added in the future
  std::string type = {};
  // Time when this Event was first observed.
  std::optional<MicroTime> event_time = {};
  // Data about the Event series this event represents or nil if it's a singleton Event.
  Boxed<EventSeries> series = {};
  // What action was taken/failed regarding to the Regarding object.
  std::string action = {};
  // Optional secondary object for more complex actions.
  Boxed<ObjectReference> related = {};
  // Name of the controller that emitted this Event, e.g. `kubernetes.io/kubelet`.
  std::string reporting_component = {};
  // ID of the controller instance, e.g. `kubelet-xyzf`.
  std::string reporting_instance = {};
};
CAPSTAN_EXPORT bool operator==(const Event& a, const Event& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const Event*);

}  // namespace capstan::api::core::v1

extern template class capstan::Boxed<capstan::api::core::v1::EventSeries>;

template <>
inline constexpr auto capstan::kKind<capstan::api::core::v1::Event> =
    capstan::Kind("", "v1", "Event", "events").Namespaced().Whole();
