// SPDX-License-Identifier: Apache-2.0
// The HttpTransport on cpprestsdk. Its source is the only file of the project that sees a type of
// that library; see HttpTransport for the contract.
//
// All responses must be gone before the transport is destroyed. One thread, shared by all
// transports of the process, does the sockets ("http-pool"). Mirrors net/http.Transport with
// HTTP/1.1 alone. Differs: no proxies, no redirects, no compression, no IPv6 literal.
#pragma once

#include <memory>

#include "clientgo/rest/config.h"
#include "clientgo/rest/transport.h"
#include "clientgo/util/error.h"

namespace clientgo::rest {

// Credentials other than the client certificate are the caller's headers. Certificates and keys are
// read and checked here; kInvalidArgument names the file or field that cannot be used.
util::Expected<std::unique_ptr<HttpTransport>> NewCpprestTransport(const Config& config);

}  // namespace clientgo::rest
