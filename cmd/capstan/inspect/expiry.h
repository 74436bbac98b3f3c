// SPDX-License-Identifier: Apache-2.0
// When a bundle expires, for people. Pure functions.
#pragma once

#include <string>
#include <vector>

#include "controllers/cainjector/rules/bundle.h"

namespace cmd::capstan::inspect {

// "2027-01-02T03:04:05Z"; "never" for CertificateTime::max(). Years of more than four digits, and
// before 1970, too.
std::string ExpiryText(controllers::cainjector::CertificateTime time);
// The earliest of all certificates in the bundles; max(): there is none.
controllers::cainjector::CertificateTime EarliestOf(const std::vector<std::string>& bundles);

}  // namespace cmd::capstan::inspect
