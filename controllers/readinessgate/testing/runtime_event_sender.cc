// SPDX-License-Identifier: Apache-2.0
#include "controllers/readinessgate/testing/runtime_event_sender.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

namespace capstan::readinessgate {

RuntimeEventSender::RuntimeEventSender(const std::string& path)
    : socket_(socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0)) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  path.copy(address.sun_path, sizeof address.sun_path - 1);
  EXPECT_EQ(connect(socket_, reinterpret_cast<sockaddr*>(&address), sizeof address), 0) << path;
}

RuntimeEventSender::~RuntimeEventSender() { close(socket_); }

bool RuntimeEventSender::SendBytes(const std::string& bytes) const {
  return send(socket_, bytes.data(), bytes.size(), 0) == static_cast<ssize_t>(bytes.size());
}

bool RuntimeEventSender::Send(RuntimeEventType type, std::uint16_t count) const {
  const RuntimeEventBytes bytes = EncodeRuntimeEvent({.type = type, .count = count});
  return SendBytes({bytes.begin(), bytes.end()});
}

}  // namespace capstan::readinessgate
