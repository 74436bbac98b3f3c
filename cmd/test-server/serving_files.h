// SPDX-License-Identifier: Apache-2.0
// ServingFiles is the certificate and the key of a server in files, as kube-apiserver has them.
// Mirrors k8s.io/apiserver/pkg/server/options/serving.go (MaybeDefaultWithSelfSignedCerts).
#pragma once

#include <string>

#include "capstan/error.h"
#include "capstan/testing/certificates.h"

namespace capstan::cmd::test_server {

struct ServingFiles {
  std::string cert_file = {};  // --tls-cert-file
  std::string key_file = {};   // --tls-private-key-file
  // --cert-dir: has apiserver.crt and apiserver.key when the two files above are empty.
  std::string cert_dir = {};

  // Reads both files. If both are missing in cert_dir, writes them first: a certificate for
  // localhost and `address`, followed by its CA, so that clients can trust the file.
  Expected<testing::KeyPair> ReadOrMake(const std::string& address) const;
};

}  // namespace capstan::cmd::test_server
