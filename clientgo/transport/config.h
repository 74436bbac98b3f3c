// SPDX-License-Identifier: Apache-2.0
// transport::Config: which server, through which proxy, trusted how. Plain data; copy freely.
// Mirrors k8s.io/client-go/transport.Config without the credentials that are headers.
#pragma once

#include <functional>
#include <memory>
#include <string>

namespace clientgo::transport {

struct TlsConfig {
  std::string ca_data = {};    // PEM; empty and no ca_file: the system's CAs
  std::string ca_file = {};    // re-read when it changes
  std::string cert_data = {};  // PEM client certificate
  std::string cert_file = {};
  std::string key_data = {};  // PEM; never logged
  std::string key_file = {};
  std::string server_name = {};  // overrides the name that the server's certificate is checked for
  bool insecure_skip_verify = false;
};

// A client certificate that did not come from the configuration, but from a credential plugin.
struct ClientCertificate {
  std::string cert_pem = {};
  std::string key_pem = {};  // never logged
  std::string origin = {};   // for messages: "exec plugin aws"
};

struct Config {
  std::string host = {};  // "https://10.0.0.1:6443", with a path prefix when there is one
  // "http://[user:password@]proxy:3128"; empty: as the environment says. Never logged: it may hold
  // a password.
  std::string proxy_url = {};
  TlsConfig tls = {};
  // When set, the client certificate instead of that in `tls`. The transport asks before each
  // request, on the thread that makes it; the answer is ready, nothing blocks. Null: no
  // certificate. The same pointer means the same certificate; with another one new connections use
  // the new certificate and idle connections made with the old one are dropped. A request in
  // progress ends as it would, a watch is broken off within Http1Options::certificate_check_period:
  // a server looks at a certificate when a connection starts.
  std::function<std::shared_ptr<const ClientCertificate>()> get_client_certificate = {};
  std::string source = {};  // where this came from, for messages: "in-cluster", a path
};

}  // namespace clientgo::transport
