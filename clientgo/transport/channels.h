// SPDX-License-Identifier: Apache-2.0
// Channels finds or opens the connection for each request of one transport.
//
// A thread ("dial") opens a connection, so that it outlives the deadline of the caller that needed
// it first. With HTTP/2 all callers wait for the same dial, with HTTP/1.1 each for its own. A dial
// whose server is silent for TransportOptions::unresponsive_after does not hold up its callers: one
// of them begins another dial, to another address if there is one, and the first that is ready is
// used. A caller waits for at most kDialsMax dials.
//
// Thread-safe. Mirrors getConn and dialConnFor of net/http.Transport. Differs: Go opens a
// connection for each request that finds none, also with HTTP/2.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <stop_token>
#include <string_view>
#include <thread>
#include <vector>

#include "capstan/error.h"
#include "capstan/mutex.h"
#include "clientgo/transport/connection_pool.h"
#include "clientgo/transport/http2_connection.h"

namespace capstan::transport {

// Channel is the connection of one request, with HTTP/2 or HTTP/1.1.
struct Channel {
  std::shared_ptr<Http2Connection> http2 = {};  // a stream is reserved, so call Start
  std::unique_ptr<Connection> http1 = {};
  bool reused = false;  // HTTP/1.1: it has carried a request before, so it may be closed
};

class Channels {
 public:
  static constexpr std::size_t kDialsMax = 3;

  explicit Channels(std::shared_ptr<ConnectionPool> pool);
  // Cancels the dials in progress.
  ~Channels();
  Channels(const Channels&) = delete;
  Channels& operator=(const Channels&) = delete;

  // Blocks until there is a connection, until `stop` or limits.answer. Errors are Connection's.
  Expected<Channel> Get(const std::stop_token& stop, const ExchangeLimits& limits);

 private:
  using Material = std::shared_ptr<const TlsMaterial>;

  // Dial is a connection that is being opened. mu_ guards everything except `material`.
  struct Dial {
    Material material = {};
    int waiters = 0;
    std::string_view step = {};             // for messages: "connecting"
    std::optional<Endpoint> endpoint = {};  // the address that has accepted
    Clock::TimePoint overdue = Clock::TimePoint::max();
    bool done = false;
    std::optional<Error> error = {};
    std::unique_ptr<Connection> http1 = {};     // opened, and no waiter has it yet
    std::weak_ptr<Http2Connection> http2 = {};  // opened for the waiters
    std::jthread thread = {};
  };
  using DialPtr = std::shared_ptr<Dial>;

  // Returns a connection that can take a request now. Closed ones are moved to `closed`.
  std::optional<Channel> Find(const Material& material, const std::vector<DialPtr>& mine,
                              std::vector<std::shared_ptr<Http2Connection>>& closed)
      CAPSTAN_REQUIRES(mu_);
  // Joins dials in progress, or begins one, so that one of `mine` is not overdue.
  void Join(const Material& material, std::vector<DialPtr>& mine) CAPSTAN_REQUIRES(mu_);
  DialPtr Begin(const Material& material) CAPSTAN_REQUIRES(mu_);
  // Moves the dials of `mine` that have ended to `finished`. Returns the error if all have failed.
  std::optional<Error> TakeFailure(std::vector<DialPtr>& mine, std::vector<DialPtr>& finished)
      CAPSTAN_REQUIRES(mu_);
  // Ends the wait of one caller. If it was stopped, its result is not wanted, and a dial for which
  // nobody waits ends.
  void Leave(const std::vector<DialPtr>& mine, bool stopped) CAPSTAN_EXCLUDES(mu_);
  // Ends the wait of one caller for one dial. Returns whether it was the last one.
  bool LeaveDial(Dial& dial) CAPSTAN_REQUIRES(mu_);
  void Run(Dial& dial, const std::stop_token& stop) CAPSTAN_EXCLUDES(mu_);
  Expected<Channel> Connect(Dial& dial, const std::stop_token& stop) CAPSTAN_EXCLUDES(mu_);
  Error Overrun(const ExchangeLimits& limits, const std::vector<DialPtr>& mine) const
      CAPSTAN_REQUIRES(mu_);

  const std::shared_ptr<ConnectionPool> pool_;
  Mutex mu_;
  CondVar changed_;
  std::uint64_t version_ CAPSTAN_GUARDED_BY(mu_) = 0;  // of what waiters wait for
  std::vector<std::shared_ptr<Http2Connection>> connections_ CAPSTAN_GUARDED_BY(mu_);
  std::vector<DialPtr> dials_ CAPSTAN_GUARDED_BY(mu_);  // with threads that are not joined yet
  // The last opened connection has HTTP/1.1, so each request needs its own.
  bool speaks_http1_ CAPSTAN_GUARDED_BY(mu_);
};

}  // namespace capstan::transport
