// SPDX-License-Identifier: Apache-2.0
// From a host name to the addresses to try: Resolver looks a name up, AddressOrder sorts what it
// found.
#pragma once

#include <sys/socket.h>

#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "capstan/clientgo/util/clock.h"
#include "capstan/clientgo/util/error.h"
#include "capstan/clientgo/util/mutex.h"

namespace capstan::clientgo::transport {

struct Endpoint {
  sockaddr_storage address = {};
  socklen_t size = 0;
};

bool SameAddress(const Endpoint& a, const Endpoint& b);

// Resolver looks up host names with the stop token and the deadline that getaddrinfo lacks.
//
// IP addresses need no lookup. The first host name starts one thread ("resolver"). A caller returns
// when it is stopped or at its deadline; the thread finishes the lookup without it. The destructor
// waits for a lookup in progress, as long as the system's resolver takes. Thread-safe. Mirrors what
// net.Resolver does for net/http.
class Resolver {
 public:
  // Lookup resolves one name and blocks. Tests replace it.
  using Lookup = std::function<util::Expected<std::vector<Endpoint>>(const std::string& host,
                                                                     const std::string& port)>;

  Resolver();  // getaddrinfo(3)
  explicit Resolver(Lookup lookup);
  ~Resolver();
  Resolver(const Resolver&) = delete;
  Resolver& operator=(const Resolver&) = delete;

  // Returns at least one address, in the system's order of preference (RFC 6724). Errors:
  // kNoSuchHost ("lookup NAME: no such host"), kDeadlineExceeded, kCanceled.
  util::Expected<std::vector<Endpoint>> Resolve(
      const std::stop_token& stop, const std::string& host, const std::string& port,
      util::Clock::TimePoint deadline = util::Clock::TimePoint::max());

 private:
  struct Query;
  void Work(const std::stop_token& stop);

  const Lookup lookup_;
  util::Mutex mu_;
  util::CondVar changed_;
  std::deque<std::shared_ptr<Query>> waiting_ CAPSTAN_GUARDED_BY(mu_);
  std::jthread worker_ CAPSTAN_GUARDED_BY(mu_);
};

// Returns `endpoints` alternating between the family of the first address and the other one. The
// order within a family stays.
std::vector<Endpoint> InterleaveFamilies(const std::vector<Endpoint>& endpoints);

// AddressOrder decides the order in which a server's addresses are tried. Each transport has one.
//
// The address that worked last comes first. Addresses that accepted a connection and then did not
// answer come last, the one that failed last at the end, so that each address gets its turn. The
// others alternate between IPv6 and IPv4 (RFC 8305, section 4). Thread-safe. Mirrors the sorting of
// net.Dialer. Differs: Go remembers no address.
class AddressOrder {
 public:
  // More failed addresses than this are forgotten, the oldest first.
  static constexpr std::size_t kFailedMax = 64;

  // Sorts `found`, which is in the resolver's order.
  std::vector<Endpoint> Sort(const std::vector<Endpoint>& found) const;
  // Records that a connection to this address is ready for requests.
  void OnWorked(const Endpoint& endpoint);
  // Records that this address accepted a connection and then did not answer on it.
  void OnFailed(const Endpoint& endpoint);

 private:
  mutable util::Mutex mu_;
  std::optional<Endpoint> worked_ CAPSTAN_GUARDED_BY(mu_);
  // Addresses that did not answer, the one that failed last at the end. At most kFailedMax.
  std::vector<Endpoint> failed_ CAPSTAN_GUARDED_BY(mu_);
};

}  // namespace capstan::clientgo::transport
