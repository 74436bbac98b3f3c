// SPDX-License-Identifier: Apache-2.0
// TlsContexts: what new connections of a Server are encrypted with. Made from ServerOptions::tls
// once, or from ServerOptions::tls_source, which is asked for each connection: a replaced
// certificate is served from the next connection on. What cannot be used is logged once; the last
// good one stays.
//
// The server's thread only. Internal to httpserver. Mirrors controller-runtime's pkg/certwatcher,
// which polls.
#pragma once

#include <memory>

#include "clientgo/util/error.h"
#include "httpserver/server.h"
#include "httpserver/socket.h"

namespace httpserver {

// One SSL_CTX for all connections of a server: no buffers for idle ones.
clientgo::util::Expected<TlsContext> NewTlsContext(const TlsFiles& files);

class TlsContexts {
 public:
  explicit TlsContexts(const ServerOptions& options) : options_(options) {}

  // Before the first connection; the error ends the start.
  clientgo::util::Expected<void> Load();
  TlsContext Current();  // null: plain HTTP

 private:
  const ServerOptions& options_;
  std::shared_ptr<const TlsFiles> files_;  // the last that the source gave
  TlsContext context_;                     // of the last that could be used
};

}  // namespace httpserver
