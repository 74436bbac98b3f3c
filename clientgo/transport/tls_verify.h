// SPDX-License-Identifier: Apache-2.0
// Certificate verification that can say why it failed, in Go's words, which operators search for.
// OpenSSL's verification decides; this only says what it found. Thread-safe.
#pragma once

#include <openssl/x509_vfy.h>

#include <string>

namespace clientgo::transport {

// For SSL_set_verify. The session's app data is a std::string*, set to why the certificate was
// refused.
int ExplainRefusal(int accepted, X509_STORE_CTX* context);

}  // namespace clientgo::transport
