// SPDX-License-Identifier: Apache-2.0
// Written by hack/api_kinds.py from Kubernetes v0.37.2.
#include "capstan/api/events/v1/event.h"
#include "capstan/generated.h"

// clang-format off
namespace capstan::api::events::v1 {

CAPSTAN_LAYOUT(EventSeries,
    CAPSTAN_REQUIRED(EventSeries, "count", count),
    CAPSTAN_REQUIRED(EventSeries, "lastObservedTime", last_observed_time))

CAPSTAN_LAYOUT(Event,
    CAPSTAN_PART(Event, "metadata", metadata, kMetadata),
    CAPSTAN_REQUIRED(Event, "eventTime", event_time),
    CAPSTAN_FIELD(Event, "series", series),
    CAPSTAN_FIELD(Event, "reportingController", reporting_controller),
    CAPSTAN_FIELD(Event, "reportingInstance", reporting_instance),
    CAPSTAN_FIELD(Event, "action", action),
    CAPSTAN_FIELD(Event, "reason", reason),
    CAPSTAN_FIELD(Event, "regarding", regarding),
    CAPSTAN_FIELD(Event, "related", related),
    CAPSTAN_FIELD(Event, "note", note),
    CAPSTAN_FIELD(Event, "type", type),
    CAPSTAN_FIELD(Event, "deprecatedSource", deprecated_source),
    CAPSTAN_FIELD(Event, "deprecatedFirstTimestamp", deprecated_first_timestamp),
    CAPSTAN_FIELD(Event, "deprecatedLastTimestamp", deprecated_last_timestamp),
    CAPSTAN_NUMBER(Event, "deprecatedCount", deprecated_count))

}  // namespace capstan::api::events::v1

template class capstan::Boxed<capstan::api::events::v1::EventSeries>;
