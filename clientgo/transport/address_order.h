// SPDX-License-Identifier: Apache-2.0
// AddressOrder: in which order a server's addresses are tried. One belongs to each transport.
//
// The address that worked last comes first, and one that accepted a connection without answering
// comes last. The rest alternates between IPv6 and IPv4, as RFC 8305 (section 4) asks for.
// Thread-safe. Mirrors the sorting of net.Dialer. Differs: Go remembers no address.
#pragma once

#include <optional>
#include <vector>

#include "clientgo/transport/resolver.h"
#include "clientgo/util/mutex.h"

namespace clientgo::transport {

bool SameAddress(const Endpoint& a, const Endpoint& b);

// Alternates between the family of the first address and the other one. The order within a family
// stays. Pure function.
std::vector<Endpoint> InterleaveFamilies(const std::vector<Endpoint>& endpoints);

class AddressOrder {
 public:
  // Returns `found`, which is in the resolver's order, in the order in which to try it.
  std::vector<Endpoint> Sort(const std::vector<Endpoint>& found) const;
  // A connection to this address is ready for requests.
  void OnWorked(const Endpoint& endpoint);
  // This address accepted a connection, and then did not answer on it.
  void OnFailed(const Endpoint& endpoint);

 private:
  mutable util::Mutex mu_;
  std::optional<Endpoint> worked_ GUARDED_BY(mu_);
  std::optional<Endpoint> failed_ GUARDED_BY(mu_);
};

}  // namespace clientgo::transport
