// SPDX-License-Identifier: Apache-2.0
#include "capstan/clientgo/transport/internal/resolver.h"

#include <netdb.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <utility>

#include "capstan/clientgo/util/thread.h"

namespace capstan::clientgo::transport {
namespace {

using util::Err;
using util::ErrorReason;

using Endpoints = util::Expected<std::vector<Endpoint>>;

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

struct Resolver::Query {
  std::string host;
  std::string port;
  std::optional<Endpoints> answer = {};  // under the resolver's mutex
};

Resolver::Resolver()
    : Resolver([](const std::string& host, const std::string& port) {
        return GetAddrInfo(host, port, AI_ADDRCONFIG);
      }) {}

Resolver::Resolver(Lookup lookup) : lookup_(std::move(lookup)) {}

Resolver::~Resolver() {
  std::jthread worker;
  {
    util::MutexLock lock(mu_);
    worker = std::move(worker_);
  }
}

Endpoints Resolver::Resolve(const std::stop_token& stop, const std::string& host,
                            const std::string& port, util::Clock::TimePoint deadline) {
  if (auto literal = GetAddrInfo(host, port, AI_NUMERICHOST)) return literal;
  const auto query = std::make_shared<Query>(Query{.host = host, .port = port});
  util::MutexLock lock(mu_);
  waiting_.push_back(query);
  if (!worker_.joinable()) {
    worker_ = util::StartThread("resolver", [this](const std::stop_token& end) { Work(end); });
  }
  changed_.NotifyAll();
  const auto answered = [&] { return query->answer.has_value(); };
  if (!util::Clock::Real().WaitUntil(mu_, changed_, stop, deadline, answered)) {
    std::erase(waiting_, query);
    if (stop.stop_requested()) return Err(ErrorReason::kCanceled, "the request was canceled");
    return Err(ErrorReason::kDeadlineExceeded, "lookup " + host + ": i/o timeout");
  }
  return std::move(*query->answer);
}

void Resolver::Work(const std::stop_token& stop) {
  util::MutexLock lock(mu_);
  const auto has_query = [this]() CAPSTAN_REQUIRES(mu_) { return !waiting_.empty(); };
  while (!stop.stop_requested() && changed_.Wait(mu_, stop, has_query)) {
    const std::shared_ptr<Query> query = std::move(waiting_.front());
    waiting_.pop_front();
    mu_.unlock();  // a lookup may take long
    Endpoints answer = lookup_(query->host, query->port);
    mu_.lock();
    query->answer = answer;
    // One lookup answers all equal queries that arrived meanwhile.
    std::erase_if(waiting_, [&](const std::shared_ptr<Query>& other) {
      if (other->host != query->host || other->port != query->port) return false;
      other->answer = answer;
      return true;
    });
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
  util::MutexLock lock(mu_);
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
  util::MutexLock lock(mu_);
  worked_ = endpoint;
  std::erase_if(failed_, [&](const Endpoint& e) { return SameAddress(e, endpoint); });
}

void AddressOrder::OnFailed(const Endpoint& endpoint) {
  util::MutexLock lock(mu_);
  std::erase_if(failed_, [&](const Endpoint& e) { return SameAddress(e, endpoint); });
  if (failed_.size() == kFailedMax) failed_.erase(failed_.begin());
  failed_.push_back(endpoint);
  if (worked_ && SameAddress(*worked_, endpoint)) worked_.reset();
}

}  // namespace capstan::clientgo::transport
