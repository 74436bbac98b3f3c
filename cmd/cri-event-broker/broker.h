// SPDX-License-Identifier: Apache-2.0
// RunBroker: the program's three threads. `cri-reader` reads the runtime's stream, `cri-ticker`
// looks after it once a second and causes the heartbeat, and the caller's forwards.
#pragma once

#include <stop_token>
#include <string>

#include "clientgo/util/clock.h"
#include "cmd/cri-event-broker/runtime_reader.h"

namespace cmd::cri_event_broker {

struct BrokerOptions {
  RuntimeReaderOptions reader;
  std::string socket;  // the agent's
};

// Until `stop`; the runtime's stream is closed when this returns.
void RunBroker(std::stop_token stop, clientgo::util::Clock& clock, BrokerOptions options);

}  // namespace cmd::cri_event_broker
