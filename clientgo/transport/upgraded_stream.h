// SPDX-License-Identifier: Apache-2.0
// The UpgradedStream over a Connection.
#pragma once

#include <memory>
#include <stop_token>
#include <string>

#include "capstan/transport/http_transport.h"
#include "clientgo/transport/connection.h"

namespace capstan::transport {

// `received` are the bytes that have come with the head of the response. `stop` ends every call.
std::unique_ptr<UpgradedStream> NewUpgradedStream(std::unique_ptr<Connection> connection,
                                                  std::string received, std::stop_token stop);

}  // namespace capstan::transport
