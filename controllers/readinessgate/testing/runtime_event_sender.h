// SPDX-License-Identifier: Apache-2.0
// RuntimeEventSender sends to the socket of RuntimeEvents, as the broker or a stranger.
#pragma once

#include <cstdint>
#include <string>

#include "controllers/readinessgate/events/runtime_events.h"

namespace capstan::readinessgate {

class RuntimeEventSender {
 public:
  // Connects to the existing socket at `path`.
  explicit RuntimeEventSender(const std::string& path);
  ~RuntimeEventSender();
  RuntimeEventSender(const RuntimeEventSender&) = delete;
  RuntimeEventSender& operator=(const RuntimeEventSender&) = delete;

  // Sends one datagram. Returns whether the socket accepted all of it.
  bool SendBytes(const std::string& bytes) const;
  bool Send(RuntimeEventType type, std::uint16_t count = 1) const;

 private:
  const int socket_;
};

}  // namespace capstan::readinessgate
