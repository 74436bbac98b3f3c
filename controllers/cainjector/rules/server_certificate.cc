// SPDX-License-Identifier: Apache-2.0
#include "controllers/cainjector/rules/server_certificate.h"

#include <arpa/inet.h>

#include <array>
#include <cstddef>

#include "capstan/cert/certificate.h"
#include "capstan/cert/verify.h"
#include "capstan/text.h"

namespace capstan::cainjector {
namespace {

constexpr std::array<std::string_view, 11> kNames = {
    "Verified", "UnknownAuthority", "NameMismatch", "Expired",     "NoBundle", "Refused",
    "NotTLS",   "Timeout",          "NoSuchHost",   "NoEndpoints", "Unknown",
};
static_assert(kNames.size() == static_cast<std::size_t>(EndpointOutcome::kUnknown) + 1);

// The limits of names in messages.
constexpr std::size_t kNamesMax = 5;
constexpr std::size_t kShownNameBytes = 100;

// Returns the names that the certificate is for: "a.svc, 10.0.0.1". The server controls them.
std::string NamesOf(const cert::ParsedCertificate& certificate) {
  std::vector<std::string> names;
  for (const std::string_view name : certificate.dns_names) {
    names.emplace_back(name.substr(0, kShownNameBytes));
    for (char& byte : names.back()) {
      if (byte <= ' ' || byte > '~') byte = '?';
    }
    if (names.size() > kNamesMax) break;
  }
  for (const std::string_view bytes : certificate.ip_addresses) {
    std::array<char, INET6_ADDRSTRLEN> address{};
    const int family = bytes.size() == sizeof(in_addr) ? AF_INET : AF_INET6;
    names.emplace_back(inet_ntop(family, bytes.data(), address.data(), address.size()));
    if (names.size() > kNamesMax) break;
  }
  if (names.empty()) return "no name at all";
  if (names.size() > kNamesMax) names[kNamesMax] = "...";
  return Join(names, ", ");
}

EndpointOutcome OutcomeOf(cert::Refusal refusal) {
  switch (refusal) {
    case cert::Refusal::kUnreadable:
      return EndpointOutcome::kNotTls;
    case cert::Refusal::kCaExpired:
    case cert::Refusal::kCaNotYetValid:
    case cert::Refusal::kExpired:
    case cert::Refusal::kNotYetValid:
      return EndpointOutcome::kExpired;
    case cert::Refusal::kNameMismatch:
      return EndpointOutcome::kNameMismatch;
    case cert::Refusal::kUnknownAuthority:
    case cert::Refusal::kNotACa:
    case cert::Refusal::kPathTooLong:
    case cert::Refusal::kCaExtension:
    case cert::Refusal::kExtension:
    case cert::Refusal::kUsage:
    case cert::Refusal::kNameConstraint:
      break;
  }
  return EndpointOutcome::kUnknownAuthority;
}

std::string MessageOf(cert::Refusal refusal, const cert::ParsedCertificate& leaf,
                      const std::string& name) {
  switch (refusal) {
    case cert::Refusal::kUnreadable:
      return "the API server cannot read a certificate that the server has sent";
    case cert::Refusal::kUnknownAuthority:
      return "the server's certificate is not issued by a CA of the bundle";
    case cert::Refusal::kNotACa:
      return "the issuer of the server's certificate is no CA, by its basicConstraints or keyUsage";
    case cert::Refusal::kPathTooLong:
      return "a CA of the server's certificate allows fewer intermediates, by its basicConstraints";
    case cert::Refusal::kCaExpired:
      return "a CA of the server's certificate has expired";
    case cert::Refusal::kCaNotYetValid:
      return "a CA of the server's certificate is not valid yet";
    case cert::Refusal::kCaExtension:
      return "a CA of the server's certificate has a critical extension that the API server does "
             "not know";
    case cert::Refusal::kExtension:
      return "the server's certificate has a critical extension that the API server does not know";
    case cert::Refusal::kExpired:
      return "the server's certificate has expired";
    case cert::Refusal::kNotYetValid:
      return "the server's certificate is not valid yet";
    case cert::Refusal::kNameMismatch:
      return "the certificate is for " + NamesOf(leaf) + ", not for " + name;
    case cert::Refusal::kUsage:
      return "the server's certificate, or a CA of it, is not for servers, by its extendedKeyUsage";
    case cert::Refusal::kNameConstraint:
      return "a CA of the server's certificate may not issue it, by its nameConstraints";
  }
  return {};
}

std::string WhyNoBundle(std::string_view bundle) {
  if (bundle.empty()) return "the target holds no CA bundle";
  const auto parsed = ParseBundle(bundle, kTargetBytesMax);
  return "the target's bundle: " +
         (parsed ? "no certificate can be trusted" : parsed.error().message);
}

}  // namespace

std::string_view ToString(EndpointOutcome outcome) {
  return kNames.at(static_cast<std::size_t>(outcome));
}

std::vector<EndpointOutcome> AllEndpointOutcomes() {
  std::vector<EndpointOutcome> all;
  for (std::size_t i = 0; i < kNames.size(); ++i) all.push_back(static_cast<EndpointOutcome>(i));
  return all;
}

ServerVerdict VerifyServer(const std::vector<std::string>& chain, std::string_view bundle,
                           const std::string& name, CertificateTime now) {
  if (chain.empty()) {
    return {.outcome = EndpointOutcome::kNotTls, .message = "the server has sent no certificate"};
  }
  const auto leaf = cert::ParseCertificate(chain.front());
  if (!leaf) {
    return {
        .outcome = OutcomeOf(cert::Refusal::kUnreadable),
        .message = MessageOf(cert::Refusal::kUnreadable, {}, name) + ": " + leaf.error().message};
  }
  const Certificates anchors = TrustedCertificates(bundle);
  if (anchors.empty()) {
    return {.outcome = EndpointOutcome::kNoBundle,
            .message = WhyNoBundle(bundle),
            .expires = leaf->not_after};
  }
  std::vector<std::string_view> roots;
  for (const Certificate& anchor : anchors) roots.emplace_back(anchor.der);
  const auto refusal = cert::VerifyServer({chain.begin(), chain.end()}, roots, name, now);
  if (!refusal) return {.expires = leaf->not_after};
  return {.outcome = OutcomeOf(*refusal),
          .message = MessageOf(*refusal, *leaf, name),
          .expires = leaf->not_after};
}

}  // namespace capstan::cainjector
