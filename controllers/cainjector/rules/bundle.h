// SPDX-License-Identifier: Apache-2.0
// CA bundles: PEM text to certificates, two bundles to one, and back. Pure functions; they do no
// I/O, and no error text of theirs quotes the input, which may be a private key in the wrong place.
//
// Mirrors cert-manager's pkg/controller/cainjector/bundle.go. Differs on purpose: only CERTIFICATE
// blocks are accepted, and a bundle that cannot be parsed is an error, never copied on as it is.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "clientgo/util/error.h"

namespace controllers::cainjector {

// Upstream's bound: 150 certificates of 2200 bytes.
inline constexpr std::size_t kBundleBytesMax = 330'000;

// Whole seconds, since "no expiry" is written as the year 9999, which nanoseconds cannot hold.
using CertificateTime = std::chrono::sys_seconds;

struct Certificate {
  std::string der;
  CertificateTime not_after;  // the last second of its validity
};

using Certificates = std::vector<Certificate>;

// The certificates of `pem` in their order. Text around the blocks is ignored. kInvalidArgument
// says which block is wrong and why; also when there is no block at all, or too many bytes.
clientgo::util::Expected<Certificates> ParseBundle(std::string_view pem);

// Nothing but white space is outside of the PEM blocks of `pem`, which ParseBundle accepts.
bool IsOnlyPem(std::string_view pem);

// `existing` (if it can be parsed), then what `source` adds, in order, without duplicates (by DER)
// and without what has expired at `now`. Certificates that are not valid yet are kept.
Certificates MergeBundles(std::string_view existing, const Certificates& source,
                          CertificateTime now);

// PEM of 64 columns, CERTIFICATE blocks only, each with a newline at its end.
std::string EncodeBundle(const Certificates& certificates);

// When the first of them expires; CertificateTime::max() when there is none.
CertificateTime EarliestExpiry(const Certificates& certificates);
// When bundles end; CertificateTime::max() when none of them is one.
struct BundleExpiry {
  CertificateTime first = CertificateTime::max();  // of a certificate: a replaced CA's, often
  CertificateTime last = CertificateTime::max();   // from then on some bundle has no valid one
};
BundleExpiry ExpiryOf(const std::vector<std::string>& bundles);
inline bool Expired(const Certificate& certificate, CertificateTime now) {
  return now > certificate.not_after;
}

}  // namespace controllers::cainjector
