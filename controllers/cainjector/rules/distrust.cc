// SPDX-License-Identifier: Apache-2.0
#include "controllers/cainjector/rules/distrust.h"

#include <algorithm>
#include <cctype>
#include <iterator>
#include <optional>
#include <utility>

namespace capstan::cainjector {
namespace {

// Returns the 64 digits of "AB:CD:..." or "abcd..." in lower case.
std::optional<std::string> ParseDigest(std::string_view text) {
  constexpr std::size_t kDigits = 64;
  const bool colons = text.size() == kDigits + kDigits / 2 - 1;
  if (!colons && text.size() != kDigits) return std::nullopt;
  std::string digest;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool separates = colons && i % 3 == 2;
    const auto byte = static_cast<unsigned char>(text[i]);
    if (separates ? byte != ':' : std::isxdigit(byte) == 0) return std::nullopt;
    if (!separates) digest += static_cast<char>(std::tolower(byte));
  }
  return digest;
}

}  // namespace

Expected<Distrust> Distrust::Parse(const std::vector<std::string>& fingerprints) {
  Distrust distrust;
  for (const std::string& text : fingerprints) {
    auto digest = ParseDigest(text);
    if (!digest) {
      return Err(ErrorReason::kInvalidArgument,
                 "\"" + text +
                     "\" is not a SHA-256 fingerprint; use the 64 hexadecimal digits of " +
                     "`openssl x509 -noout -fingerprint -sha256`");
    }
    distrust.digests_.insert(*std::move(digest));
  }
  return distrust;
}

bool Distrust::Contains(const Certificate& certificate) const {
  return !empty() && digests_.contains(Sha256Of(certificate));
}

Certificates Distrust::Without(const Certificates& certificates) const {
  Certificates others;
  std::copy_if(certificates.begin(), certificates.end(), std::back_inserter(others),
               [this](const Certificate& certificate) { return !Contains(certificate); });
  return others;
}

std::string Distrust::Without(std::string_view pem) const {
  if (empty()) return std::string(pem);
  return cainjector::Without(
      pem, [this](const Certificate& certificate) { return Contains(certificate); });
}

}  // namespace capstan::cainjector
