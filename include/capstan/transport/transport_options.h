// SPDX-License-Identifier: Apache-2.0
// The time limits of a transport's connections.
#pragma once

#include <chrono>

#include "capstan/export.h"

namespace capstan::transport {

struct CAPSTAN_EXPORT DialOptions {
  // RFC 8305's Connection Attempt Delay.
  std::chrono::milliseconds attempt_delay{250};
  // Limits all attempts together (kTransport). The value is client-go's.
  std::chrono::milliseconds timeout = std::chrono::seconds(30);
};

struct CAPSTAN_EXPORT TransportOptions {
  // How often a running watch checks whether its client certificate is still the current one.
  std::chrono::milliseconds certificate_check_period = std::chrono::minutes(5);
  // How long a connection is kept without a request. API servers and client-go close it after
  // 90 s. A request at that moment would be lost, so this is shorter.
  std::chrono::milliseconds idle_connection_timeout = std::chrono::seconds(60);
  DialOptions dial = {};
  // HTTP/2 sends a PING after this much silence, and closes the connection when nothing arrives
  // within ping_timeout. Together they are the time until a hung server is noticed.
  std::chrono::milliseconds ping_after = std::chrono::seconds(15);
  std::chrono::milliseconds ping_timeout = std::chrono::seconds(15);
  // A server that is silent for this long counts as unresponsive, during a handshake and after a
  // PING. New requests then try another connection, and another address first. The silent
  // connection is used again as soon as the server sends something.
  std::chrono::milliseconds unresponsive_after = std::chrono::seconds(1);
};

}  // namespace capstan::transport
