// SPDX-License-Identifier: Apache-2.0
// From a host name to the addresses to try: Resolver looks a name up, AddressOrder sorts what it
// found.
#pragma once

#include <sys/socket.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>
#include <unordered_map>
#include <vector>

#include "capstan/clock.h"
#include "capstan/error.h"
#include "capstan/mutex.h"

namespace capstan::transport {

struct Endpoint {
  sockaddr_storage address = {};
  socklen_t size = 0;
};

bool SameAddress(const Endpoint& a, const Endpoint& b);

// Resolver looks up host names with the stop token and the deadline that getaddrinfo lacks.
//
// IP addresses need no lookup. Host names are looked up by threads ("resolver"), which begin when
// needed, at most kThreadsMax. A caller returns when it is stopped or at its deadline; the thread
// finishes the lookup without it. Callers of one name share its lookup. A lookup that takes long
// holds up no other one: a name whose last lookup was quick may use every thread, an unknown name
// three quarters of them, and a name whose last lookup was slow half of them. So whoever controls
// slow names cannot take the threads from others. The destructor waits for the lookups in progress,
// as long as the system's resolver takes. Thread-safe. Mirrors what net.Resolver does for net/http.
class Resolver {
 public:
  static constexpr std::size_t kThreadsMax = 16;
  // A lookup that takes longer is slow.
  static constexpr std::chrono::seconds kSlow{1};
  // How many names are remembered as quick or slow.
  static constexpr std::size_t kNamesMax = 1024;

  // Lookup resolves one name and blocks. Tests replace it.
  using Lookup = std::function<Expected<std::vector<Endpoint>>(const std::string& host,
                                                               const std::string& port)>;

  Resolver();  // getaddrinfo(3)
  explicit Resolver(Lookup lookup, Clock& clock = Clock::Real());
  ~Resolver();
  Resolver(const Resolver&) = delete;
  Resolver& operator=(const Resolver&) = delete;

  // Returns at least one address, in the system's order of preference (RFC 6724). Errors:
  // kNoSuchHost ("lookup NAME: no such host"), kDeadlineExceeded, kCanceled.
  Expected<std::vector<Endpoint>> Resolve(const std::stop_token& stop, const std::string& host,
                                          const std::string& port,
                                          Clock::TimePoint deadline = Clock::TimePoint::max());

  struct Found {
    std::vector<Endpoint> endpoints = {};
    Clock::TimePoint deadline = {};  // `timeout` after the lookup has begun
  };
  // The same, but `timeout` does not include the time in which the lookup waits for its turn. That
  // time has the same limit and the error kTooManyRequests, which says nothing about the name.
  Expected<Found> ResolveInTurn(const std::stop_token& stop, const std::string& host,
                                const std::string& port, Clock::Duration timeout);

 private:
  // Query is one lookup, for which callers wait.
  struct Query {
    std::string host;
    std::string port;
    int callers = 0;
    std::optional<Clock::TimePoint> begun = {};
    std::optional<Expected<std::vector<Endpoint>>> answer = {};
  };
  using QueryPtr = std::shared_ptr<Query>;
  struct Name {
    bool slow = false;
    std::uint64_t last_used = 0;
  };

  // Returns the query for this name, which is in progress or waits for its turn.
  QueryPtr Join(const std::string& host, const std::string& port) CAPSTAN_REQUIRES(mu_);
  void Leave(const QueryPtr& query) CAPSTAN_REQUIRES(mu_);
  Expected<std::vector<Endpoint>> AwaitAnswer(const std::stop_token& stop, const QueryPtr& query,
                                              Clock::TimePoint deadline) CAPSTAN_REQUIRES(mu_);
  void Work(const std::stop_token& stop);
  // Takes the first query that may begin. Returns null if none may.
  QueryPtr TakeNext() CAPSTAN_REQUIRES(mu_);
  bool MayBegin(const Query& query) const CAPSTAN_REQUIRES(mu_);
  void Remember(const std::string& host, bool slow) CAPSTAN_REQUIRES(mu_);

  const Lookup lookup_;
  Clock& clock_;
  Mutex mu_;
  CondVar changed_;
  std::deque<QueryPtr> waiting_ CAPSTAN_GUARDED_BY(mu_);
  std::vector<QueryPtr> running_ CAPSTAN_GUARDED_BY(mu_);
  std::unordered_map<std::string, Name> names_ CAPSTAN_GUARDED_BY(mu_);
  std::uint64_t lookups_ CAPSTAN_GUARDED_BY(mu_) = 0;
  std::vector<std::jthread> workers_ CAPSTAN_GUARDED_BY(mu_);
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
  mutable Mutex mu_;
  std::optional<Endpoint> worked_ CAPSTAN_GUARDED_BY(mu_);
  // Addresses that did not answer, the one that failed last at the end. At most kFailedMax.
  std::vector<Endpoint> failed_ CAPSTAN_GUARDED_BY(mu_);
};

}  // namespace capstan::transport
