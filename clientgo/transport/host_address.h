// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "clientgo/transport/resolver.h"

namespace capstan::transport {

// Reports whether the address belongs to this host: it is a loopback address, or an interface that
// is up has it. kube-proxy in IPVS mode adds the addresses of Services to an interface that is
// down, so they do not count.
bool IsOnThisHost(const Endpoint& endpoint);

}  // namespace capstan::transport
