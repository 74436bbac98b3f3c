// SPDX-License-Identifier: Apache-2.0
#include "controllers/cainjector/rules/distrust.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <openssl/sha.h>

#include <array>
#include <cctype>

#include "capstan/testing/certificates.h"

namespace capstan::controllers::cainjector {
namespace {

using ::testing::HasSubstr;

std::string NewCa() { return capstan::testing::MakeCa({.common_name = "ca"})->cert_pem; }

// Returns what `openssl x509 -fingerprint -sha256` prints for the only certificate of `pem`.
std::string FingerprintWithColons(const std::string& pem) {
  const std::string der = ParseBundle(pem)->front().der;
  std::array<unsigned char, SHA256_DIGEST_LENGTH> digest{};
  SHA256(reinterpret_cast<const unsigned char*>(der.data()), der.size(), digest.data());
  std::string text;
  for (const unsigned byte : digest) {
    constexpr char kDigits[] = "0123456789ABCDEF";
    if (!text.empty()) text += ':';
    text += {kDigits[byte >> 4U], kDigits[byte & 0xFU]};
  }
  return text;
}

std::string Plain(std::string fingerprint) {
  std::erase(fingerprint, ':');
  for (char& digit : fingerprint) digit = static_cast<char>(std::tolower(digit));
  return fingerprint;
}

TEST(DistrustTest, RemovesOnlyTheNamedCertificate) {
  const std::string stolen = NewCa();
  const std::string good = NewCa();
  const auto distrust = Distrust::Parse({FingerprintWithColons(stolen)});

  ASSERT_TRUE(distrust.has_value()) << distrust.error().message;
  EXPECT_EQ(distrust->Without(stolen + good), good);
  EXPECT_EQ(distrust->Without(good + stolen + good), good + good);
}

TEST(DistrustTest, AcceptsAFingerprintWithoutColonsInLowerCase) {
  const std::string stolen = NewCa();
  const auto distrust = Distrust::Parse({Plain(FingerprintWithColons(stolen))});

  ASSERT_TRUE(distrust.has_value()) << distrust.error().message;
  EXPECT_EQ(distrust->Without(stolen), "");
}

TEST(DistrustTest, KeepsTextWithoutADistrustedCertificateByteForByte) {
  const auto distrust = Distrust::Parse({FingerprintWithColons(NewCa())});

  ASSERT_TRUE(distrust.has_value()) << distrust.error().message;
  const std::string commented = "# our CA\n" + NewCa();
  EXPECT_EQ(distrust->Without(commented), commented);
  EXPECT_EQ(distrust->Without(std::string_view("no bundle")), "no bundle");
}

TEST(DistrustTest, DistrustsNothingByDefault) {
  const std::string ca = NewCa();

  EXPECT_TRUE(Distrust().empty());
  EXPECT_EQ(Distrust().Without(ca), ca);
}

TEST(DistrustTest, RejectsWhatIsNoFingerprint) {
  const std::string good = FingerprintWithColons(NewCa());
  for (const std::string& text :
       {std::string(), std::string("abc"), good.substr(0, 94), good + ":00", good.substr(1),
        "sha256:" + Plain(good), std::string(64, 'g'), good.substr(0, 3) + Plain(good).substr(2)}) {
    const auto distrust = Distrust::Parse({text});
    ASSERT_FALSE(distrust.has_value()) << text;
    EXPECT_THAT(distrust.error().message, HasSubstr("\"" + text + "\" is not a SHA-256 fingerprint"));
  }
}

}  // namespace
}  // namespace capstan::controllers::cainjector
