// SPDX-License-Identifier: Apache-2.0
// The TLS configuration of a server: versions and cipher suites (TlsOptions), certificate and key
// (TlsFiles), and their rotation (TlsFileSource).
#pragma once

#include <array>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "capstan/error.h"
#include "capstan/export.h"
#include "capstan/file.h"

namespace capstan::httpserver {

enum class TlsVersion { k10, k11, k12, k13 };

// TlsOptions is the TLS versions and cipher suites that a server accepts. Names are those of Go and
// of Kubernetes' --tls-* flags ("VersionTLS12", "TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256"). Mirrors
// k8s.io/component-base/cli/flag's ciphersuites_flag.go. Differs: listed suites of TLS 1.3 restrict
// TLS 1.3, and a list with only such suites disables older versions.
struct CAPSTAN_EXPORT TlsOptions {
  TlsVersion min_version = TlsVersion::k12;
  std::vector<std::string> cipher_suites = {};  // Go's names; empty: OpenSSL's defaults
};

// The error lists the valid names.
CAPSTAN_EXPORT Expected<TlsVersion> ParseTlsVersion(std::string_view name);
CAPSTAN_EXPORT Expected<void> CheckCipherSuites(const std::vector<std::string>& names);

// OpensslCiphers is OpenSSL's two lists of suites, separated by ':'.
struct CAPSTAN_EXPORT OpensslCiphers {
  std::string tls12 = {};  // and older
  std::string tls13 = {};
};
// Converts Go's names and leaves out unknown ones.
CAPSTAN_EXPORT OpensslCiphers ToOpenssl(const std::vector<std::string>& names);

struct CAPSTAN_EXPORT TlsFiles {
  std::string cert_pem;
  std::string key_pem;  // never logged
  // The server requests client certificates of these CAs. Clients may send none.
  std::string client_ca_pem = {};
  TlsOptions options = {};
};

// TlsFileSource is a certificate and its key in two files, and optionally the CAs of the clients in
// a third one. It checks the files at each call, where controller-runtime's pkg/certwatcher polls.
// One thread at a time. The key is never logged.
class CAPSTAN_EXPORT TlsFileSource {
 public:
  TlsFileSource(std::string cert_file, std::string key_file, TlsOptions options,
                std::string client_ca_file = {});

  // Returns the same object until a file changes. The error names the file. Files that cannot be
  // read are read again at the next call. After good files, the same error is returned once, and
  // then the last good files again.
  Expected<std::shared_ptr<const TlsFiles>> Current();

 private:
  Expected<std::shared_ptr<const TlsFiles>> Read() const;

  const std::string cert_file_;
  const std::string key_file_;
  const TlsOptions options_;
  const std::string client_ca_file_;      // empty: none
  std::array<FileStamp, 3> stamps_ = {};  // of files_; zero after a failure
  std::string failure_;                   // the last error; empty after a success
  std::shared_ptr<const TlsFiles> files_;
};

}  // namespace capstan::httpserver
