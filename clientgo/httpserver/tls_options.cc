// SPDX-License-Identifier: Apache-2.0
#include "capstan/httpserver/tls_options.h"

#include <algorithm>
#include <array>
#include <utility>

#include "capstan/logging.h"

namespace capstan::httpserver {
namespace {

struct Suite {
  std::string_view name;
  std::string_view openssl;  // TLS 1.3 suites have the same name
};

// The suites of Go's crypto/tls, including the insecure ones. OpenSSL skips those that it was built
// without (RC4, 3DES).
constexpr std::array<Suite, 27> kSuites = {{
    {"TLS_AES_128_GCM_SHA256", "TLS_AES_128_GCM_SHA256"},
    {"TLS_AES_256_GCM_SHA384", "TLS_AES_256_GCM_SHA384"},
    {"TLS_CHACHA20_POLY1305_SHA256", "TLS_CHACHA20_POLY1305_SHA256"},
    {"TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA", "ECDHE-ECDSA-AES128-SHA"},
    {"TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA256", "ECDHE-ECDSA-AES128-SHA256"},
    {"TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256", "ECDHE-ECDSA-AES128-GCM-SHA256"},
    {"TLS_ECDHE_ECDSA_WITH_AES_256_CBC_SHA", "ECDHE-ECDSA-AES256-SHA"},
    {"TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384", "ECDHE-ECDSA-AES256-GCM-SHA384"},
    {"TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305", "ECDHE-ECDSA-CHACHA20-POLY1305"},
    {"TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256", "ECDHE-ECDSA-CHACHA20-POLY1305"},
    {"TLS_ECDHE_ECDSA_WITH_RC4_128_SHA", "ECDHE-ECDSA-RC4-SHA"},
    {"TLS_ECDHE_RSA_WITH_3DES_EDE_CBC_SHA", "ECDHE-RSA-DES-CBC3-SHA"},
    {"TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA", "ECDHE-RSA-AES128-SHA"},
    {"TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA256", "ECDHE-RSA-AES128-SHA256"},
    {"TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256", "ECDHE-RSA-AES128-GCM-SHA256"},
    {"TLS_ECDHE_RSA_WITH_AES_256_CBC_SHA", "ECDHE-RSA-AES256-SHA"},
    {"TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384", "ECDHE-RSA-AES256-GCM-SHA384"},
    {"TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305", "ECDHE-RSA-CHACHA20-POLY1305"},
    {"TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256", "ECDHE-RSA-CHACHA20-POLY1305"},
    {"TLS_ECDHE_RSA_WITH_RC4_128_SHA", "ECDHE-RSA-RC4-SHA"},
    {"TLS_RSA_WITH_3DES_EDE_CBC_SHA", "DES-CBC3-SHA"},
    {"TLS_RSA_WITH_AES_128_CBC_SHA", "AES128-SHA"},
    {"TLS_RSA_WITH_AES_128_CBC_SHA256", "AES128-SHA256"},
    {"TLS_RSA_WITH_AES_128_GCM_SHA256", "AES128-GCM-SHA256"},
    {"TLS_RSA_WITH_AES_256_CBC_SHA", "AES256-SHA"},
    {"TLS_RSA_WITH_AES_256_GCM_SHA384", "AES256-GCM-SHA384"},
    {"TLS_RSA_WITH_RC4_128_SHA", "RC4-SHA"},
}};

constexpr std::array<std::string_view, 4> kVersions = {"VersionTLS10", "VersionTLS11",
                                                       "VersionTLS12", "VersionTLS13"};

const Suite* Find(std::string_view name) {
  const auto* found = std::find_if(kSuites.begin(), kSuites.end(),
                                   [&](const Suite& suite) { return suite.name == name; });
  return found == kSuites.end() ? nullptr : found;
}

tl::unexpected<Error> Unknown(std::string_view what, std::string_view name,
                              const std::string& known) {
  return Err(ErrorReason::kInvalidArgument,
             std::string(what) + " " + Quoted(name) + " is not known; use" + known);
}

}  // namespace

Expected<TlsVersion> ParseTlsVersion(std::string_view name) {
  const auto* found = std::find(kVersions.begin(), kVersions.end(), name);
  if (found != kVersions.end()) return static_cast<TlsVersion>(found - kVersions.begin());
  std::string known;
  for (const std::string_view version : kVersions) known += " " + std::string(version);
  return Unknown("TLS version", name, known);
}

Expected<void> CheckCipherSuites(const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    if (Find(name) != nullptr) continue;
    std::string known;
    for (const Suite& suite : kSuites) known += " " + std::string(suite.name);
    return Unknown("cipher suite", name, known);
  }
  return {};
}

OpensslCiphers ToOpenssl(const std::vector<std::string>& names) {
  OpensslCiphers ciphers;
  for (const std::string& name : names) {
    const Suite* suite = Find(name);
    if (suite == nullptr) continue;
    std::string& list = suite->name == suite->openssl ? ciphers.tls13 : ciphers.tls12;
    if (!list.empty()) list += ':';
    list += suite->openssl;
  }
  return ciphers;
}

TlsFileSource::TlsFileSource(std::string cert_file, std::string key_file, TlsOptions options,
                             std::string client_ca_file)
    : cert_file_(std::move(cert_file)),
      key_file_(std::move(key_file)),
      options_(std::move(options)),
      client_ca_file_(std::move(client_ca_file)) {}

Expected<std::shared_ptr<const TlsFiles>> TlsFileSource::Current() {
  // Taken before the files are read, so that the next call sees a change in between.
  const std::array stamps = {StampOf(cert_file_), StampOf(key_file_),
                             client_ca_file_.empty() ? FileStamp() : StampOf(client_ca_file_)};
  if (files_ != nullptr && stamps == stamps_) return files_;
  stamps_ = stamps;
  auto files = Read();
  if (files) {
    files_ = *std::move(files);
    failure_.clear();
    return files_;
  }
  stamps_ = {};  // the files are read again, also if they do not change
  const bool is_known = files_ != nullptr && files.error().message == failure_;
  failure_ = files.error().message;
  if (is_known) return files_;
  return Err(std::move(files.error()));
}

Expected<std::shared_ptr<const TlsFiles>> TlsFileSource::Read() const {
  auto cert = ReadFile(cert_file_);
  if (!cert) return Err(cert.error().Wrap("TLS certificate"));
  auto key = ReadFile(key_file_);
  if (!key) return Err(key.error().Wrap("TLS key"));
  Expected<std::string> client_ca;
  if (!client_ca_file_.empty()) {
    client_ca = ReadFile(client_ca_file_);
    if (!client_ca) return Err(client_ca.error().Wrap("CA of the clients"));
    if (client_ca->empty()) {
      return Err(ErrorReason::kInvalidArgument,
                 "CA of the clients: " + client_ca_file_ + " is empty; write a PEM certificate");
    }
  }
  return std::make_shared<const TlsFiles>(TlsFiles{.cert_pem = *std::move(cert),
                                                   .key_pem = *std::move(key),
                                                   .client_ca_pem = *std::move(client_ca),
                                                   .options = options_});
}

}  // namespace capstan::httpserver
