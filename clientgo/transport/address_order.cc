// SPDX-License-Identifier: Apache-2.0
#include "clientgo/transport/address_order.h"

#include <algorithm>
#include <cstring>

namespace clientgo::transport {

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
  if (failed_) {
    std::stable_partition(sorted.begin(), sorted.end(), [&](const Endpoint& e) REQUIRES(mu_) {
      return !SameAddress(e, *failed_);
    });
  }
  if (worked_) {
    std::stable_partition(sorted.begin(), sorted.end(), [&](const Endpoint& e) REQUIRES(mu_) {
      return SameAddress(e, *worked_);
    });
  }
  return sorted;
}

void AddressOrder::OnWorked(const Endpoint& endpoint) {
  util::MutexLock lock(mu_);
  worked_ = endpoint;
  if (failed_ && SameAddress(*failed_, endpoint)) failed_.reset();
}

void AddressOrder::OnFailed(const Endpoint& endpoint) {
  util::MutexLock lock(mu_);
  failed_ = endpoint;
  if (worked_ && SameAddress(*worked_, endpoint)) worked_.reset();
}

}  // namespace clientgo::transport
