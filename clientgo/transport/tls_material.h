// SPDX-License-Identifier: Apache-2.0
// TlsMaterial: the parsed trust anchors and client certificate of a Config, ready for new
// connections. TlsSource: the current material, read again when a file has changed, so that a
// rotated CA or client certificate needs no restart.
//
// Given CAs replace the system's. Host names are checked by SAN alone, as Go does. TlsMaterial is
// immutable; TlsSource is thread-safe. Keys are never logged.
// Mirrors client-go's transport.TLSConfigFor and cert rotation.
#pragma once

#include <openssl/ssl.h>

#include <array>
#include <chrono>
#include <memory>
#include <optional>
#include <string>

#include "clientgo/transport/config.h"
#include "clientgo/util/error.h"
#include "clientgo/util/mutex.h"
#include "clientgo/util/read_file.h"

namespace clientgo::transport {

struct OpensslFree {
  void operator()(X509* x) const { X509_free(x); }
  void operator()(X509_STORE* x) const { X509_STORE_free(x); }
  void operator()(EVP_PKEY* x) const { EVP_PKEY_free(x); }
  void operator()(BIO* x) const { BIO_free(x); }
  void operator()(BIO_METHOD* x) const { BIO_meth_free(x); }
  void operator()(SSL* x) const { SSL_free(x); }
  void operator()(SSL_CTX* x) const { SSL_CTX_free(x); }
};
template <class T>
using OpensslPtr = std::unique_ptr<T, OpensslFree>;

class TlsMaterial {
 public:
  // PEM text and, for messages, where it came from.
  struct Pem {
    std::string text;
    std::string origin;
  };
  // Empty texts: the system's CAs, no client certificate.
  static util::Expected<std::shared_ptr<const TlsMaterial>> Parse(const Pem& ca, const Pem& cert,
                                                                  const Pem& key);

  // For a new connection: TLS >= 1.2, this trust, `name` (a DNS name or an address) to verify and
  // to ask for. When the server's certificate is refused, the reason is written to `*verification`,
  // which must outlive the result. Null `verification`: whoever answers is trusted.
  OpensslPtr<SSL> NewSession(const std::string& name, std::string* verification) const;

  // Of the client certificate; none without one.
  struct Validity {
    std::chrono::sys_seconds not_before = {};
    std::chrono::sys_seconds not_after = {};
  };
  std::optional<Validity> ClientValidity() const;

  // Whether a server sees the same client in both.
  bool SameClient(const TlsMaterial& other) const;

 private:
  util::Expected<void> UseClientCertificate(const Pem& cert, const Pem& key);

  OpensslPtr<SSL_CTX> context_;  // shared by all connections: 40 KiB less for each
};

class TlsSource {
 public:
  // Reads config.tls and config.get_client_certificate; config.source starts the messages.
  explicit TlsSource(const Config& config);

  // The first call reads and parses everything; an error names the file or field. Later calls
  // return the same object until a file, or the plugin's certificate, changes. What changed and
  // cannot be used (half written, removed) is logged once, and the last good material stays.
  util::Expected<std::shared_ptr<const TlsMaterial>> Current();

 private:
  struct Version {
    std::array<util::FileStamp, 3> files = {};
    std::shared_ptr<const ClientCertificate> plugin = {};
    bool operator==(const Version&) const = default;
  };
  // `unusable`: why what changed was not taken.
  util::Expected<std::shared_ptr<const TlsMaterial>> LookAndLoad(
      std::optional<util::Error>& unusable);
  util::Expected<std::shared_ptr<const TlsMaterial>> Load(const Version& version) const;
  Version Look() const;

  const TlsConfig config_;
  const std::function<std::shared_ptr<const ClientCertificate>()> get_client_certificate_;
  const std::string origin_;
  util::Mutex mu_;
  Version version_ GUARDED_BY(mu_) = {};
  std::shared_ptr<const TlsMaterial> material_ GUARDED_BY(mu_);
};

}  // namespace clientgo::transport
