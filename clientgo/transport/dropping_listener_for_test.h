// SPDX-License-Identifier: Apache-2.0
// DroppingListener: an address of 127.0.0.1 that swallows whoever connects, as a firewall that
// drops packets does. Its queue for one connection is full, so the kernel ignores every further
// SYN. Test code only.
#pragma once

#include <arpa/inet.h>
#include <glog/logging.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <chrono>
#include <string>

#include "clientgo/transport/file_descriptor.h"
#include "clientgo/transport/loopback_server_for_test.h"
#include "clientgo/transport/resolver.h"
#include "clientgo/util/clock.h"

namespace clientgo::transport {

inline Endpoint Loopback(int port) {
  return Resolver().Resolve({}, "127.0.0.1", std::to_string(port)).value().front();
}

// A port on which nobody listens any more.
inline int PortOfNobody() {
  const LoopbackServer gone([](LoopbackConnection&, const std::string&) {});
  return gone.port();
}

// A deadline for what would otherwise never end.
inline util::Clock::TimePoint Soon() {
  return std::chrono::steady_clock::now() + std::chrono::milliseconds(30);
}

class DroppingListener {
 public:
  DroppingListener()
      : listener_(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)),
        filler_(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    auto* generic = reinterpret_cast<sockaddr*>(&address);
    socklen_t size = sizeof(address);
    CHECK_EQ(bind(listener_.get(), generic, size), 0);
    CHECK_EQ(listen(listener_.get(), 0), 0);
    CHECK_EQ(getsockname(listener_.get(), generic, &size), 0);
    port_ = ntohs(address.sin_port);
    CHECK_EQ(connect(filler_.get(), generic, size), 0);
  }

  Endpoint endpoint() const { return Loopback(port_); }
  std::string url() const { return "http://127.0.0.1:" + std::to_string(port_); }

 private:
  const FileDescriptor listener_;
  const FileDescriptor filler_;  // the one connection in the queue
  int port_ = 0;
};

}  // namespace clientgo::transport
