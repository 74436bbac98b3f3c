// SPDX-License-Identifier: Apache-2.0
// Protocol is what a Connection speaks in place of HTTP/1.1 after its client has selected it with
// ALPN. It has no I/O and no thread: the Connection passes on what it reads, and writes what Take
// returns. ServerOptions::http2 makes one for each such Connection. Internal to httpserver; used on
// the server's thread.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "capstan/httpserver/server.h"

namespace capstan::httpserver {

struct ProtocolContext {
  const ServerOptions& options;  // the server owns options and handler; unused after Close
  const Handler& handler;
  // Returns who the client is now: its certificate may expire. Call it only in Receive.
  std::function<std::optional<ClientIdentity>()> client = [] { return std::nullopt; };
  bool from_loopback = false;
  // Makes the connection call Take soon. It does nothing once the connection is closed.
  std::function<void()> wake = {};
};

class Protocol {
 public:
  using TimePoint = std::chrono::steady_clock::time_point;

  virtual ~Protocol() = default;
  // Takes bytes from the client. It may call the handler.
  virtual void Receive(std::string_view bytes) = 0;
  // Returns the next bytes for the client, or "" when there are none now. The connection calls it
  // again when they are written. It may call the callbacks of an Exchange.
  virtual std::string Take() = 0;
  // Reports whether the connection has no further use.
  virtual bool Ended() const = 0;
  // Refuses new requests, and ends after the response to the last one.
  virtual void Drain() = 0;
  // Ends all requests, because the connection closes. Returns the last bytes for the client.
  virtual std::string Close() = 0;
  // Returns when to call OnDeadline unless something happens before.
  virtual TimePoint Deadline() const = 0;
  virtual void OnDeadline() = 0;
  // As of a Connection.
  virtual std::optional<TimePoint> WaitingSince() const = 0;
  virtual std::size_t PendingBytes() const = 0;  // for the client, and not taken yet
};

// Returns the most bytes that the body of a request for this target may have. Inline, because this
// header is also used outside the library that Server is in.
inline std::size_t BodyBytesMax(const ServerOptions& options, std::string_view target) {
  const auto& by_path = options.body_bytes_max_by_path;
  Request request;
  if (by_path.empty() || !ParseTarget(target, request)) return options.body_bytes_max;
  const auto found = by_path.find(request.path);
  return found == by_path.end() ? options.body_bytes_max : found->second;
}

}  // namespace capstan::httpserver
