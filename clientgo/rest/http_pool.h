// SPDX-License-Identifier: Apache-2.0
// HttpPool: an HTTP library that works by callbacks on one thread of its own, as PooledTransport
// needs it. Implemented by the one file that knows the library, and by tests.
//
// "Pool thread only" marks what needs no lock for that reason: the library races with itself
// unless requests are issued, canceled and finished, and clients destroyed, on its one thread.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>

#include "clientgo/rest/exchange.h"
#include "clientgo/rest/server_address.h"
#include "clientgo/rest/tls_material.h"
#include "clientgo/rest/transport.h"

namespace clientgo::rest {

struct PoolClientOptions {
  ServerAddress server = {};
  std::chrono::milliseconds timeout{0};  // of each step: of silence, not of a request
  // With server.tls alone.
  std::shared_ptr<const TlsMaterial> material = {};
  std::string name_to_verify = {};  // of the server, a DNS name or an address
  bool send_sni = true;
  bool insecure_skip_verify = false;
};

// A set of connections to one server. Pool thread only, its end included.
class PoolClient {
 public:
  virtual ~PoolClient() = default;
};

// One request and its response. Reports to its exchange from the pool thread.
class PoolCall {
 public:
  virtual ~PoolCall() = default;
  virtual Exchange& exchange() = 0;  // any thread
  // Pool thread only. The call ends by itself, by an error or by Abort, which closes its
  // connection; it lets go of the client then, and calls `done`.
  virtual void Start(std::shared_ptr<PoolClient> client) = 0;
  virtual void Abort() = 0;
};

class HttpPool {
 public:
  virtual ~HttpPool() = default;
  // Runs `work`, which must not block or throw, on the pool thread. Any thread.
  virtual void Post(std::function<void()> work) = 0;
  // Any thread: nothing happens before Start.
  virtual std::shared_ptr<PoolCall> NewCall(HttpRequest request, std::function<void()> done) = 0;
  // Pool thread only.
  virtual std::shared_ptr<PoolClient> NewClient(PoolClientOptions options) = 0;
};

}  // namespace clientgo::rest
