// SPDX-License-Identifier: Apache-2.0
// RuntimeEventSender: a broker, or somebody else, who sends to the socket of RuntimeEvents.
#pragma once

#include <cstdint>
#include <string>

#include "controllers/readinessgate/events/runtime_event_message.h"

namespace controllers::readinessgate::testing {

class RuntimeEventSender {
 public:
  // Connects to the socket at `path`, which must be there.
  explicit RuntimeEventSender(const std::string& path);
  ~RuntimeEventSender();
  RuntimeEventSender(const RuntimeEventSender&) = delete;
  RuntimeEventSender& operator=(const RuntimeEventSender&) = delete;

  // One datagram; whether the socket took all of it.
  bool SendBytes(const std::string& bytes) const;
  bool Send(RuntimeEventType type, std::uint16_t count = 1) const;

 private:
  const int socket_;
};

}  // namespace controllers::readinessgate::testing
