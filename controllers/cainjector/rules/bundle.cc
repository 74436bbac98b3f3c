// SPDX-License-Identifier: Apache-2.0
#include "controllers/cainjector/rules/bundle.h"

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/sha.h>
#include <openssl/x509.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <ctime>
#include <functional>
#include <iterator>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <utility>

#include "capstan/clientgo/cert/pem.h"
#include "capstan/clientgo/util/mutex.h"

namespace capstan::controllers::cainjector {
namespace {

using clientgo::cert::HasBrokenBlock;
using clientgo::cert::kCertificateBlock;
using clientgo::cert::PemBlock;
using clientgo::cert::PemReader;
using clientgo::util::Err;
using clientgo::util::ErrorReason;
using clientgo::util::Expected;
using clientgo::util::MutexLock;

template <auto Free>
struct Deleter {
  template <class T>
  void operator()(T* pointer) const {
    Free(pointer);
  }
};
using BioPtr = std::unique_ptr<BIO, Deleter<BIO_free>>;
using X509Ptr = std::unique_ptr<X509, Deleter<X509_free>>;

// Describes a block without quoting its label, which is the user's text as well.
std::string_view DescribeBlock(const PemBlock& block) {
  return block.IsPrivateKey() ? "a private key" : "not a CERTIFICATE";
}

// KnownCertificates caches the expiry of parsed certificates. OpenSSL takes half a millisecond to
// parse one, mostly for an unused public key, and many targets hold the same few. The whole DER is
// compared. Thread-safe.
class KnownCertificates {
 public:
  std::optional<CertificateTime> NotAfter(std::string_view der) const {
    const MutexLock lock(mu_);
    const auto found = not_after_.find(der);
    if (found == not_after_.end()) return std::nullopt;
    return found->second;
  }
  void Add(const Certificate& certificate) {
    if (certificate.der.size() > kKnownBytesMax) return;
    const MutexLock lock(mu_);
    if (bytes_ + certificate.der.size() > kKnownBytesMax) {
      not_after_.clear();  // those in use are added again soon
      bytes_ = 0;
    }
    if (not_after_.emplace(certificate.der, certificate.not_after).second) {
      bytes_ += certificate.der.size();
    }
  }

 private:
  // The public CAs of a system are 150 KiB.
  static constexpr std::size_t kKnownBytesMax = std::size_t{512} * 1024;

  mutable clientgo::util::Mutex mu_;
  std::map<std::string, CertificateTime, std::less<>> not_after_ CAPSTAN_GUARDED_BY(mu_);
  std::size_t bytes_ CAPSTAN_GUARDED_BY(mu_) = 0;
};

std::optional<Certificate> ParseCertificate(std::string_view text) {
  static KnownCertificates known;
  if (const auto not_after = known.NotAfter(text)) {
    return Certificate{.der = std::string(text), .not_after = *not_after};
  }
  const auto* const der = reinterpret_cast<const unsigned char*>(text.data());
  const auto* end = der;
  const auto size = static_cast<long>(text.size());  // NOLINT(google-runtime-int): OpenSSL's type
  const X509Ptr x509(d2i_X509(nullptr, &end, size));
  ERR_clear_error();
  if (x509 == nullptr || end != der + size) return std::nullopt;
  std::tm expiry{};
  if (ASN1_TIME_to_tm(X509_get0_notAfter(x509.get()), &expiry) != 1) return std::nullopt;
  Certificate certificate{.der = std::string(text),
                          .not_after = CertificateTime(std::chrono::seconds(timegm(&expiry)))};
  known.Add(certificate);
  return certificate;
}

constexpr std::string_view kBroken = "cut off or not valid base64";

tl::unexpected<clientgo::util::Error> BadBlock(std::size_t number, std::string_view what) {
  return Err(ErrorReason::kInvalidArgument, "PEM block " + std::to_string(number) + " is " +
                                                std::string(what) +
                                                "; a CA bundle holds CERTIFICATE blocks only");
}

}  // namespace

Expected<Certificates> ParseBundle(std::string_view pem, std::size_t bytes_max) {
  if (pem.size() > bytes_max) {
    return Err(ErrorReason::kInvalidArgument, "the bundle has " + std::to_string(pem.size()) +
                                                  " bytes; at most " + std::to_string(bytes_max) +
                                                  " are accepted");
  }
  Certificates certificates;
  PemReader reader(pem);
  while (const auto block = reader.Next()) {
    const std::size_t number = certificates.size() + 1;
    if (HasBrokenBlock(block->skipped)) return BadBlock(number, kBroken);
    if (block->label != kCertificateBlock) return BadBlock(number, DescribeBlock(*block));
    auto certificate = ParseCertificate(block->bytes);
    if (!certificate) return BadBlock(number, "not a valid X.509 certificate");
    certificates.push_back(*std::move(certificate));
  }
  if (HasBrokenBlock(reader.rest())) return BadBlock(certificates.size() + 1, kBroken);
  if (certificates.empty()) {
    return Err(ErrorReason::kInvalidArgument, "there is no PEM block; expected CERTIFICATE blocks");
  }
  return certificates;
}

Certificates TrustedCertificates(std::string_view pem) {
  Certificates trusted;
  if (pem.size() > kTargetBytesMax) return trusted;
  PemReader reader(pem);
  while (const auto block = reader.Next()) {
    if (block->label != kCertificateBlock || block->has_headers) continue;
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
  Certificates certificates = TrustedCertificates(pem);
  if (std::erase_if(certificates, drop) == 0) return std::string(pem);
  return EncodeBundle(certificates);
}

std::string EncodeBundle(const Certificates& certificates) {
  std::string text;
  for (const Certificate& certificate : certificates) {
    text += clientgo::cert::EncodePem(kCertificateBlock, certificate.der);
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
  const auto* der = reinterpret_cast<const unsigned char*>(certificate.der.data());
  const X509Ptr parsed(d2i_X509(nullptr, &der, static_cast<int>(certificate.der.size())));
  const BioPtr out(BIO_new(BIO_s_mem()));
  if (parsed == nullptr || out == nullptr ||
      X509_NAME_print_ex(out.get(), X509_get_subject_name(parsed.get()), 0, XN_FLAG_RFC2253) < 0) {
    return "?";
  }
  std::array<char, 256> text{};  // longer subjects are cut
  const int size = BIO_read(out.get(), text.data(), static_cast<int>(text.size()));
  return size > 0 ? std::string(text.data(), static_cast<std::size_t>(size)) : std::string("?");
}

std::string Sha256Of(const Certificate& certificate) {
  std::array<unsigned char, SHA256_DIGEST_LENGTH> digest{};
  SHA256(reinterpret_cast<const unsigned char*>(certificate.der.data()), certificate.der.size(),
         digest.data());
  constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  for (const unsigned byte : digest) text += {kDigits[byte >> 4U], kDigits[byte & 0xFU]};
  return text;
}

}  // namespace capstan::controllers::cainjector
