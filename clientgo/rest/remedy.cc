// SPDX-License-Identifier: Apache-2.0
#include "clientgo/rest/remedy.h"

#include "clientgo/rest/credentials.h"

namespace clientgo::rest {

std::string Remedy(const util::Error& error, const Config& config) {
  const std::string where = config.source.empty() ? "the configuration" : config.source;
  switch (error.reason) {
    case util::ErrorReason::kCertificate:
      return "compare the CA (certificate-authority) and the server's name (tls-server-name) in " +
             where + " with the server's certificate, and its dates with the clock";
    case util::ErrorReason::kUnauthorized:
      return "renew or replace this credential";
    case util::ErrorReason::kForbidden:
      return "grant this user the right, by a Role or ClusterRole and its binding";
    case util::ErrorReason::kConnectionRefused:
      return "start the API server, or correct its address in " + where;
    case util::ErrorReason::kNoSuchHost:
      return "correct the server's name in " + where + ", or this machine's DNS";
    case util::ErrorReason::kProxy:
      return config.proxy_url.empty() ? "correct HTTPS_PROXY, or exempt the server in NO_PROXY"
                                      : "correct proxy-url in " + where;
    case util::ErrorReason::kUnexpectedEof:
    case util::ErrorReason::kDeadlineExceeded:
    case util::ErrorReason::kTransport:
      return "check what is between here and the server: firewalls, load balancers";
    case util::ErrorReason::kCredentials:
      return "run the command by hand, as this process's user";
    default:
      return {};
  }
}

}  // namespace clientgo::rest
