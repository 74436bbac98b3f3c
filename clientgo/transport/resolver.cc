// SPDX-License-Identifier: Apache-2.0
#include "clientgo/transport/resolver.h"

#include <netdb.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "capstan/thread.h"

namespace capstan::transport {
namespace {

using Endpoints = Expected<std::vector<Endpoint>>;

Endpoints GetAddrInfo(const std::string& host, const std::string& port, int flags) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = flags | AI_NUMERICSERV;
  addrinfo* found = nullptr;
  const int failed = getaddrinfo(host.c_str(), port.c_str(), &hints, &found);
  if (failed != 0) {
    return Err(
        ErrorReason::kNoSuchHost,
        "lookup " + host + ": " + (failed == EAI_NONAME ? "no such host" : gai_strerror(failed)));
  }
  std::vector<Endpoint> endpoints;
  for (const addrinfo* info = found; info != nullptr; info = info->ai_next) {
    Endpoint& endpoint = endpoints.emplace_back();
    std::memcpy(&endpoint.address, info->ai_addr, info->ai_addrlen);
    endpoint.size = info->ai_addrlen;
  }
  freeaddrinfo(found);
  return endpoints;
}

}  // namespace

Resolver::Resolver()
    : Resolver([](const std::string& host, const std::string& port) {
        return GetAddrInfo(host, port, AI_ADDRCONFIG);
      }) {}

Resolver::Resolver(Lookup lookup, Clock& clock) : lookup_(std::move(lookup)), clock_(clock) {}

Resolver::~Resolver() {
  std::vector<std::jthread> workers;
  {
    MutexLock lock(mu_);
    workers.swap(workers_);
  }
  for (std::jthread& worker : workers) worker.request_stop();
}

Resolver::QueryPtr Resolver::Join(const std::string& host, const std::string& port) {
  const auto same = [&](const QueryPtr& query) {
    return query->host == host && query->port == port;
  };
  auto known = std::find_if(running_.begin(), running_.end(), same);
  QueryPtr query = known == running_.end() ? nullptr : *known;
  if (!query) {
    const auto queued = std::find_if(waiting_.begin(), waiting_.end(), same);
    if (queued != waiting_.end()) query = *queued;
  }
  if (!query) {
    query = std::make_shared<Query>(Query{.host = host, .port = port});
    waiting_.push_back(query);
    const std::size_t busy = running_.size() + waiting_.size();
    if (workers_.size() < std::min(busy, kThreadsMax)) {
      workers_.push_back(
          StartThread("resolver", [this](const std::stop_token& end) { Work(end); }));
    }
    changed_.NotifyAll();
  }
  ++query->callers;
  return query;
}

void Resolver::Leave(const QueryPtr& query) {
  if (--query->callers == 0) std::erase(waiting_, query);
}

Endpoints Resolver::AwaitAnswer(const std::stop_token& stop, const QueryPtr& query,
                                Clock::TimePoint deadline) {
  const auto answered = [&] { return query->answer.has_value(); };
  if (clock_.WaitUntil(mu_, changed_, stop, deadline, answered)) return *query->answer;
  if (stop.stop_requested()) return Err(ErrorReason::kCanceled, "the request was canceled");
  return Err(ErrorReason::kDeadlineExceeded, "lookup " + query->host + ": i/o timeout");
}

Endpoints Resolver::Resolve(const std::stop_token& stop, const std::string& host,
                            const std::string& port, Clock::TimePoint deadline) {
  if (auto literal = GetAddrInfo(host, port, AI_NUMERICHOST)) return literal;
  MutexLock lock(mu_);
  const QueryPtr query = Join(host, port);
  auto answer = AwaitAnswer(stop, query, deadline);
  Leave(query);
  return answer;
}

Expected<Resolver::Found> Resolver::ResolveInTurn(const std::stop_token& stop,
                                                  const std::string& host, const std::string& port,
                                                  Clock::Duration timeout) {
  const auto called = clock_.Now();
  if (auto literal = GetAddrInfo(host, port, AI_NUMERICHOST)) {
    return Found{.endpoints = std::move(*literal), .deadline = called + timeout};
  }
  MutexLock lock(mu_);
  const QueryPtr query = Join(host, port);
  const bool begun = clock_.WaitUntil(mu_, changed_, stop, called + timeout,
                                      [&] { return query->begun || query->answer; });
  if (!begun && !stop.stop_requested()) {
    Leave(query);
    return Err(ErrorReason::kTooManyRequests,
               "lookup " + host + ": too many other lookups are in progress");
  }
  const auto deadline = std::max(called, query->begun.value_or(called)) + timeout;
  auto answer = AwaitAnswer(stop, query, deadline);
  Leave(query);
  if (!answer) return Err(std::move(answer.error()));
  return Found{.endpoints = std::move(*answer), .deadline = deadline};
}

bool Resolver::MayBegin(const Query& query) const {
  const auto known = names_.find(query.host);
  std::size_t threads = kThreadsMax * 3 / 4;
  if (known != names_.end()) threads = known->second.slow ? kThreadsMax / 2 : kThreadsMax;
  return running_.size() < threads;
}

Resolver::QueryPtr Resolver::TakeNext() {
  const auto next =
      std::find_if(waiting_.begin(), waiting_.end(),
                   [&](const QueryPtr& query) CAPSTAN_REQUIRES(mu_) { return MayBegin(*query); });
  if (next == waiting_.end()) return nullptr;
  QueryPtr query = std::move(*next);
  waiting_.erase(next);
  return query;
}

void Resolver::Remember(const std::string& host, bool slow) {
  names_[host] = {.slow = slow, .last_used = ++lookups_};
  if (names_.size() <= kNamesMax) return;
  names_.erase(std::min_element(names_.begin(), names_.end(), [](const auto& a, const auto& b) {
    return a.second.last_used < b.second.last_used;
  }));
}

void Resolver::Work(const std::stop_token& stop) {
  MutexLock lock(mu_);
  QueryPtr query;
  const auto has_query = [&]() CAPSTAN_REQUIRES(mu_) { return (query = TakeNext()) != nullptr; };
  while (!stop.stop_requested() && changed_.Wait(mu_, stop, has_query)) {
    query->begun = clock_.Now();
    running_.push_back(query);
    changed_.NotifyAll();
    mu_.unlock();  // a lookup may take long
    Endpoints answer = lookup_(query->host, query->port);
    mu_.lock();
    Remember(query->host, clock_.Now() - *query->begun > kSlow);
    query->answer = std::move(answer);
    std::erase(running_, query);
    changed_.NotifyAll();
  }
}

bool SameAddress(const Endpoint& a, const Endpoint& b) {
  return a.size == b.size && std::memcmp(&a.address, &b.address, a.size) == 0;
}

std::vector<Endpoint> InterleaveFamilies(const std::vector<Endpoint>& endpoints) {
  std::vector<Endpoint> first;
  std::vector<Endpoint> second;
  for (const Endpoint& endpoint : endpoints) {
    const bool is_first = endpoint.address.ss_family == endpoints.front().address.ss_family;
    (is_first ? first : second).push_back(endpoint);
  }
  std::vector<Endpoint> sorted;
  for (std::size_t i = 0; i < std::max(first.size(), second.size()); ++i) {
    if (i < first.size()) sorted.push_back(first[i]);
    if (i < second.size()) sorted.push_back(second[i]);
  }
  return sorted;
}

std::vector<Endpoint> AddressOrder::Sort(const std::vector<Endpoint>& found) const {
  std::vector<Endpoint> sorted = InterleaveFamilies(found);
  MutexLock lock(mu_);
  // The number of failures since this address failed; the largest for one that has not failed.
  const auto age = [&](const Endpoint& endpoint) CAPSTAN_REQUIRES(mu_) {
    const auto known = std::find_if(failed_.begin(), failed_.end(),
                                    [&](const Endpoint& e) { return SameAddress(e, endpoint); });
    return known == failed_.end() ? failed_.size() + 1
                                  : static_cast<std::size_t>(failed_.end() - known);
  };
  std::stable_sort(sorted.begin(), sorted.end(),
                   [&](const Endpoint& a, const Endpoint& b)
                       CAPSTAN_REQUIRES(mu_) { return age(a) > age(b); });
  if (worked_) {
    std::stable_partition(sorted.begin(), sorted.end(),
                          [&](const Endpoint& e)
                              CAPSTAN_REQUIRES(mu_) { return SameAddress(e, *worked_); });
  }
  return sorted;
}

void AddressOrder::OnWorked(const Endpoint& endpoint) {
  MutexLock lock(mu_);
  worked_ = endpoint;
  std::erase_if(failed_, [&](const Endpoint& e) { return SameAddress(e, endpoint); });
}

void AddressOrder::OnFailed(const Endpoint& endpoint) {
  MutexLock lock(mu_);
  std::erase_if(failed_, [&](const Endpoint& e) { return SameAddress(e, endpoint); });
  if (failed_.size() == kFailedMax) failed_.erase(failed_.begin());
  failed_.push_back(endpoint);
  if (worked_ && SameAddress(*worked_, endpoint)) worked_.reset();
}

}  // namespace capstan::transport
