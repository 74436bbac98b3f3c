// SPDX-License-Identifier: Apache-2.0
// transport::Config names a server, the proxy that leads to it, and the certificates to use. It is
// plain data; copy it freely. Mirrors k8s.io/client-go/transport.Config without the credentials
// that are headers.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "capstan/export.h"

namespace capstan::transport {

// Http2 selects the protocol of a connection.
enum class Http2 {
  kAuto,  // where the server accepts it during the TLS handshake; otherwise HTTP/1.1
  kOff,   // HTTP/1.1 only
};

// Implementation selects what performs the exchanges behind HttpTransport.
enum class Implementation {
  kCapstan,  // ours
  // The archived library cpprestsdk, with HTTP/1.1 only and the limits that
  // docs/decisions/0023-cpprestsdk-as-an-option.md lists. Only a build with
  // CAPSTAN_TRANSPORT_CPPREST has it.
  kCpprestsdk,
};

struct CAPSTAN_EXPORT TlsConfig {
  std::string ca_data = {};    // PEM; without ca_data and ca_file the system's CAs are trusted
  std::string ca_file = {};    // read again when it changes
  std::string cert_data = {};  // PEM client certificate
  std::string cert_file = {};
  std::string key_data = {};  // PEM; never logged
  std::string key_file = {};
  std::string server_name = {};  // overrides the name to verify in the server's certificate
  bool insecure_skip_verify = false;
};

// ClientCertificate comes from a credential plugin, not from the configuration.
struct CAPSTAN_EXPORT ClientCertificate {
  std::string cert_pem = {};
  std::string key_pem = {};  // never logged
  std::string origin = {};   // for messages: "exec plugin aws"
};

struct CAPSTAN_EXPORT Config {
  std::string host = {};  // "https://10.0.0.1:6443", with an optional path prefix
  // "http://[user:password@]proxy:3128". Empty: the environment decides. Never logged, because it
  // may hold a password.
  std::string proxy_url = {};
  TlsConfig tls = {};
  Implementation implementation = Implementation::kCapstan;
  Http2 http2 = Http2::kAuto;
  // Replaces the client certificate in `tls` when set. The transport calls it before each request,
  // on the requesting thread; it must not block. Null means no certificate. When the returned
  // pointer changes, new connections use the new certificate and idle connections are closed. A
  // request in progress finishes, but a watch is ended within
  // TransportOptions::certificate_check_period: a server checks certificates only on new
  // connections.
  std::function<std::shared_ptr<const ClientCertificate>()> get_client_certificate = {};
  std::string source = {};  // where this came from, for messages: "in-cluster", a path
};

}  // namespace capstan::transport
