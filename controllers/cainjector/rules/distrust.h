// SPDX-License-Identifier: Apache-2.0
// Distrust holds the fingerprints of certificates that no target may trust. It is for a CA that
// must go at once, such as one whose key was stolen. It wins over every source and over the content
// of a target. Immutable, thread-safe. Has no upstream.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "capstan/error.h"
#include "controllers/cainjector/rules/bundle.h"

namespace capstan::cainjector {

class Distrust {
 public:
  Distrust() = default;  // distrusts nothing
  // Each fingerprint is the SHA-256 of a DER, 64 hexadecimal digits in either case, with or without
  // colons, as `openssl x509 -fingerprint -sha256` prints it. The error, kInvalidArgument, quotes
  // the text that is no fingerprint.
  static Expected<Distrust> Parse(const std::vector<std::string>& fingerprints);

  bool empty() const { return digests_.empty(); }
  bool Contains(const Certificate& certificate) const;
  // Returns the other certificates, in their order.
  Certificates Without(const Certificates& certificates) const;
  // Returns `pem` itself, unless it is a bundle with a distrusted certificate: then the bundle of
  // the others, which may be empty.
  std::string Without(std::string_view pem) const;

 private:
  std::set<std::string, std::less<>> digests_;  // as of Sha256Of
};

}  // namespace capstan::cainjector
