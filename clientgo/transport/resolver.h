// SPDX-License-Identifier: Apache-2.0
// Resolver: host names to addresses, with the stop token and the deadline that getaddrinfo lacks.
//
// Literals (IPv4, IPv6) are answered at once. For names one thread ("resolver") is started on first
// use. A caller returns when it is stopped or at its deadline, and the thread finishes the lookup
// without it. The destructor waits for a lookup in flight, as long as the system's resolver takes.
// Thread-safe. Mirrors what net.Resolver does for net/http.
#pragma once

#include <sys/socket.h>

#include <deque>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "clientgo/util/clock.h"
#include "clientgo/util/error.h"
#include "clientgo/util/mutex.h"

namespace clientgo::transport {

struct Endpoint {
  sockaddr_storage address = {};
  socklen_t size = 0;
};

class Resolver {
 public:
  // What asks the system for a name; blocks. Tests give their own.
  using Lookup = std::function<util::Expected<std::vector<Endpoint>>(const std::string& host,
                                                                     const std::string& port)>;

  Resolver();  // getaddrinfo(3)
  explicit Resolver(Lookup lookup);
  ~Resolver();
  Resolver(const Resolver&) = delete;
  Resolver& operator=(const Resolver&) = delete;

  // At least one address, in the system's order of preference (RFC 6724). Errors: kNoSuchHost
  // ("lookup NAME: no such host"), kDeadlineExceeded, kCanceled.
  util::Expected<std::vector<Endpoint>> Resolve(
      const std::stop_token& stop, const std::string& host, const std::string& port,
      util::Clock::TimePoint deadline = util::Clock::TimePoint::max());

 private:
  struct Question;
  void Work(const std::stop_token& stop);

  const Lookup lookup_;
  util::Mutex mu_;
  util::CondVar changed_;
  std::deque<std::shared_ptr<Question>> waiting_ GUARDED_BY(mu_);
  std::jthread worker_ GUARDED_BY(mu_);
};

}  // namespace clientgo::transport
