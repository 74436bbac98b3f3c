// SPDX-License-Identifier: Apache-2.0
// WebSocket is the client's side of a WebSocket (RFC 6455): whole messages in both directions. A
// message in several frames is put together, and a ping is answered. One thread may read while
// others write. Limits: a message has at most 16 MiB, as the frames of a server are seldom larger
// than 32 KiB.
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "capstan/clock.h"
#include "capstan/error.h"
#include "capstan/export.h"
#include "capstan/transport/http_transport.h"

namespace capstan::transport {

inline constexpr std::size_t kMessageBytesMax = std::size_t{16} << 20U;

// WebSocketHandshake is the request for a WebSocket, with one of some protocols.
class CAPSTAN_EXPORT_INTERNAL WebSocketHandshake {
 public:
  explicit WebSocketHandshake(std::vector<std::string> protocols);

  HttpRequest Request(std::string target) const;

 private:
  friend class WebSocket;

  const std::vector<std::string> protocols_;
  const std::string key_;
};

class CAPSTAN_EXPORT_INTERNAL WebSocket {
 public:
  // Takes the connection of the response to a handshake. kTransport: the server does not accept it.
  static Expected<std::unique_ptr<WebSocket>> Open(const WebSocketHandshake& handshake,
                                                   HttpResponse& response);
  // Sends that it closes.
  ~WebSocket();
  WebSocket(const WebSocket&) = delete;
  WebSocket& operator=(const WebSocket&) = delete;

  // The one that the server has chosen; empty: it has chosen none.
  const std::string& protocol() const { return protocol_; }
  // Blocks for the next message, text or binary. nullopt: the server has closed the WebSocket, or
  // the connection. Errors: UpgradedStream's, and kTransport for what is no WebSocket.
  Expected<std::optional<std::string>> Read(Clock::Duration max_silence);
  // Sends a binary message.
  Expected<void> Write(std::string_view message);

 private:
  struct Frame;

  WebSocket(std::unique_ptr<UpgradedStream> stream, std::string protocol)
      : stream_(std::move(stream)), protocol_(std::move(protocol)) {}

  Expected<std::optional<Frame>> ReadFrame(Clock::Duration max_silence);
  // Reads until there are `size` bytes. Returns false at the end of the connection.
  Expected<bool> Fill(std::size_t size, Clock::Duration max_silence);
  std::string Take(std::size_t size);
  Expected<void> Send(int opcode, std::string_view payload);

  const std::unique_ptr<UpgradedStream> stream_;
  const std::string protocol_;
  std::string received_;  // what is not read yet
  std::string message_;   // the frames of the current message
  bool begun_ = false;    // a frame of it has come
  std::atomic<bool> closed_ = false;
};

}  // namespace capstan::transport
