// SPDX-License-Identifier: Apache-2.0
#include "clientgo/transport/tls_material.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <openssl/err.h>

#include <array>
#include <cstddef>
#include <ctime>
#include <string_view>
#include <utility>
#include <vector>

#include "capstan/text.h"
#include "clientgo/cert/x509.h"
#include "clientgo/transport/server_address.h"

namespace capstan::transport {
namespace {

using cert::OpensslPtr;
using Pem = TlsMaterial::Pem;

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

// Returns the names a certificate is valid for: "a, b, 10.0.0.1".
std::string SubjectNames(X509* cert) {
  std::vector<std::string> texts;
  const OpensslPtr<GENERAL_NAMES> names(
      static_cast<GENERAL_NAMES*>(X509_get_ext_d2i(cert, NID_subject_alt_name, nullptr, nullptr)));
  const int count = names ? sk_GENERAL_NAME_num(names.get()) : 0;
  for (int i = 0; i < count; ++i) {
    const GENERAL_NAME* name = sk_GENERAL_NAME_value(names.get(), i);
    if (name->type == GEN_DNS) texts.push_back(ToText(name->d.dNSName));
    if (name->type == GEN_IPADD) texts.push_back(IpToText(name->d.iPAddress));
  }
  std::erase(texts, "");
  return Join(texts, ", ");
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

// ExplainRefusal stores why OpenSSL has refused a certificate, in Go's words, because operators
// search for those. It is a callback of SSL_set_verify. The app data of the SSL is the std::string
// that gets the reason.
int ExplainRefusal(int accepted, X509_STORE_CTX* context) {
  if (accepted == 1) return accepted;
  auto* ssl =
      static_cast<SSL*>(X509_STORE_CTX_get_ex_data(context, SSL_get_ex_data_X509_STORE_CTX_idx()));
  *static_cast<std::string*>(SSL_get_app_data(ssl)) = Reason(context);
  return accepted;
}

constexpr std::size_t kReadAheadBytes = std::size_t{32} * 1024;

tl::unexpected<Error> Invalid(const Pem& pem, std::string_view why) {
  ERR_clear_error();
  return Err(ErrorReason::kInvalidArgument, pem.origin + ": " + std::string(why));
}

bool IsIpAddress(const std::string& name) {
  const OpensslPtr<ASN1_OCTET_STRING> address(a2i_IPADDRESS(name.c_str()));
  ERR_clear_error();
  return address != nullptr;
}

void UseSecureDefaults(SSL_CTX* context) {
  SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION);
  // Most watches are idle. Without this, each of them holds 34 KiB of buffers.
  SSL_CTX_set_mode(context, SSL_MODE_RELEASE_BUFFERS);
}

// Returns a server's name as certificates and SNI have it: without the brackets and the zone of an
// IPv6 address and without the dot of an absolute name. An IPv4 address in IPv6 form becomes IPv4.
std::string CertificateName(std::string name) {
  if (name.size() > 2 && name.front() == '[' && name.back() == ']') {
    name = name.substr(1, name.size() - 2);
  }
  name = WithoutZone(name);
  in6_addr address{};
  if (inet_pton(AF_INET6, name.c_str(), &address) == 1 && IN6_IS_ADDR_V4MAPPED(&address)) {
    std::array<char, INET_ADDRSTRLEN> text{};
    return inet_ntop(AF_INET, &address.s6_addr[12], text.data(), text.size());
  }
  if (name.size() > 1 && name.back() == '.') name.pop_back();
  return name;
}

bool SetNameToVerify(X509_VERIFY_PARAM* param, const std::string& server) {
  const std::string name = CertificateName(server);
  return IsIpAddress(name) ? X509_VERIFY_PARAM_set1_ip_asc(param, name.c_str()) == 1
                           : X509_VERIFY_PARAM_set1_host(param, name.c_str(), 0) == 1;
}

void Trust(SSL_CTX* context, X509_STORE* store) {
  // An intermediate in the CA file is a trust anchor, as in Go.
  X509_VERIFY_PARAM* param = SSL_CTX_get0_param(context);
  X509_VERIFY_PARAM_set_flags(param, X509_V_FLAG_PARTIAL_CHAIN);
  X509_VERIFY_PARAM_set_hostflags(
      param, X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS | X509_CHECK_FLAG_NEVER_CHECK_SUBJECT);
  SSL_CTX_set1_cert_store(context, store);
}

// Keeps OpenSSL from loading two tables at its first use: the texts of errors, except for those of
// TLS, and the legacy names of ciphers. Nothing here needs them, and they cost 90 KiB of memory.
void StartOpenssl() {
  OPENSSL_init_crypto(OPENSSL_INIT_NO_LOAD_CRYPTO_STRINGS | OPENSSL_INIT_NO_ADD_ALL_CIPHERS,
                      nullptr);
}

}  // namespace

std::shared_ptr<TlsMaterial> TlsMaterial::New() {
  StartOpenssl();
  auto material = std::make_shared<TlsMaterial>();
  material->context_.reset(SSL_CTX_new(TLS_client_method()));
  SSL_CTX* const context = material->context_.get();
  UseSecureDefaults(context);
  // A server sends each event as one record. This fetches many of them with one system call.
  SSL_CTX_set_read_ahead(context, 1);
  SSL_CTX_set_default_read_buffer_len(context, kReadAheadBytes);
  return material;
}

std::shared_ptr<const TlsMaterial> TlsMaterial::WithoutAnchors() { return New(); }

Expected<std::shared_ptr<const TlsMaterial>> TlsMaterial::Parse(const Pem& ca, const Pem& cert,
                                                                const Pem& key) {
  auto material = New();
  const OpensslPtr<X509_STORE> store(X509_STORE_new());
  if (ca.text.empty()) {
    X509_STORE_set_default_paths(store.get());  // the system's CAs
    ERR_clear_error();
  } else {
    auto anchors = cert::ReadAnchors(ca.text);
    if (!anchors) return Invalid(ca, anchors.error().message);
    for (const auto& anchor : *anchors) {
      // OpenSSL otherwise parses the extensions when a thread first verifies with them.
      X509_check_purpose(anchor.get(), -1, 0);
      X509_STORE_add_cert(store.get(), anchor.get());
    }
  }
  Trust(material->context_.get(), store.get());
  if (auto used = material->UseClientCertificate(cert, key); !used) {
    return Err(std::move(used.error()));
  }
  return material;
}

Expected<void> TlsMaterial::UseClientCertificate(const Pem& cert, const Pem& key) {
  if (cert.text.empty() != key.text.empty()) {
    return Invalid(cert.text.empty() ? key : cert,
                   "a client certificate needs both a certificate and a key; one is missing");
  }
  if (cert.text.empty()) return {};
  const auto certs = cert::ReadChain(cert.text);
  if (!certs) return Invalid(cert, certs.error().message);
  const auto private_key = cert::ReadPrivateKey(key.text);
  if (!private_key) return Invalid(key, private_key.error().message);
  if (X509_check_private_key(certs->front().get(), private_key->get()) != 1) {
    return Invalid(key, "the private key does not match the client certificate");
  }
  bool ok = SSL_CTX_use_certificate(context_.get(), certs->front().get()) == 1;
  for (std::size_t i = 1; i < certs->size(); ++i) {
    ok = ok && SSL_CTX_add1_chain_cert(context_.get(), (*certs)[i].get()) == 1;
  }
  ok = ok && SSL_CTX_use_PrivateKey(context_.get(), private_key->get()) == 1;
  if (!ok) return Invalid(cert, "the client certificate cannot be used; its key may be too weak");
  return {};
}

OpensslPtr<SSL> TlsMaterial::NewSession(const std::string& name, std::string* verification) const {
  OpensslPtr<SSL> ssl(SSL_new(context_.get()));
  if (!ssl) return ssl;
  SendServerName(ssl.get(), name);
  if (verification == nullptr) return ssl;
  SSL_set_verify(ssl.get(), SSL_VERIFY_PEER, ExplainRefusal);
  SSL_set_app_data(ssl.get(), verification);
  // Never a session that verifies no name.
  if (!SetNameToVerify(SSL_get0_param(ssl.get()), name)) return nullptr;
  return ssl;
}

void TlsMaterial::Configure(SSL_CTX* context) const {
  UseSecureDefaults(context);
  Trust(context, SSL_CTX_get_cert_store(context_.get()));
  X509* const cert = SSL_CTX_get0_certificate(context_.get());
  if (cert == nullptr) return;
  STACK_OF(X509)* chain = nullptr;
  SSL_CTX_get0_chain_certs(context_.get(), &chain);
  SSL_CTX_use_cert_and_key(context, cert, SSL_CTX_get0_privatekey(context_.get()), chain, 1);
}

void TlsMaterial::SendServerName(SSL* session, const std::string& server) {
  const std::string name = CertificateName(server);
  if (!IsIpAddress(name)) SSL_set_tlsext_host_name(session, name.c_str());
}

std::optional<std::string> TlsMaterial::Verify(X509_STORE_CTX* chain, const std::string& name) {
  if (!SetNameToVerify(X509_STORE_CTX_get0_param(chain), name)) return "out of memory";
  // Replaces a callback that could accept what OpenSSL refuses.
  X509_STORE_CTX_set_verify_cb(chain, [](int accepted, X509_STORE_CTX*) { return accepted; });
  if (X509_verify_cert(chain) == 1) return std::nullopt;
  return Reason(chain);
}

std::optional<TlsMaterial::Validity> TlsMaterial::ClientValidity() const {
  const X509* const cert = SSL_CTX_get0_certificate(context_.get());
  if (cert == nullptr) return std::nullopt;
  std::tm begin{};
  std::tm end{};
  if (ASN1_TIME_to_tm(X509_get0_notBefore(cert), &begin) != 1 ||
      ASN1_TIME_to_tm(X509_get0_notAfter(cert), &end) != 1) {
    return std::nullopt;
  }
  return Validity{.not_before = std::chrono::sys_seconds(std::chrono::seconds(timegm(&begin))),
                  .not_after = std::chrono::sys_seconds(std::chrono::seconds(timegm(&end)))};
}

bool TlsMaterial::SameClient(const TlsMaterial& other) const {
  const X509* const mine = SSL_CTX_get0_certificate(context_.get());
  const X509* const theirs = SSL_CTX_get0_certificate(other.context_.get());
  if (mine == nullptr || theirs == nullptr) return mine == theirs;
  return X509_cmp(mine, theirs) == 0;
}

}  // namespace capstan::transport
