// SPDX-License-Identifier: Apache-2.0
#include <chrono>
#include <string>
#include <string_view>
#include <vector>

#include "capstan/base64.h"
#include "capstan/text.h"
#include "capstan/time.h"
#include "controllers/cainjector/rules/bundle.h"
#include "controllers/cainjector/rules/server_certificate.h"
#include "e2e/oracles/modes.h"

namespace e2e::oracles {

using capstan::cainjector::EndpointOutcome;

std::string ReadPem(std::string_view input) {
  return capstan::Join(capstan::cainjector::TrustedCertificates(input), " ",
                       capstan::cainjector::FingerprintOf);
}

// The input is the name of the server, the time, the certificates that it sends, and the CA bundle.
std::string VerifyCertificate(std::string_view input) {
  const auto parts = Parts(input, 4);
  const auto now = capstan::ParseTime(parts[1]);
  if (!now) return "no time";
  // Go reads the bundle first.
  if (capstan::cainjector::TrustedCertificates(parts[3]).empty()) return "no bundle";
  std::vector<std::string> chain;
  for (const std::string_view text : capstan::Split(parts[2], ' ')) {
    auto der = capstan::Base64Decode(text);
    if (!der) return "no chain";
    chain.push_back(*std::move(der));
  }
  const auto verdict = capstan::cainjector::VerifyServer(
      chain, parts[3], parts[0], std::chrono::floor<std::chrono::seconds>(*now));
  switch (verdict.outcome) {
    case EndpointOutcome::kNotTls:
      return chain.empty() ? "no chain" : "unreadable";
    case EndpointOutcome::kVerified:
      return "verified";
    case EndpointOutcome::kNameMismatch:
      return "name";
    case EndpointOutcome::kExpired:
      return "expired";
    case EndpointOutcome::kNoBundle:
      return "no bundle";
    case EndpointOutcome::kUnknownAuthority:
      return "unknown authority";
    default:
      return std::string(capstan::cainjector::ToString(verdict.outcome));
  }
}

}  // namespace e2e::oracles
