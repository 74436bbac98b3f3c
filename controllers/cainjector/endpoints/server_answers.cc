// SPDX-License-Identifier: Apache-2.0
#include "controllers/cainjector/endpoints/server_answers.h"

#include <utility>

namespace capstan::cainjector {
namespace {

ServerVerdict Failed(const Error& error) {
  ServerVerdict verdict{.outcome = EndpointOutcome::kRefused, .message = error.message};
  switch (error.reason) {
    case ErrorReason::kNoSuchHost:
      verdict.outcome = EndpointOutcome::kNoSuchHost;
      break;
    case ErrorReason::kDeadlineExceeded:
      verdict.outcome = EndpointOutcome::kTimeout;
      verdict.message =
          "no TLS handshake within " + std::to_string(kHandshakeTimeout.count()) + " s";
      break;
    case ErrorReason::kTooManyRequests:
      verdict.outcome = EndpointOutcome::kUnknown;
      break;
    case ErrorReason::kConnectionRefused:
    case ErrorReason::kUnexpectedEof:
      break;
    default:
      if (error.message.starts_with("tls: ")) verdict.outcome = EndpointOutcome::kNotTls;
  }
  return verdict;
}

}  // namespace

bool ServerAnswers::incomplete() const {
  return !answers.empty() && !answers.back().chain &&
         answers.back().chain.error().reason == ErrorReason::kTooManyRequests;
}

std::string HostPort(const std::string& host, int port) {
  const bool brackets = host.find(':') != std::string::npos;
  return (brackets ? "[" + host + "]" : host) + ":" + std::to_string(port);
}

EndpointResult Judge(const TargetServer& server, const ServerAnswers& answers,
                     std::string_view bundle, CertificateTime now) {
  const std::string name = server.reference.ServerName();
  EndpointResult result{.place = server.place,
                        .server = HostPort(name, server.reference.port),
                        .address = "",
                        .verdict = answers.no_address.value_or(ServerVerdict())};
  for (const auto& [address, chain] : answers.answers) {
    ServerVerdict verdict = chain ? VerifyServer(*chain, bundle, name, now) : Failed(chain.error());
    const bool good = verdict.outcome == EndpointOutcome::kVerified;
    if (!good || !result.verdict.expires || verdict.expires < result.verdict.expires) {
      result.address = address;
      result.verdict = std::move(verdict);
    }
    if (!good) break;
  }
  return result;
}

}  // namespace capstan::cainjector
