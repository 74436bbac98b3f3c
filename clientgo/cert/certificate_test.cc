// SPDX-License-Identifier: Apache-2.0
#include "capstan/cert/certificate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "capstan/cert/pem.h"
#include "capstan/testing/certificates.h"
#include "clientgo/cert/testing/unreadable_certificates.h"

namespace capstan::cert {
namespace {

using ::testing::ElementsAre;
using namespace std::string_view_literals;

std::string DerOf(std::string_view pem) {
  PemReader reader(pem);
  return reader.Next()->bytes;
}

// Returns the error for a certificate, or "".
std::string ErrorOf(const std::string& der) {
  const auto parsed = ParseCertificate(der);
  return parsed ? "" : parsed.error().message;
}

// Returns `der` with the bytes `from` replaced by as many bytes `to`.
std::string Replace(std::string der, std::string_view from, std::string_view to) {
  const std::size_t at = der.find(from);
  EXPECT_NE(at, std::string::npos);
  return der.replace(at, from.size(), to);
}

class CertificateTest : public ::testing::Test {
 protected:
  const testing::KeyPair ca_ = *testing::MakeCa({.common_name = "root"});
  const std::string der_ = DerOf(ca_.cert_pem);
};

TEST_F(CertificateTest, ReadsACa) {
  const auto ca = ParseCertificate(der_);

  ASSERT_TRUE(ca.has_value()) << ca.error().message;
  EXPECT_EQ(ca->version, 3);
  EXPECT_TRUE(ca->is_ca);
  EXPECT_EQ(ca->subject, ca->issuer);
  EXPECT_EQ(ca->public_key_kind, PublicKeyKind::kEcdsa);
  EXPECT_EQ(ca->not_after - ca->not_before, std::chrono::hours(24) + std::chrono::minutes(5));
  EXPECT_EQ(ca->critical_extension, "");
}

TEST_F(CertificateTest, WritesTheSubjectAsRfc2253) {
  const std::string cut = der_.substr(0, der_.size() - 1);

  EXPECT_EQ(SubjectText(der_), "CN=root");
  EXPECT_EQ(SubjectText(cut), std::nullopt);
  EXPECT_EQ(SubjectText(der_ + "x"), std::nullopt);
}

TEST(Sha256Test, HasTheDigestOfFips180) {
  EXPECT_EQ(Sha256("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

TEST_F(CertificateTest, ReadsTheNamesOfAServer) {
  const auto pair = *testing::MakeCertificate(
      ca_, {.common_name = "x", .dns_names = {"a.svc", "*.b"}, .ip_addresses = {"10.0.0.1"}});
  const std::string der = DerOf(pair.cert_pem);

  const auto leaf = ParseCertificate(der);

  ASSERT_TRUE(leaf.has_value()) << leaf.error().message;
  EXPECT_THAT(leaf->dns_names, ElementsAre("a.svc", "*.b"));
  EXPECT_THAT(leaf->ip_addresses, ElementsAre("\x0a\x00\x00\x01"sv));
  EXPECT_TRUE(leaf->for_servers);
  EXPECT_FALSE(leaf->is_ca);
}

TEST(UnreadableCertificateTest, HasTheReasonThatGoReports) {
  EXPECT_EQ(ErrorOf(DerOf(kBrainpoolCa)), "unsupported elliptic curve");
  EXPECT_EQ(ErrorOf(DerOf(kSecp256k1Ca)), "unsupported elliptic curve");
  EXPECT_EQ(ErrorOf(DerOf(kExplicitCurveCa)), "invalid ECDSA parameters");
  EXPECT_EQ(ErrorOf(DerOf(kNegativeSerialCa)), "negative serial number");
}

TEST_F(CertificateTest, RejectsDamagedCertificates) {
  EXPECT_EQ(ErrorOf(""), "malformed certificate");
  EXPECT_EQ(ErrorOf(std::string(100, '\0')), "malformed certificate");
  EXPECT_EQ(ErrorOf(der_.substr(0, der_.size() - 1)), "malformed certificate");
  EXPECT_EQ(ErrorOf(der_ + '\0'), "trailing data");
  EXPECT_EQ(ErrorOf(Replace(der_, "\xa0\x03\x02\x01\x02"sv, "\xa0\x03\x02\x01\x03"sv)),
            "invalid version");
  // The point of the public key is on no curve.
  std::string moved = der_;
  const std::string_view point_of_p256 = "\x03\x42\x00\x04"sv;
  moved[moved.find(point_of_p256) + 20] ^= 1;
  EXPECT_EQ(ErrorOf(moved), "invalid ECDSA public key");
  // keyUsage becomes a second basicConstraints.
  EXPECT_EQ(ErrorOf(Replace(der_, "\x55\x1d\x0f"sv, "\x55\x1d\x13"sv)), "duplicate extension");
}

TEST_F(CertificateTest, RejectsDatesThatDoNotExist) {
  const auto with_date = [&](std::string_view date) {
    std::string der = der_;
    const std::size_t at = der.find("\x17\x0d"sv) + 2;
    return der.replace(at, date.size(), date);
  };

  EXPECT_EQ(ErrorOf(with_date("240229")), "");
  EXPECT_EQ(ErrorOf(with_date("500101")), "");
  for (const std::string_view date : {"230229", "231301", "230100", "2301x1", "230132"}) {
    EXPECT_EQ(ErrorOf(with_date(date)), "malformed time of validity") << date;
  }
}

TEST_F(CertificateTest, NeverReadsOutsideOfAMutatedCertificate) {
  for (std::size_t i = 0; i < der_.size(); ++i) {
    for (const int change : {1, 0x80, 0xff}) {
      std::string der = der_;
      der[i] = static_cast<char>(der[i] ^ change);
      const auto parsed = ParseCertificate(der);
      EXPECT_TRUE(!parsed || parsed->tbs.size() < der.size());
    }
  }
}

}  // namespace
}  // namespace capstan::cert
