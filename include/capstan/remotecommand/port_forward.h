// SPDX-License-Identifier: Apache-2.0
// A connection to a port of a Pod, through the API server. Mirrors client-go's tools/portforward
// over WebSocket; it listens on no port of this machine.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "capstan/clock.h"
#include "capstan/error.h"
#include "capstan/export.h"
#include "capstan/rest/client.h"
#include "capstan/runtime/object.h"

namespace capstan::remotecommand {

// One thread may read while another one writes. The destructor closes the connection.
class CAPSTAN_EXPORT PortConnection {
 public:
  virtual ~PortConnection() = default;
  // Blocks for the next bytes, at most `max_silence`. Empty: the end. Errors: kInternalError with
  // the text of the node, such as for a port on which nothing listens; those of HttpResponse::Read.
  virtual Expected<std::string> Read(Clock::Duration max_silence) = 0;
  Expected<std::string> Read() { return Read(Clock::Duration::max()); }
  virtual Expected<void> Write(std::string_view bytes) = 0;
};

// Opens a connection. `port` is a number of a port in the Pod: 1 to 65535. The stop token of `call`
// also ends the connection.
CAPSTAN_EXPORT Expected<std::unique_ptr<PortConnection>> PortForward(rest::Client& client,
                                                                     const rest::CallOptions& call,
                                                                     const runtime::ObjectKey& pod,
                                                                     int port);

}  // namespace capstan::remotecommand
