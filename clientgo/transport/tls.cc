// SPDX-License-Identifier: Apache-2.0
#include "clientgo/transport/tls.h"

#include <arpa/inet.h>
#include <glog/logging.h>
#include <netinet/in.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

#include <algorithm>
#include <array>
#include <climits>
#include <cstdio>
#include <ctime>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "capstan/file.h"
#include "capstan/logging.h"
#include "clientgo/cert/x509.h"
#include "clientgo/transport/server_address.h"

namespace capstan::transport {
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

// Returns the names a certificate is valid for: "a, b, 10.0.0.1".
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

// Explains a failed verification in Go's words, which operators search for. OpenSSL decides. Used
// by SSL_set_verify; the session's app data is a std::string* for the reason.
int ExplainRefusal(int accepted, X509_STORE_CTX* context) {
  if (accepted == 1) return accepted;
  auto* ssl =
      static_cast<SSL*>(X509_STORE_CTX_get_ex_data(context, SSL_get_ex_data_X509_STORE_CTX_idx()));
  *static_cast<std::string*>(SSL_get_app_data(ssl)) = Reason(context);
  return accepted;
}

using Pem = TlsMaterial::Pem;

constexpr std::size_t kReadAheadBytes = std::size_t{32} * 1024;

tl::unexpected<Error> Invalid(const Pem& pem, std::string_view why) {
  ERR_clear_error();
  return Err(ErrorReason::kInvalidArgument, pem.origin + ": " + std::string(why));
}

bool IsIpAddress(const std::string& name) {
  ASN1_OCTET_STRING* address = a2i_IPADDRESS(name.c_str());
  ERR_clear_error();
  ASN1_OCTET_STRING_free(address);
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

std::string ErrorText(unsigned long code) {
  if (const char* const text = ERR_reason_error_string(code)) return text;
  if (code == 0) return "protocol error";
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "OpenSSL error %08lX", code);
  return text.data() + std::string("; openssl errstr explains it");
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

TlsSource::TlsSource(const Config& config)
    : config_(config.tls),
      get_client_certificate_(config.get_client_certificate),
      origin_(config.source) {}

TlsSource::Version TlsSource::CurrentVersion() const {
  const auto stamp = [](const std::string& data, const std::string& path) {
    return data.empty() ? StampOf(path) : FileStamp();
  };
  Version version{.files = {stamp(config_.ca_data, config_.ca_file),
                            stamp(config_.cert_data, config_.cert_file),
                            stamp(config_.key_data, config_.key_file)}};
  if (get_client_certificate_) version.plugin = get_client_certificate_();
  return version;
}

Expected<std::shared_ptr<const TlsMaterial>> TlsSource::Load(const Version& version) const {
  const auto read = [this](const std::string& data, const std::string& path,
                           std::string_view field) -> Expected<Pem> {
    const std::string prefix = origin_.empty() ? "" : origin_ + ": ";
    if (!data.empty()) return Pem{data, prefix + std::string(field) + "-data"};
    if (path.empty()) return Pem{"", prefix + std::string(field)};
    auto text = ReadFile(path);
    if (!text) return Err(text.error().Wrap(prefix + std::string(field)));
    if (text->empty()) {
      return Err(ErrorReason::kInvalidArgument,
                 prefix + std::string(field) + ": " + path + " is empty");
    }
    return Pem{std::move(*text), prefix + std::string(field) + " " + path};
  };
  auto ca = read(config_.ca_data, config_.ca_file, "certificate-authority");
  if (!ca) return Err(std::move(ca.error()));
  if (const auto& plugin = version.plugin) {
    return TlsMaterial::Parse(*ca, Pem{plugin->cert_pem, plugin->origin + ": the certificate"},
                              Pem{plugin->key_pem, plugin->origin + ": the key"});
  }
  auto cert = read(config_.cert_data, config_.cert_file, "client-certificate");
  if (!cert) return Err(std::move(cert.error()));
  auto key = read(config_.key_data, config_.key_file, "client-key");
  if (!key) return Err(std::move(key.error()));
  return TlsMaterial::Parse(*ca, *cert, *key);
}

Expected<std::shared_ptr<const TlsMaterial>> TlsSource::Current() {
  std::optional<Error> unusable;
  auto current = LoadIfChanged(unusable);
  if (unusable) {
    LOG(WARNING) << Kv("Failed to load changed TLS files, keeping the old ones", "err", *unusable);
  }
  return current;
}

Expected<std::shared_ptr<const TlsMaterial>> TlsSource::LoadIfChanged(
    std::optional<Error>& unusable) {
  MutexLock lock(mu_);
  // Taken before the files are read, so that the next call sees a change in between.
  Version version = CurrentVersion();
  if (material_ && version == version_) return material_;
  auto loaded = Load(version);
  version_ = std::move(version);
  if (loaded) {
    material_ = std::move(*loaded);
  } else if (!material_) {
    return loaded;
  } else {
    unusable = std::move(loaded.error());
  }
  return material_;
}

// SocketBio replaces OpenSSL's socket BIO, which needs a retry loop around each call and whose
// write() raises SIGPIPE.
struct SocketBio {
  static int Read(BIO* bio, char* out, int size) {
    auto& stream = *static_cast<TlsStream*>(BIO_get_data(bio));
    BIO_clear_retry_flags(bio);
    const auto wanted = static_cast<std::size_t>(size);
    if (stream.may_wait_) {
      const auto count = stream.socket_.Read(out, wanted);
      if (!count) return Fail(stream, count.error());
      return static_cast<int>(*count);
    }
    const auto count = stream.socket_.TryRead(out, wanted);
    if (!count) return Fail(stream, count.error());
    if (*count < 0) BIO_set_retry_read(bio);
    return static_cast<int>(*count);
  }
  static int Write(BIO* bio, const char* bytes, int size) {
    auto& stream = *static_cast<TlsStream*>(BIO_get_data(bio));
    BIO_clear_retry_flags(bio);
    const std::string_view all(bytes, static_cast<std::size_t>(size));
    if (stream.writes_may_wait_) {
      const auto written = stream.socket_.Write(all);
      if (!written) return Fail(stream, written.error());
      return size;
    }
    std::size_t sent = 0;
    if (stream.unsent_.empty()) {
      const auto written = stream.socket_.TryWrite(all);
      if (!written) return Fail(stream, written.error());
      sent = *written;
    }
    stream.unsent_.append(all.substr(sent));
    return size;
  }
  static long Control(BIO*, int command, long, void*) { return command == BIO_CTRL_FLUSH ? 1 : 0; }

  static BIO* New(TlsStream* stream) {
    static const OpensslPtr<BIO_METHOD> method = [] {
      OpensslPtr<BIO_METHOD> made(BIO_meth_new(BIO_TYPE_SOURCE_SINK, "socket"));
      BIO_meth_set_read(made.get(), Read);
      BIO_meth_set_write(made.get(), Write);
      BIO_meth_set_ctrl(made.get(), Control);
      return made;
    }();
    BIO* const bio = BIO_new(method.get());
    BIO_set_data(bio, stream);
    BIO_set_init(bio, 1);
    return bio;
  }

 private:
  static int Fail(TlsStream& stream, const Error& error) {
    stream.error_ = error;
    return -1;
  }
};

// The names of HTTP/2 and HTTP/1.1 in ALPN, each after its length.
constexpr std::array<unsigned char, 12> kProtocols = {2,   'h', '2', 8,   'h', 't',
                                                      't', 'p', '/', '1', '.', '1'};

TlsStream::TlsStream(Socket& socket, const TlsMaterial& material)
    : socket_(socket), material_(material) {}

Error TlsStream::TakeError(int result) {
  const int kind = SSL_get_error(ssl_.get(), result);
  const unsigned long code = ERR_peek_last_error();
  ERR_clear_error();
  if (error_) return *std::exchange(error_, std::nullopt);
  const auto error = [](ErrorReason reason, std::string message) {
    return Error{.reason = reason, .message = std::move(message)};
  };
  if (!verification_.empty()) {
    return error(ErrorReason::kCertificate, "tls: failed to verify certificate: " + verification_);
  }
  // The peer closed the connection without a close_notify alert, which may be a failure.
  if (kind == SSL_ERROR_SYSCALL || ERR_GET_REASON(code) == SSL_R_UNEXPECTED_EOF_WHILE_READING) {
    return error(ErrorReason::kUnexpectedEof, "unexpected EOF");
  }
  // The first bytes are not a TLS record, so the server probably has no TLS.
  if (ERR_GET_REASON(code) == SSL_R_WRONG_VERSION_NUMBER) {
    return error(ErrorReason::kTransport, "tls: the server's response is not TLS; is it http://?");
  }
  return error(ErrorReason::kTransport, "tls: " + ErrorText(code));
}

Expected<void> TlsStream::Handshake(const std::string& name, bool insecure_skip_verify,
                                    bool offer_http2) {
  ERR_clear_error();
  ssl_ = material_.NewSession(name, insecure_skip_verify ? nullptr : &verification_);
  if (!ssl_) return Err(ErrorReason::kTransport, "tls: out of memory");
  if (offer_http2) {
    SSL_set_alpn_protos(ssl_.get(), kProtocols.data(), static_cast<unsigned>(kProtocols.size()));
  }
  BIO* const bio = SocketBio::New(this);
  SSL_set_bio(ssl_.get(), bio, bio);
  const int result = SSL_connect(ssl_.get());
  if (result == 1) return {};
  Error error = TakeError(result);
  if (error.message == "unexpected EOF") {
    error.message = "tls: the connection broke during the handshake";
  }
  return Err(std::move(error));
}

bool TlsStream::ClientPartDone() const { return SSL_get_state(ssl_.get()) == TLS_ST_CW_FINISHED; }

std::vector<std::string> TlsStream::PeerCertificates() const {
  std::vector<std::string> ders;
  const STACK_OF(X509)* chain = SSL_get_peer_cert_chain(ssl_.get());
  for (int i = 0; i < sk_X509_num(chain); ++i) {  // -1 without a chain
    unsigned char* der = nullptr;
    const int size = i2d_X509(sk_X509_value(chain, i), &der);
    if (size < 0) break;
    ders.emplace_back(reinterpret_cast<const char*>(der), static_cast<std::size_t>(size));
    OPENSSL_free(der);
  }
  return ders;
}

Expected<std::size_t> TlsStream::Read(char* out, std::size_t size) {
  std::size_t total = 0;
  may_wait_ = writes_may_wait_ = true;
  while (total < size) {
    ERR_clear_error();
    const int wanted = static_cast<int>(std::min<std::size_t>(size - total, INT_MAX));
    const int count = SSL_read(ssl_.get(), out + total, wanted);
    if (count > 0) {
      total += static_cast<std::size_t>(count);
      may_wait_ = false;
      continue;
    }
    const int kind = SSL_get_error(ssl_.get(), count);
    // The next call returns an error that happens after some bytes.
    if (total > 0 || kind == SSL_ERROR_ZERO_RETURN) break;
    return Err(TakeError(count));
  }
  error_.reset();
  return total;
}

Expected<void> TlsStream::Write(std::string_view bytes) {
  may_wait_ = writes_may_wait_ = true;
  return WriteAll(bytes);
}

Expected<void> TlsStream::TryWrite(std::string_view bytes) {
  may_wait_ = writes_may_wait_ = false;
  return WriteAll(bytes);
}

Expected<void> TlsStream::WriteAll(std::string_view bytes) {
  while (!bytes.empty()) {
    ERR_clear_error();
    const int wanted = static_cast<int>(std::min<std::size_t>(bytes.size(), INT_MAX));
    const int count = SSL_write(ssl_.get(), bytes.data(), wanted);
    if (count <= 0) return Err(TakeError(count));
    bytes.remove_prefix(static_cast<std::size_t>(count));
  }
  return {};
}

Expected<std::ptrdiff_t> TlsStream::TryRead(char* out, std::size_t size) {
  may_wait_ = writes_may_wait_ = false;
  ERR_clear_error();
  const int wanted = static_cast<int>(std::min<std::size_t>(size, INT_MAX));
  const int count = SSL_read(ssl_.get(), out, wanted);
  if (count > 0) return count;
  const int kind = SSL_get_error(ssl_.get(), count);
  if (kind == SSL_ERROR_ZERO_RETURN) return 0;
  if (kind == SSL_ERROR_WANT_READ) return -1;
  return Err(TakeError(count));
}

Expected<void> TlsStream::Flush() {
  if (unsent_.empty()) return {};
  const auto sent = socket_.TryWrite(unsent_);
  if (!sent) return Err(sent.error());
  unsent_.erase(0, *sent);
  if (unsent_.empty()) unsent_ = std::string();
  return {};
}

bool TlsStream::http2() const {
  const unsigned char* name = nullptr;
  unsigned size = 0;
  SSL_get0_alpn_selected(ssl_.get(), &name, &size);
  return size == 2 && name[0] == 'h' && name[1] == '2';
}

bool TlsStream::IsQuiet() const { return SSL_has_pending(ssl_.get()) == 0; }

}  // namespace capstan::transport
