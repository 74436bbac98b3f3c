// SPDX-License-Identifier: Apache-2.0
#include "controllers/cainjector/rules/distrust.h"

#include <openssl/sha.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <iterator>
#include <optional>
#include <utility>

namespace capstan::controllers::cainjector {
namespace {

using clientgo::util::Err;
using clientgo::util::ErrorReason;
using clientgo::util::Expected;

std::string DigestOf(const Certificate& certificate) {
  std::array<unsigned char, SHA256_DIGEST_LENGTH> digest{};
  SHA256(reinterpret_cast<const unsigned char*>(certificate.der.data()), certificate.der.size(),
         digest.data());
  return {reinterpret_cast<const char*>(digest.data()), digest.size()};
}

// Returns the bytes of "AB:CD:..." or "abcd...".
std::optional<std::string> ParseDigest(std::string_view text) {
  const bool colons = text.find(':') != std::string_view::npos;
  std::string digest;
  for (std::size_t at = 0; at < text.size(); at += 2) {
    if (colons && at != 0) {
      if (text[at++] != ':') return std::nullopt;
    }
    const std::string_view pair = text.substr(std::min(at, text.size()), 2);
    unsigned byte = 0;
    const auto [end, error] = std::from_chars(pair.data(), pair.data() + pair.size(), byte, 16);
    if (pair.size() != 2 || error != std::errc() || end != pair.data() + 2) return std::nullopt;
    digest += static_cast<char>(byte);
  }
  if (digest.size() != SHA256_DIGEST_LENGTH) return std::nullopt;
  return digest;
}

}  // namespace

Expected<Distrust> Distrust::Parse(const std::vector<std::string>& fingerprints) {
  Distrust distrust;
  for (const std::string& text : fingerprints) {
    auto digest = ParseDigest(text);
    if (!digest) {
      return Err(ErrorReason::kInvalidArgument,
                 "\"" + text + "\" is not a SHA-256 fingerprint; use the 64 hexadecimal digits of " +
                     "`openssl x509 -noout -fingerprint -sha256`");
    }
    distrust.digests_.insert(*std::move(digest));
  }
  return distrust;
}

bool Distrust::Contains(const Certificate& certificate) const {
  return !empty() && digests_.contains(DigestOf(certificate));
}

Certificates Distrust::Without(const Certificates& certificates) const {
  Certificates others;
  std::copy_if(certificates.begin(), certificates.end(), std::back_inserter(others),
               [this](const Certificate& certificate) { return !Contains(certificate); });
  return others;
}

std::string Distrust::Without(std::string_view pem) const {
  if (empty()) return std::string(pem);
  const auto certificates = ParseBundle(pem);
  if (!certificates) return std::string(pem);
  const Certificates others = Without(*certificates);
  return others.size() == certificates->size() ? std::string(pem) : EncodeBundle(others);
}

}  // namespace capstan::controllers::cainjector
