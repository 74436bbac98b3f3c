// SPDX-License-Identifier: Apache-2.0
// Request is one HTTP request, with its target split and decoded. Mirrors the part of Go's net/url
// that a server needs.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "capstan/export.h"

namespace capstan::httpserver {

// ClientIdentity is the identity in a TLS client's certificate.
struct CAPSTAN_EXPORT ClientIdentity {
  bool trusted = false;  // signed by TlsFiles::client_ca_pem, and valid now
  std::string common_name = {};
  std::vector<std::string> organizations = {};
};

struct CAPSTAN_EXPORT Request {
  std::string method = {};
  std::string target = {};  // as sent
  std::string path = {};    // the part before '?', percent-decoded
  std::vector<std::pair<std::string, std::string>> query = {};  // decoded, in order
  std::vector<std::pair<std::string, std::string>> headers = {};
  std::string body = {};
  std::optional<ClientIdentity> client = {};  // nullopt: it sent no certificate
  bool from_loopback = false;  // the client is 127.0.0.1 or ::1: on this machine, or in this pod

  // Both return the first value with that name, or an empty one. Header ignores case.
  std::string_view Header(std::string_view name) const;
  std::string_view Query(std::string_view name) const;
};

// Sets target, path and query. Returns false when `target` is not an absolute path or is badly
// encoded.
CAPSTAN_EXPORT bool ParseTarget(std::string_view target, Request& request);

}  // namespace capstan::httpserver
