// SPDX-License-Identifier: Apache-2.0
// TlsProbe finds out which certificates a server presents: one connection, a TLS handshake, and
// nothing more. It trusts every server and sends no request and no client certificate, so the
// caller verifies. Mirrors tls.Dial in Go with InsecureSkipVerify.
#pragma once

#include <chrono>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "capstan/error.h"
#include "capstan/export.h"

namespace capstan::transport {

class CAPSTAN_EXPORT TlsProbe {
 public:
  struct Server {
    std::string host;  // a name, or an address without brackets
    std::string port;
    std::string name;  // to send as SNI, unless it is an address
  };

  TlsProbe();
  ~TlsProbe();
  TlsProbe(const TlsProbe&) = delete;
  TlsProbe& operator=(const TlsProbe&) = delete;

  // Returns the server's certificates as DER, its own first; at most 100 KiB. They are also
  // returned when the server then refuses the client for its missing certificate. Blocks until
  // `timeout` or `stop`. Errors: kNoSuchHost, kConnectionRefused, kDeadlineExceeded, kCanceled, and
  // kTransport or kUnexpectedEof when the server does not speak TLS or refuses the handshake.
  // kTooManyRequests: the lookup of the host name did not begin within `timeout`, so nothing is
  // known about the server. Thread-safe. Host names start threads ("resolver"), as Resolver says.
  Expected<std::vector<std::string>> PeerCertificates(std::stop_token stop, const Server& server,
                                                      std::chrono::milliseconds timeout);
  // Returns the addresses of a host in the order in which clients try them, at least one. That of
  // an address is itself. Errors: kNoSuchHost, kDeadlineExceeded, kCanceled, and kTooManyRequests
  // as above. Thread-safe.
  Expected<std::vector<std::string>> Addresses(const std::stop_token& stop, const std::string& host,
                                               std::chrono::milliseconds timeout);

 private:
  struct Parts;
  const std::unique_ptr<Parts> parts_;
};

}  // namespace capstan::transport
