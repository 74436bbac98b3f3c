// SPDX-License-Identifier: Apache-2.0
// PooledTransport: the HttpTransport over an HttpPool. It decides which connections a request uses,
// hands the work to the pool's thread, and lets the caller's thread wait and read.
// All responses must be gone before it is destroyed.
#pragma once

#include <memory>

#include "clientgo/rest/config.h"
#include "clientgo/rest/http_pool.h"
#include "clientgo/rest/transport.h"
#include "clientgo/util/error.h"

namespace clientgo::rest {

// `pool` outlives the transport. kInvalidArgument names what cannot be used.
util::Expected<std::unique_ptr<HttpTransport>> NewPooledTransport(HttpPool& pool,
                                                                  const Config& config);

}  // namespace clientgo::rest
