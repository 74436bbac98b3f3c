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

namespace capstan::api::events::v1 {

// EventSeries contain information on series of events, i.e. thing that was/is happening
// continuously for some time. How often to update the EventSeries is up to the event reporters. The
// default event reporter in "k8s.io/client-go/tools/events/event_broadcaster.go" shows how this
// struct is updated on heartbeats and can guide customized reporter implementations.
struct CAPSTAN_EXPORT EventSeries {
  // count is the number of occurrences in this series up to the last heartbeat time.
  std::int32_t count = {};
  // lastObservedTime is the time when last Event from the series was seen before last heartbeat.
  std::optional<MicroTime> last_observed_time = {};
};
CAPSTAN_EXPORT bool operator==(const EventSeries& a, const EventSeries& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const EventSeries*);

// Event is a report of an event somewhere in the cluster. It generally denotes some state change in
// the system. Events have a limited retention time and triggers and messages may evolve with time.
// Event consumers should not rely on the timing of an event with a given Reason reflecting a
// consistent underlying trigger, or the continued existence of events with that Reason.  Events
// should be treated as informative, best-effort, supplemental data.
struct CAPSTAN_EXPORT Event {
  // metadata is the standard object's metadata. More info:
  // https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#metadata
  ObjectMeta metadata = {};
  // eventTime is the time when this Event was first observed. It is required.
  std::optional<MicroTime> event_time = {};
  // series is data about the Event series this event represents or nil if it's a singleton Event.
  Boxed<EventSeries> series = {};
  // reportingController is the name of the controller that emitted this Event, e.g.
  // `kubernetes.io/kubelet`. This field cannot be empty for new Events.
  std::string reporting_controller = {};
  // reportingInstance is the ID of the controller instance, e.g. `kubelet-xyzf`. This field cannot
  // be empty for new Events and it can have at most 128 characters.
  std::string reporting_instance = {};
  // action is what action was taken/failed regarding to the regarding object. It is
  // machine-readable. This field cannot be empty for new Events and it can have at most 128
  // characters.
  std::string action = {};
  // reason is why the action was taken. It is human-readable. This field cannot be empty for new
  // Events and it can have at most 128 characters.
  std::string reason = {};
  // regarding contains the object this Event is about. In most cases it's an Object reporting
  // controller implements, e.g. ReplicaSetController implements ReplicaSets and this event is
  // emitted because it acts on some changes in a ReplicaSet object.
  core::v1::ObjectReference regarding = {};
  // related is the optional secondary object for more complex actions. E.g. when regarding object
  // triggers a creation or deletion of related object.
  Boxed<core::v1::ObjectReference> related = {};
  // note is a human-readable description of the status of this operation. Maximal length of the
  // note is 1kB, but libraries should be prepared to handle values up to 64kB.
  std::string note = {};
  // type is the type of this event (Normal, Warning), new types could be added in the future. It is
  // machine-readable. This field cannot be empty for new Events.
  std::string type = {};
  // deprecatedSource is the deprecated field assuring backward compatibility with core.v1 Event
  // type.
  core::v1::EventSource deprecated_source = {};
  // deprecatedFirstTimestamp is the deprecated field assuring backward compatibility with core.v1
  // Event type.
  std::optional<Time> deprecated_first_timestamp = {};
  // deprecatedLastTimestamp is the deprecated field assuring backward compatibility with core.v1
  // Event type.
  std::optional<Time> deprecated_last_timestamp = {};
  // deprecatedCount is the deprecated field assuring backward compatibility with core.v1 Event
  // type.
  std::int32_t deprecated_count = {};
};
CAPSTAN_EXPORT bool operator==(const Event& a, const Event& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const Event*);

}  // namespace capstan::api::events::v1

extern template class capstan::Boxed<capstan::api::events::v1::EventSeries>;

template <>
inline constexpr auto capstan::kKind<capstan::api::events::v1::Event> =
    capstan::Kind("events.k8s.io", "v1", "Event", "events").Namespaced().Whole();
