// SPDX-License-Identifier: Apache-2.0
// TlsOptions: which versions of TLS and which cipher suites a server accepts, in the names of Go
// and of Kubernetes' --tls-* flags ("VersionTLS12", "TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256").
//
// Pure functions. Mirrors k8s.io/component-base/cli/flag's ciphersuites_flag.go. Differs: suites of
// TLS 1.3 that are listed restrict TLS 1.3, which Go does not; a list of those alone means that
// nothing older is spoken.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "clientgo/util/error.h"

namespace httpserver {

enum class TlsVersion { k10, k11, k12, k13 };

struct TlsOptions {
  TlsVersion min_version = TlsVersion::k12;
  std::vector<std::string> cipher_suites = {};  // Go's names; empty: OpenSSL's defaults
};

// kInvalidArgument lists the names there are.
clientgo::util::Expected<TlsVersion> ParseTlsVersion(std::string_view name);
clientgo::util::Expected<void> CheckCipherSuites(const std::vector<std::string>& names);

// The same suites as OpenSSL's two lists, names with ':' between them. Names that are not known are
// left out.
struct OpensslCiphers {
  std::string tls12 = {};  // and older
  std::string tls13 = {};
};
OpensslCiphers ToOpenssl(const std::vector<std::string>& names);

}  // namespace httpserver
