// SPDX-License-Identifier: Apache-2.0
#include "controllers/cainjector/rules/server_certificate.h"

#include <arpa/inet.h>
#include <openssl/x509_vfy.h>
#include <openssl/x509v3.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <ctime>
#include <memory>
#include <utility>

namespace capstan::controllers::cainjector {
namespace {

constexpr std::array<std::string_view, 11> kNames = {
    "Verified", "UnknownAuthority", "NameMismatch", "Expired",     "NoBundle", "Refused",
    "NotTLS",   "Timeout",          "NoSuchHost",   "NoEndpoints", "Unknown",
};
static_assert(kNames.size() == static_cast<std::size_t>(EndpointOutcome::kUnknown) + 1);

// Names in messages, and the certificates that a server may present.
constexpr int kNamesMax = 5;
constexpr std::size_t kNameBytesMax = 100;

struct Free {
  void operator()(X509* x) const { X509_free(x); }
  void operator()(X509_STORE* x) const { X509_STORE_free(x); }
  void operator()(X509_STORE_CTX* x) const { X509_STORE_CTX_free(x); }
  void operator()(STACK_OF(X509) * x) const { sk_X509_pop_free(x, X509_free); }
  void operator()(GENERAL_NAMES* x) const { GENERAL_NAMES_free(x); }
};
template <class T>
using Ptr = std::unique_ptr<T, Free>;

Ptr<X509> ParseDer(std::string_view der) {
  const auto* bytes = reinterpret_cast<const unsigned char*>(der.data());
  const auto size = static_cast<long>(der.size());  // NOLINT(google-runtime-int): OpenSSL's type
  return Ptr<X509>(d2i_X509(nullptr, &bytes, size));
}

bool IsAddress(const std::string& name) {
  std::array<unsigned char, sizeof(in6_addr)> bytes{};
  return inet_pton(AF_INET, name.c_str(), bytes.data()) == 1 ||
         inet_pton(AF_INET6, name.c_str(), bytes.data()) == 1;
}

// Returns the names that the certificate is for: "a.svc, 10.0.0.1". The server controls them.
std::string NamesOf(X509* certificate) {
  const Ptr<GENERAL_NAMES> names(static_cast<GENERAL_NAMES*>(
      X509_get_ext_d2i(certificate, NID_subject_alt_name, nullptr, nullptr)));
  std::string text;
  for (int i = 0; names != nullptr && i < sk_GENERAL_NAME_num(names.get()); ++i) {
    if (i == kNamesMax) return text + ", ...";
    const GENERAL_NAME* name = sk_GENERAL_NAME_value(names.get(), i);
    const ASN1_STRING* value = name->type == GEN_DNS     ? name->d.dNSName
                               : name->type == GEN_IPADD ? name->d.iPAddress
                                                         : nullptr;
    if (value == nullptr) continue;
    const auto* data = ASN1_STRING_get0_data(value);
    const auto size = static_cast<std::size_t>(ASN1_STRING_length(value));
    std::string shown(reinterpret_cast<const char*>(data), std::min(size, kNameBytesMax));
    if (name->type == GEN_IPADD) {
      std::array<char, INET6_ADDRSTRLEN> address{};
      const int family = size == sizeof(in_addr) ? AF_INET : AF_INET6;
      if (size != sizeof(in_addr) && size != sizeof(in6_addr)) continue;
      shown = inet_ntop(family, data, address.data(), address.size());
    }
    for (char& byte : shown) {
      if (byte <= ' ' || byte > '~') byte = '?';
    }
    text += (text.empty() ? "" : ", ") + shown;
  }
  return text.empty() ? "no name at all" : text;
}

EndpointOutcome OutcomeOf(int error) {
  switch (error) {
    case X509_V_OK:
      return EndpointOutcome::kVerified;
    case X509_V_ERR_CERT_HAS_EXPIRED:
    case X509_V_ERR_CERT_NOT_YET_VALID:
      return EndpointOutcome::kExpired;
    case X509_V_ERR_HOSTNAME_MISMATCH:
    case X509_V_ERR_IP_ADDRESS_MISMATCH:
      return EndpointOutcome::kNameMismatch;
    default:
      return EndpointOutcome::kUnknownAuthority;
  }
}

std::string MessageOf(EndpointOutcome outcome, X509_STORE_CTX* context, X509* leaf,
                      const std::string& name) {
  switch (outcome) {
    case EndpointOutcome::kNameMismatch:
      return "the certificate is for " + NamesOf(leaf) + ", not for " + name;
    case EndpointOutcome::kExpired: {
      const bool own = X509_STORE_CTX_get_error_depth(context) == 0;
      return std::string(own ? "the server's certificate" : "a CA of the server's certificate") +
             (X509_STORE_CTX_get_error(context) == X509_V_ERR_CERT_HAS_EXPIRED
                  ? " has expired"
                  : " is not valid yet");
    }
    default:
      return {};
  }
}

std::optional<CertificateTime> NotAfter(const X509* certificate) {
  std::tm expiry{};
  if (ASN1_TIME_to_tm(X509_get0_notAfter(certificate), &expiry) != 1) return std::nullopt;
  return CertificateTime(std::chrono::seconds(timegm(&expiry)));
}

std::string WhyNoBundle(std::string_view bundle) {
  if (bundle.empty()) return "the target holds no CA bundle";
  const auto parsed = ParseBundle(bundle, kTargetBytesMax);
  return "the target's bundle: " +
         (parsed ? "no certificate can be trusted" : parsed.error().message);
}

// Verifies the server's certificate with this anchor alone.
ServerVerdict VerifyWith(const Certificate& anchor, X509* leaf, STACK_OF(X509) * untrusted,
                         const std::string& name, CertificateTime now) {
  const Ptr<X509_STORE> store(X509_STORE_new());
  if (const auto parsed = ParseDer(anchor.der)) X509_STORE_add_cert(store.get(), parsed.get());
  const Ptr<X509_STORE_CTX> context(X509_STORE_CTX_new());
  X509_STORE_CTX_init(context.get(), store.get(), leaf, untrusted);
  X509_VERIFY_PARAM* const parameters = X509_STORE_CTX_get0_param(context.get());
  X509_VERIFY_PARAM_set_flags(parameters, X509_V_FLAG_PARTIAL_CHAIN);
  X509_VERIFY_PARAM_set_purpose(parameters, X509_PURPOSE_SSL_SERVER);
  X509_VERIFY_PARAM_set_auth_level(parameters, 1);  // no SHA-1, as in Go
  X509_VERIFY_PARAM_set_hostflags(
      parameters, X509_CHECK_FLAG_NEVER_CHECK_SUBJECT | X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS);
  X509_VERIFY_PARAM_set_time(parameters, now.time_since_epoch().count());
  if (IsAddress(name)) {
    X509_VERIFY_PARAM_set1_ip_asc(parameters, name.c_str());
  } else {
    X509_VERIFY_PARAM_set1_host(parameters, name.data(), name.size());
  }
  const bool trusted = X509_verify_cert(context.get()) == 1;
  auto outcome = OutcomeOf(X509_STORE_CTX_get_error(context.get()));
  if (!trusted && outcome == EndpointOutcome::kVerified) {
    outcome = EndpointOutcome::kUnknownAuthority;  // out of memory
  }
  return {.outcome = outcome, .message = MessageOf(outcome, context.get(), leaf, name)};
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
  const Ptr<X509> leaf = chain.empty() ? nullptr : ParseDer(chain.front());
  if (leaf == nullptr) {
    return {.outcome = EndpointOutcome::kNotTls, .message = "the server has sent no certificate"};
  }
  const Certificates anchors = TrustedCertificates(bundle);
  if (anchors.empty()) {
    return {.outcome = EndpointOutcome::kNoBundle,
            .message = WhyNoBundle(bundle),
            .expires = NotAfter(leaf.get())};
  }
  const Ptr<STACK_OF(X509)> untrusted(sk_X509_new_null());
  for (const std::string& der : chain) {
    if (auto parsed = ParseDer(der)) sk_X509_push(untrusted.get(), parsed.release());
  }
  // One anchor at a time: of several with the same subject, OpenSSL tries only the first, and a
  // rotated CA often keeps its subject.
  ServerVerdict verdict{.outcome = EndpointOutcome::kUnknownAuthority,
                        .message = "the server's certificate is not issued by a CA of the bundle"};
  for (const Certificate& anchor : anchors) {
    ServerVerdict one = VerifyWith(anchor, leaf.get(), untrusted.get(), name, now);
    if (one.outcome == EndpointOutcome::kUnknownAuthority) continue;
    verdict = std::move(one);
    if (verdict.outcome == EndpointOutcome::kVerified) break;
  }
  verdict.expires = NotAfter(leaf.get());
  return verdict;
}

}  // namespace capstan::controllers::cainjector
