// SPDX-License-Identifier: Apache-2.0
// Certificate verification that can say why it failed, in Go's words, which operators search for.
// OpenSSL's verification decides; this only asks it afterwards. Thread-safe.
#pragma once

#include <openssl/x509_vfy.h>

#include <string>

namespace clientgo::rest {

// For SSL_CTX_set_cert_verify_callback: `reason` is a std::string*, set to why the certificate was
// refused and emptied when it was not.
int VerifyAndExplain(X509_STORE_CTX* context, void* reason);

}  // namespace clientgo::rest
