// SPDX-License-Identifier: Apache-2.0
// When a bundle expires, for people. A pure function.
#pragma once

#include <string>

#include "controllers/cainjector/rules/bundle.h"

namespace controllers::cainjector {

// "2027-01-02T03:04:05Z"; "never" for CertificateTime::max(). Years of more than four digits, and
// before 1970, too: a system_clock's nanoseconds end in 2262.
std::string ExpiryText(CertificateTime time);

}  // namespace controllers::cainjector
