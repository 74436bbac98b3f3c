// SPDX-License-Identifier: Apache-2.0
// TlsMaterial: the parsed trust anchors and client certificate of a Config, ready to be put into a
// new connection. TlsSource: the current material, read again when a file has changed, so that a
// rotated CA or client certificate needs no restart.
//
// Unlike the HTTP library's default, the given CAs *replace* the system's. Hostnames are checked by
// SAN alone, as Go does. TlsMaterial is immutable; TlsSource is thread-safe. Keys are never logged.
// Mirrors client-go's transport.TLSConfigFor and cert rotation.
#pragma once

#include <openssl/ssl.h>

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "clientgo/rest/config.h"
#include "clientgo/util/error.h"
#include "clientgo/util/mutex.h"

namespace clientgo::rest {

struct OpensslFree {
  void operator()(X509* x) const { X509_free(x); }
  void operator()(X509_STORE* x) const { X509_STORE_free(x); }
  void operator()(EVP_PKEY* x) const { EVP_PKEY_free(x); }
  void operator()(BIO* x) const { BIO_free(x); }
};
template <class T>
using OpensslPtr = std::unique_ptr<T, OpensslFree>;

// Whoever uses OpenSSL until the process ends calls this first: what is set up first is torn down
// last. Any number of times, from any thread.
void SetUpOpenssl();

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

  // Prepares a new connection's context: TLS >= 1.2, this trust, `server_name` (a DNS name or an IP
  // address) as the name to verify. When the server's certificate is refused, the reason is written
  // to `*verification`, which must outlive the context; on success it is emptied. False: OpenSSL
  // refused the client certificate.
  bool Apply(SSL_CTX* context, const std::string& server_name, std::string* verification) const;

 private:
  OpensslPtr<X509_STORE> store_;
  OpensslPtr<X509> cert_;
  std::vector<OpensslPtr<X509>> chain_;
  OpensslPtr<EVP_PKEY> key_;
};

class TlsSource {
 public:
  // `origin` ("/home/u/.kube/config") starts the messages.
  TlsSource(TlsConfig config, std::string origin);

  // The first call reads and parses everything; an error names the file or field. Later calls
  // return the same object until a file changes. A changed file that cannot be used (half written,
  // removed) is logged once, and the last good material stays.
  util::Expected<std::shared_ptr<const TlsMaterial>> Current();

 private:
  // Identifies one version of one file: inode, size, modification time.
  using Stamp = std::array<std::int64_t, 4>;
  util::Expected<std::shared_ptr<const TlsMaterial>> Load() const;
  std::array<Stamp, 3> Stamps() const;

  const TlsConfig config_;
  const std::string origin_;
  util::Mutex mu_;
  std::array<Stamp, 3> stamps_ GUARDED_BY(mu_) = {};
  std::shared_ptr<const TlsMaterial> material_ GUARDED_BY(mu_);
};

}  // namespace clientgo::rest
