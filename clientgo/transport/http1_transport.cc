// SPDX-License-Identifier: Apache-2.0
#include "capstan/transport/http1_transport.h"

#include "capstan/transport/http2_transport.h"

namespace capstan::transport {

Expected<std::unique_ptr<HttpTransport>> NewHttp1Transport(const Config& config,
                                                           const TransportOptions& options) {
  Config http1 = config;
  http1.http2 = Http2::kOff;
  http1.implementation = Implementation::kCapstan;
  return NewHttpTransport(http1, options);
}

}  // namespace capstan::transport
