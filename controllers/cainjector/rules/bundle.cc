// SPDX-License-Identifier: Apache-2.0
#include "controllers/cainjector/rules/bundle.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <functional>
#include <iterator>
#include <optional>
#include <set>
#include <utility>

#include "capstan/cert/certificate.h"
#include "capstan/cert/pem.h"

namespace capstan::cainjector {
namespace {

// Describes a block without quoting its label, which is the user's text as well.
std::string_view DescribeBlock(const cert::PemBlock& block) {
  return block.IsPrivateKey() ? "a private key" : "not a CERTIFICATE";
}

// Parses a certificate. The error is why Go, and so the API server, cannot read it.
Expected<Certificate> ParseCertificate(std::string_view der) {
  const auto parsed = cert::ParseCertificate(der);
  if (!parsed) return Err(parsed.error());
  return Certificate{.der = std::string(der), .not_after = parsed->not_after};
}

constexpr std::string_view kBroken = "cut off or not valid base64";

tl::unexpected<Error> BadBlock(std::size_t number, std::string_view what) {
  return Err(ErrorReason::kInvalidArgument, "PEM block " + std::to_string(number) + " is " +
                                                std::string(what) +
                                                "; a CA bundle holds CERTIFICATE blocks only");
}

Error Unreadable(std::size_t number, const Error& cause) {
  return {.reason = ErrorReason::kInvalidArgument,
          .message = "PEM block " + std::to_string(number) +
                     " is a certificate that the API server cannot read: " + cause.message};
}

}  // namespace

Expected<Certificates> ParseBundle(std::string_view pem, std::size_t bytes_max) {
  if (pem.size() > bytes_max) {
    return Err(ErrorReason::kInvalidArgument, "the bundle has " + std::to_string(pem.size()) +
                                                  " bytes; at most " + std::to_string(bytes_max) +
                                                  " are accepted");
  }
  Certificates certificates;
  std::optional<Error> unreadable;  // of the first certificate that Go cannot read
  cert::PemReader reader(pem);
  std::size_t number = 1;
  for (; const auto block = reader.Next(); ++number) {
    if (cert::HasBrokenBlock(block->skipped)) return BadBlock(number, kBroken);
    if (block->label != cert::kCertificateBlock) return BadBlock(number, DescribeBlock(*block));
    auto certificate = ParseCertificate(block->bytes);
    if (certificate) {
      certificates.push_back(*std::move(certificate));
    } else if (!cert::SubjectText(block->bytes)) {
      return BadBlock(number, "not a valid X.509 certificate");
    } else if (!unreadable) {
      unreadable = Unreadable(number, certificate.error());
    }
  }
  if (cert::HasBrokenBlock(reader.rest())) return BadBlock(number, kBroken);
  if (!certificates.empty()) return certificates;
  if (unreadable) return tl::unexpected(*std::move(unreadable));
  return Err(ErrorReason::kInvalidArgument, "there is no PEM block; expected CERTIFICATE blocks");
}

Certificates TrustedCertificates(std::string_view pem) {
  Certificates trusted;
  if (pem.size() > kTargetBytesMax) return trusted;
  cert::PemReader reader(pem);
  while (const auto block = reader.Next()) {
    if (block->label != cert::kCertificateBlock || block->has_headers) continue;
    if (auto certificate = ParseCertificate(block->bytes)) {
      trusted.push_back(*std::move(certificate));
    }
  }
  return trusted;
}

Certificates MergeBundles(std::string_view existing, const Certificates& source,
                          CertificateTime now) {
  Certificates merged;
  std::set<std::string_view> seen;  // views into `trusted` and `source`
  const auto take = [&](const Certificates& from) {
    for (const Certificate& certificate : from) {
      if (Expired(certificate, now)) continue;
      if (seen.insert(certificate.der).second) merged.push_back(certificate);
    }
  };
  // A target may hold any text. Only the certificates are kept.
  const Certificates trusted = TrustedCertificates(existing);
  take(trusted);
  take(source);
  return merged;
}

Certificates Difference(const Certificates& a, const Certificates& b) {
  Certificates rest;
  std::copy_if(a.begin(), a.end(), std::back_inserter(rest), [&b](const Certificate& candidate) {
    return std::none_of(b.begin(), b.end(), [&candidate](const Certificate& certificate) {
      return certificate.der == candidate.der;
    });
  });
  return rest;
}

std::string Without(std::string_view pem, const std::function<bool(const Certificate&)>& drop) {
  if (pem.size() > kTargetBytesMax) return std::string(pem);
  Certificates others;
  bool dropped = false;
  cert::PemReader reader(pem);
  while (const auto block = reader.Next()) {
    if (block->label != cert::kCertificateBlock) continue;
    const auto certificate = ParseCertificate(block->bytes);
    // Another version of Go may read what this one does not.
    if (drop(certificate.value_or(Certificate{.der = block->bytes, .not_after = {}}))) {
      dropped = true;
    } else if (certificate && !block->has_headers) {
      others.push_back(*certificate);
    }
  }
  return dropped ? EncodeBundle(others) : std::string(pem);
}

std::string EncodeBundle(const Certificates& certificates) {
  std::string text;
  for (const Certificate& certificate : certificates) {
    text += cert::EncodePem(cert::kCertificateBlock, certificate.der);
  }
  return text;
}

CertificateTime EarliestExpiry(const Certificates& certificates) {
  CertificateTime earliest = CertificateTime::max();
  for (const Certificate& certificate : certificates) {
    earliest = std::min(earliest, certificate.not_after);
  }
  return earliest;
}

BundleExpiry ExpiryOf(const std::vector<std::string>& bundles) {
  BundleExpiry expiry;
  for (const std::string& bundle : bundles) {
    const Certificates certificates = TrustedCertificates(bundle);
    const auto [first, last] =
        std::minmax_element(certificates.begin(), certificates.end(),
                            [](const auto& a, const auto& b) { return a.not_after < b.not_after; });
    if (first == certificates.end()) continue;
    expiry.first = std::min(expiry.first, first->not_after);
    expiry.last = std::min(expiry.last, last->not_after);
  }
  return expiry;
}

bool AllExpired(const Certificates& certificates, CertificateTime now) {
  return std::all_of(certificates.begin(), certificates.end(),
                     [&](const Certificate& certificate) { return Expired(certificate, now); });
}

std::string ExpiryText(CertificateTime time) {
  if (time == CertificateTime::max()) return "never";
  const auto day = std::chrono::floor<std::chrono::days>(time);
  const std::chrono::year_month_day date(day);
  const std::chrono::hh_mm_ss clock(time - day);
  char text[64];
  const int size = std::snprintf(
      text, sizeof text, "%04d-%02u-%02uT%02d:%02d:%02dZ", static_cast<int>(date.year()),
      static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()),
      static_cast<int>(clock.hours().count()), static_cast<int>(clock.minutes().count()),
      static_cast<int>(clock.seconds().count()));
  return {text, static_cast<std::size_t>(size)};
}

std::string SubjectOf(const Certificate& certificate) {
  return cert::SubjectText(certificate.der).value_or("?");
}

std::string Sha256Of(const Certificate& certificate) { return cert::Sha256(certificate.der); }

}  // namespace capstan::cainjector
