// SPDX-License-Identifier: Apache-2.0
// NewGrpcEventStream: an EventStream over gRPC, on a connection of its own. The only file that
// knows gRPC, and GetContainerEvents is the only call in it.
#pragma once

#include <memory>
#include <string>

#include "cmd/cri-event-broker/event_stream.h"

namespace cmd::cri_event_broker {

// `endpoint`: "unix:///path".
std::unique_ptr<EventStream> NewGrpcEventStream(const std::string& endpoint);

}  // namespace cmd::cri_event_broker
