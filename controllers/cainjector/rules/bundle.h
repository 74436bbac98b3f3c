// SPDX-License-Identifier: Apache-2.0
// CA bundles: parse PEM text, merge two bundles, encode and describe them. Pure functions. Their
// errors do not quote the input, which may be a private key in the wrong place.
//
// Mirrors cert-manager's pkg/controller/cainjector/bundle.go. Differs on purpose: only CERTIFICATE
// blocks are accepted, and a bundle that cannot be parsed is an error and is never copied.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "capstan/error.h"

namespace capstan::cainjector {

// The limit of cert-manager: 150 certificates of 2200 bytes.
inline constexpr std::size_t kBundleBytesMax = 330'000;
// The limit for the bundle of a target, which may be the union of several sources: that of an
// object in etcd.
inline constexpr std::size_t kTargetBytesMax = std::size_t{1536} * 1024;

// CertificateTime counts whole seconds: nanoseconds cannot hold the year 9999, which means "never".
using CertificateTime = std::chrono::sys_seconds;

struct Certificate {
  std::string der;
  CertificateTime not_after;  // the last second of its validity
};

using Certificates = std::vector<Certificate>;

// Returns the certificates of a source, in their order. Text around the blocks is ignored. A block
// that is no certificate, or cannot be read, is a mistake of the source. The error,
// kInvalidArgument, names it and the cause. No block and too many bytes are errors too. A valid
// certificate that Go cannot read is skipped, unless there is no other one.
Expected<Certificates> ParseBundle(std::string_view pem, std::size_t bytes_max = kBundleBytesMax);

// Returns the certificates that kube-apiserver trusts when a target holds `pem`, in their order.
// Everything else is skipped. Mirrors CertPool.AppendCertsFromPEM of Go's crypto/x509.
Certificates TrustedCertificates(std::string_view pem);

// Returns the certificates that are trusted with `existing`, then those that `source` adds.
// Duplicates (by DER) and certificates that have expired at `now` are removed. Certificates that
// are not valid yet are kept.
Certificates MergeBundles(std::string_view existing, const Certificates& source,
                          CertificateTime now);

// Returns the certificates of `a` that `b` does not have.
Certificates Difference(const Certificates& a, const Certificates& b);
// Returns `pem` itself, unless it has a certificate, which Go may read or not, for which `drop`
// returns true: then the bundle of the other certificates that are trusted, which may be empty.
std::string Without(std::string_view pem, const std::function<bool(const Certificate&)>& drop);

// Returns PEM of 64 columns: CERTIFICATE blocks, each with a newline at its end.
std::string EncodeBundle(const Certificates& certificates);

// Returns when the first certificate expires; CertificateTime::max() when there is none.
CertificateTime EarliestExpiry(const Certificates& certificates);
// BundleExpiry is when bundles expire; CertificateTime::max() when none has a certificate.
struct BundleExpiry {
  CertificateTime first = CertificateTime::max();  // of any certificate, often a replaced CA
  CertificateTime last = CertificateTime::max();   // then some bundle has no valid certificate
};
BundleExpiry ExpiryOf(const std::vector<std::string>& bundles);
inline bool Expired(const Certificate& certificate, CertificateTime now) {
  return now > certificate.not_after;
}
bool AllExpired(const Certificates& certificates, CertificateTime now);

// Returns "2027-01-02T03:04:05Z", or "never" for CertificateTime::max(). Any year is supported: a
// system_clock's nanoseconds end in 2262.
std::string ExpiryText(CertificateTime time);
// Returns the subject as in RFC 2253, "CN=root,O=Example", or "?" for a bad certificate.
std::string SubjectOf(const Certificate& certificate);
// Returns the certificate's SHA-256 as 64 hexadecimal digits in lower case.
std::string Sha256Of(const Certificate& certificate);
// Returns the first 16 digits of it, which fit in a line.
inline std::string FingerprintOf(const Certificate& certificate) {
  return Sha256Of(certificate).substr(0, 16);
}

}  // namespace capstan::cainjector
