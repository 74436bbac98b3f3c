// SPDX-License-Identifier: Apache-2.0
// The HTTP/2 side of LoopbackServer, by nghttp2.
#pragma once

#include <openssl/ssl.h>

#include <functional>

#include "clientgo/transport/testing/loopback_server.h"

namespace capstan::transport {

struct Http2Serving {
  int fd;
  SSL* ssl;  // after the handshake
  Http2Script& script;
  const LoopbackServer::Handler& handler;
  std::function<void()> on_request;
};

// Serves one connection until it ends. Each request has a thread, which runs the handler. A handler
// for a target with "/close" that leaves its response unfinished resets the stream.
void ServeHttp2(const Http2Serving& serving);

}  // namespace capstan::transport
