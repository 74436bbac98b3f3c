// SPDX-License-Identifier: Apache-2.0
#include "capstan/remotecommand/port_forward.h"

#include <limits>
#include <utility>

#include "clientgo/remotecommand/pod_path.h"
#include "clientgo/transport/websocket.h"

namespace capstan::remotecommand {
namespace {

// A message begins with its channel. The first one of each channel has the port in two bytes.
enum PortChannel : char { kData = 0, kError = 1 };

class Connection final : public PortConnection {
 public:
  Connection(std::unique_ptr<transport::WebSocket> socket, std::string what)
      : socket_(std::move(socket)), what_(std::move(what)) {}

  using PortConnection::Read;
  Expected<std::string> Read(Clock::Duration max_silence) override {
    for (;;) {
      auto message = socket_->Read(max_silence);
      if (!message) return Err(message.error().Wrap(what_));
      if (!*message) return std::string();
      if ((*message)->empty()) continue;
      const char channel = (*message)->front();
      std::string bytes = (*message)->substr(1);
      bool& begun = channel == kData ? data_begun_ : error_begun_;
      if (!std::exchange(begun, true)) continue;  // the port
      if (bytes.empty()) continue;
      if (channel == kError) return Err(ErrorReason::kInternalError, what_ + ": " + bytes);
      return bytes;
    }
  }

  Expected<void> Write(std::string_view bytes) override {
    while (!bytes.empty()) {
      std::string message(1, kData);
      message += bytes.substr(0, kMessageBytes);
      bytes.remove_prefix(message.size() - 1);
      if (auto sent = socket_->Write(message); !sent) return Err(sent.error().Wrap(what_));
    }
    return {};
  }

 private:
  const std::unique_ptr<transport::WebSocket> socket_;
  const std::string what_;
  bool data_begun_ = false;
  bool error_begun_ = false;
};

}  // namespace

Expected<std::unique_ptr<PortConnection>> PortForward(rest::Client& client,
                                                      const rest::CallOptions& call,
                                                      const runtime::ObjectKey& pod, int port) {
  std::string what = "failed to connect to port " + std::to_string(port) + " of " + pod.String();
  if (port < 1 || port > std::numeric_limits<std::uint16_t>::max()) {
    return Err(ErrorReason::kInvalidArgument, what + ": ports are 1 to 65535");
  }
  auto path = PodPath(pod, "portforward", {{"ports", std::to_string(port)}});
  if (!path) return Err(std::move(path.error()));
  const transport::WebSocketHandshake handshake({"v4.channel.k8s.io"});
  const auto response = client.Stream(call, handshake.Request(*std::move(path)));
  if (!response) return Err(response.error().Wrap(what));
  auto socket = transport::WebSocket::Open(handshake, **response);
  if (!socket) return Err(socket.error().Wrap(what));
  return std::make_unique<Connection>(*std::move(socket), std::move(what));
}

}  // namespace capstan::remotecommand
