// SPDX-License-Identifier: Apache-2.0
#include "clientgo/transport/tls_verify.h"

#include <arpa/inet.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

#include <array>
#include <memory>

namespace clientgo::transport {
namespace {

struct FreeNames {
  void operator()(GENERAL_NAMES* names) const { GENERAL_NAMES_free(names); }
};

std::string ToText(const ASN1_STRING* value) {
  const auto* data = reinterpret_cast<const char*>(ASN1_STRING_get0_data(value));
  return {data, static_cast<std::size_t>(ASN1_STRING_length(value))};
}

std::string IpToText(const ASN1_STRING* value) {
  std::array<char, INET6_ADDRSTRLEN> text{};
  const int family = ASN1_STRING_length(value) == 4 ? AF_INET : AF_INET6;
  const char* ok = inet_ntop(family, ASN1_STRING_get0_data(value), text.data(), text.size());
  return ok == nullptr ? "?" : std::string(ok);
}

// "a, b, 10.0.0.1": the names a certificate is valid for.
std::string SubjectNames(X509* cert) {
  std::string out;
  const std::unique_ptr<GENERAL_NAMES, FreeNames> names(
      static_cast<GENERAL_NAMES*>(X509_get_ext_d2i(cert, NID_subject_alt_name, nullptr, nullptr)));
  const int count = names ? sk_GENERAL_NAME_num(names.get()) : 0;
  for (int i = 0; i < count; ++i) {
    const GENERAL_NAME* name = sk_GENERAL_NAME_value(names.get(), i);
    std::string text;
    if (name->type == GEN_DNS) text = ToText(name->d.dNSName);
    if (name->type == GEN_IPADD) text = IpToText(name->d.iPAddress);
    if (text.empty()) continue;
    if (!out.empty()) out += ", ";
    out += text;
  }
  return out;
}

std::string WantedName(X509_STORE_CTX* context) {
  X509_VERIFY_PARAM* param = X509_STORE_CTX_get0_param(context);
  if (const char* host = X509_VERIFY_PARAM_get0_host(param, 0)) return host;
  char* ip = X509_VERIFY_PARAM_get1_ip_asc(param);
  std::string text = ip == nullptr ? "" : ip;
  OPENSSL_free(ip);
  return text;
}

std::string WrongName(X509_STORE_CTX* context) {
  X509* leaf = X509_STORE_CTX_get0_cert(context);
  const std::string names = leaf == nullptr ? "" : SubjectNames(leaf);
  const std::string wanted = WantedName(context);
  if (names.empty()) return "certificate has no names (SANs), so it is not valid for " + wanted;
  return "certificate is valid for " + names + ", not " + wanted;
}

std::string Reason(X509_STORE_CTX* context) {
  switch (const int error = X509_STORE_CTX_get_error(context)) {
    case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT:
    case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY:
    case X509_V_ERR_UNABLE_TO_VERIFY_LEAF_SIGNATURE:
    case X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT:
    case X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN:
    case X509_V_ERR_CERT_SIGNATURE_FAILURE:  // a CA of the same name with another key
      return "certificate signed by unknown authority";
    case X509_V_ERR_HOSTNAME_MISMATCH:
    case X509_V_ERR_IP_ADDRESS_MISMATCH:
      return WrongName(context);
    case X509_V_ERR_CERT_HAS_EXPIRED:
    case X509_V_ERR_CERT_NOT_YET_VALID:
      return "certificate has expired or is not yet valid";
    default:
      return X509_verify_cert_error_string(error);
  }
}

}  // namespace

int ExplainRefusal(int accepted, X509_STORE_CTX* context) {
  if (accepted == 1) return accepted;
  auto* ssl =
      static_cast<SSL*>(X509_STORE_CTX_get_ex_data(context, SSL_get_ex_data_X509_STORE_CTX_idx()));
  *static_cast<std::string*>(SSL_get_app_data(ssl)) = Reason(context);
  return accepted;
}

}  // namespace clientgo::transport
