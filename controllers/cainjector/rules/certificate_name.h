// SPDX-License-Identifier: Apache-2.0
// How a certificate is told to people: it is public. Pure functions, thread-safe. No upstream.
#pragma once

#include <string>

#include "controllers/cainjector/rules/bundle.h"

namespace controllers::cainjector {

// "CN=root,O=Example", as RFC 2253 has it; "?" for what is no certificate.
std::string SubjectOf(const Certificate& certificate);
// The first 16 hexadecimal digits of its SHA-256.
std::string FingerprintOf(const Certificate& certificate);

}  // namespace controllers::cainjector
