// SPDX-License-Identifier: Apache-2.0
// An HttpRequest as HTTP/1.1 text. Pure function.
#pragma once

#include <string>

#include "clientgo/transport/connection.h"
#include "clientgo/transport/http_transport.h"
#include "clientgo/util/error.h"

namespace clientgo::transport {

// kInvalidArgument when a header, or the target, could be read as more than one.
util::Expected<std::string> FormatRequest(const HttpRequest& request, const Route& route);

}  // namespace clientgo::transport
