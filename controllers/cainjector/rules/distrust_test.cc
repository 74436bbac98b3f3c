// SPDX-License-Identifier: Apache-2.0
#include "controllers/cainjector/rules/distrust.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cctype>

#include "capstan/cert/pem.h"
#include "capstan/testing/certificates.h"
#include "clientgo/cert/testing/unreadable_certificates.h"

namespace capstan::cainjector {
namespace {

using ::testing::HasSubstr;

std::string NewCaPem() { return testing::MakeCa({.common_name = "ca"})->cert_pem; }

std::string Plain(const std::string& pem) { return Sha256Of(ParseBundle(pem)->front()); }

// Returns what `openssl x509 -fingerprint -sha256` prints for the only certificate of `pem`.
std::string FingerprintWithColons(const std::string& pem) {
  std::string text;
  for (const char digit : Plain(pem)) {
    if (text.size() % 3 == 2) text += ':';
    text += static_cast<char>(std::toupper(static_cast<unsigned char>(digit)));
  }
  return text;
}

TEST(DistrustTest, RemovesOnlyTheNamedCertificate) {
  const std::string stolen = NewCaPem();
  const std::string good = NewCaPem();
  const auto distrust = Distrust::Parse({FingerprintWithColons(stolen)});

  ASSERT_TRUE(distrust.has_value()) << distrust.error().message;
  EXPECT_EQ(distrust->Without(stolen + good), good);
  EXPECT_EQ(distrust->Without(good + stolen + good), good + good);
}

TEST(DistrustTest, AcceptsAFingerprintWithoutColonsInLowerCase) {
  const std::string stolen = NewCaPem();
  const auto distrust = Distrust::Parse({Plain(stolen)});

  ASSERT_TRUE(distrust.has_value()) << distrust.error().message;
  EXPECT_EQ(distrust->Without(stolen), "");
}

TEST(DistrustTest, KeepsTextWithoutADistrustedCertificateByteForByte) {
  const auto distrust = Distrust::Parse({FingerprintWithColons(NewCaPem())});

  ASSERT_TRUE(distrust.has_value()) << distrust.error().message;
  const std::string commented = "# our CA\n" + NewCaPem();
  EXPECT_EQ(distrust->Without(commented), commented);
  EXPECT_EQ(distrust->Without(std::string_view("no bundle")), "no bundle");
}

TEST(DistrustTest, RemovesACertificateBesideABlockThatCannotBeRead) {
  const std::string stolen = NewCaPem();
  const std::string good = NewCaPem();
  const auto distrust = Distrust::Parse({Plain(stolen)});
  ASSERT_TRUE(distrust.has_value()) << distrust.error().message;

  EXPECT_EQ(distrust->Without(stolen + good.substr(0, good.size() / 2)), "");
  EXPECT_EQ(
      distrust->Without(good + "-----BEGIN X509 CRL-----\nMAA=\n-----END X509 CRL-----\n" + stolen),
      good);
}

// An API server that is built with an older version of Go reads it.
TEST(DistrustTest, RemovesACertificateThatGoCannotRead) {
  const std::string stolen(cert::kNegativeSerialCa);
  const std::string good = NewCaPem();
  cert::PemReader reader(stolen);
  const auto distrust = Distrust::Parse({Sha256Of({.der = reader.Next()->bytes, .not_after = {}})});
  ASSERT_TRUE(distrust.has_value()) << distrust.error().message;

  EXPECT_EQ(distrust->Without(good + stolen), good);
}

TEST(DistrustTest, RemovesACertificateFromABundleOfSeveralSources) {
  const std::string stolen = NewCaPem();
  const std::string padding(kBundleBytesMax, '\n');  // more than one source may have
  const auto distrust = Distrust::Parse({FingerprintWithColons(stolen)});

  EXPECT_EQ(distrust->Without(NewCaPem() + padding + stolen).find(stolen), std::string::npos);
}

TEST(DistrustTest, DistrustsNothingByDefault) {
  const std::string ca = NewCaPem();

  EXPECT_TRUE(Distrust().empty());
  EXPECT_EQ(Distrust().Without(ca), ca);
}

TEST(DistrustTest, RejectsWhatIsNoFingerprint) {
  const std::string ca = NewCaPem();
  const std::string good = FingerprintWithColons(ca);
  for (const std::string& text :
       {std::string(), std::string("abc"), good.substr(0, 94), good + ":00", good.substr(1),
        "sha256:" + Plain(ca), std::string(64, 'g'), good.substr(0, 3) + Plain(ca).substr(2)}) {
    const auto distrust = Distrust::Parse({text});
    ASSERT_FALSE(distrust.has_value()) << text;
    EXPECT_THAT(distrust.error().message,
                HasSubstr("\"" + text + "\" is not a SHA-256 fingerprint"));
  }
}

}  // namespace
}  // namespace capstan::cainjector
