// SPDX-License-Identifier: Apache-2.0
#include "controllers/cainjector/rules/bundle.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>

#include "capstan/testing/certificates.h"
#include "clientgo/cert/testing/unreadable_certificates.h"

namespace capstan::cainjector {
namespace {

using std::chrono::hours;
using std::chrono::seconds;
using ::testing::HasSubstr;
using ::testing::Not;

CertificateTime Now() {
  return std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now());
}

testing::KeyPair NewCa(const std::string& name = "ca", std::chrono::seconds not_after = hours(24)) {
  return *testing::MakeCa({.common_name = name, .not_after = not_after});
}
std::string NewCertificate(std::chrono::seconds not_after = hours(24)) {
  return NewCa("ca", not_after).cert_pem;
}

std::string Merge(std::string_view existing, std::string_view source) {
  const auto parsed = ParseBundle(source);
  EXPECT_TRUE(parsed.has_value()) << parsed.error().message;
  return EncodeBundle(MergeBundles(existing, *parsed, Now()));
}

std::string ParseError(std::string_view pem) {
  const auto parsed = ParseBundle(pem);
  if (parsed.has_value()) return "no error";
  EXPECT_EQ(parsed.error().reason, ErrorReason::kInvalidArgument);
  return parsed.error().message;
}

TEST(MergeBundlesTest, AddsToAnEmptyBundle) {
  const std::string ca = NewCertificate();

  EXPECT_EQ(Merge("", ca), ca);
}

TEST(MergeBundlesTest, AppendsNewCertificatesToOldOnes) {
  const std::string old_ca = NewCertificate();
  const std::string new_ca = NewCertificate();

  EXPECT_EQ(Merge(old_ca, new_ca), old_ca + new_ca);
}

TEST(MergeBundlesTest, ReturnsTheSameBundleForItsOwnResult) {
  const std::string old_ca = NewCertificate();
  const std::string new_ca = NewCertificate();
  const std::string once = Merge(old_ca, new_ca);

  EXPECT_EQ(Merge(once, new_ca), once);
}

TEST(MergeBundlesTest, DropsExpiredCertificatesOfBothSides) {
  const std::string expired_old = NewCertificate(hours(-1));
  const std::string expired_new = NewCertificate(hours(-2));
  const std::string good_old = NewCertificate();
  const std::string good_new = NewCertificate();

  EXPECT_EQ(Merge(expired_old + good_old, expired_new + good_new), good_old + good_new);
}

TEST(MergeBundlesTest, IsEmptyWhenEverythingHasExpired) {
  EXPECT_EQ(Merge(NewCertificate(hours(-1)), NewCertificate(hours(-1))), "");
}

TEST(MergeBundlesTest, DropsDuplicates) {
  const std::string a = NewCertificate();
  const std::string b = NewCertificate();

  EXPECT_EQ(Merge(a + a, a + b + b), a + b);
}

TEST(MergeBundlesTest, KeepsCertificatesThatAreNotValidYet) {
  const auto future =
      testing::MakeCa({.common_name = "future", .not_before = hours(24), .not_after = hours(48)});

  EXPECT_EQ(Merge("", future->cert_pem), future->cert_pem);
}

TEST(MergeBundlesTest, ReplacesTextThatIsNotABundle) {
  const std::string ca = NewCertificate();

  EXPECT_EQ(Merge("garbage", ca), ca);
  EXPECT_EQ(Merge(NewCa().key_pem, ca), ca);
  EXPECT_EQ(Merge(std::string(kBundleBytesMax + 1, 'x'), ca), ca);
}

// The bundle of several sources may be larger than one source.
TEST(MergeBundlesTest, KeepsTheCertificatesOfALargeTarget) {
  const std::string old = NewCertificate();
  const std::string ca = NewCertificate();
  const std::string large = std::string(kBundleBytesMax, '#') + "\n" + old;

  EXPECT_EQ(Merge(large, ca), old + ca);
  EXPECT_NE(ExpiryOf({large}).first, CertificateTime::max());
  EXPECT_EQ(Merge(std::string(kTargetBytesMax, '#') + "\n" + old, ca), ca);
}

// Every text is one from which kube-apiserver reads the old CA.
TEST(MergeBundlesTest, KeepsTheOldCaOfAnyTextThatTheApiServerReads) {
  const std::string old_ca = NewCertificate();
  const std::string new_ca = NewCertificate();
  const auto blank_line_at = [&](std::size_t at) {
    return old_ca.substr(0, at) + "\n" + old_ca.substr(at);
  };
  const std::string begin = "-----BEGIN CERTIFICATE-----\n";
  for (const std::string& existing : std::vector<std::string>{
           blank_line_at(old_ca.find("-----END")),
           blank_line_at(begin.size()),
           blank_line_at(begin.size() + 65),
           begin + "  " + old_ca.substr(begin.size()),
           old_ca + "-----BEGIN X509 CRL-----\nMAA=\n-----END X509 CRL-----\n",
           "-----BEGIN EC PARAMETERS-----\nBggqhkjOPQMBBw==\n-----END EC PARAMETERS-----\n" +
               old_ca,
           old_ca + new_ca.substr(0, new_ca.size() / 2),
           new_ca.substr(0, new_ca.size() / 2) + "\n" + old_ca,
           begin + "%\n-----END CERTIFICATE-----\n" + old_ca,
           begin + "AAAA\n-----END CERTIFICATE-----\n" + old_ca,
           NewCa().key_pem + old_ca,
           begin + old_ca,
           old_ca.substr(0, old_ca.size() - 1),
       }) {
    EXPECT_EQ(Merge(existing, new_ca), old_ca + new_ca) << existing;
    EXPECT_NE(ExpiryOf({existing}).first, CertificateTime::max()) << existing;
  }
}

TEST(MergeBundlesTest, NeverCopiesAPrivateKey) {
  const testing::KeyPair ca = NewCa();

  EXPECT_EQ(Merge(ca.key_pem + ca.cert_pem, ca.cert_pem), ca.cert_pem);
}

TEST(MergeBundlesTest, WritesCanonicalPem) {
  const std::string ca = NewCertificate();
  std::string with_crlf;
  for (const char c : ca) with_crlf += c == '\n' ? std::string("\r\n") : std::string(1, c);
  const std::string one_line = [&] {
    const std::size_t begin = ca.find('\n') + 1;
    const std::size_t end = ca.find("-----END");
    std::string body = ca.substr(begin, end - begin);
    std::erase(body, '\n');
    return ca.substr(0, begin) + body + "\n" + ca.substr(end);
  }();

  EXPECT_EQ(Merge("# the CA of team x\n" + ca + "trailing text\n", ca), ca);
  EXPECT_EQ(Merge("", "subject=CN = ca\n" + with_crlf), ca);
  EXPECT_EQ(Merge("", one_line), ca);
}

TEST(ParseBundleTest, KeepsTheOrderOfManyCertificates) {
  const std::string a = NewCertificate();
  const std::string b = NewCertificate();

  const auto parsed = ParseBundle(b + "\n\ncomment\n" + a);

  ASSERT_TRUE(parsed.has_value()) << parsed.error().message;
  EXPECT_EQ(EncodeBundle(*parsed), b + a);
}

TEST(ParseBundleTest, ReadsBlankLinesAndSpacesInsideABlock) {
  const std::string ca = NewCertificate();
  const std::size_t end = ca.find("-----END");

  const auto parsed = ParseBundle(ca.substr(0, end) + " \t\n\n" + ca.substr(end));

  ASSERT_TRUE(parsed.has_value()) << parsed.error().message;
  EXPECT_EQ(EncodeBundle(*parsed), ca);
}

TEST(ParseBundleTest, RejectsACertificateThatTheApiServerCannotRead) {
  const std::string why = "PEM block 1 is a certificate that the API server cannot read: ";

  EXPECT_EQ(ParseError(cert::kBrainpoolCa), why + "unsupported elliptic curve");
  EXPECT_EQ(ParseError(cert::kSecp256k1Ca), why + "unsupported elliptic curve");
  EXPECT_EQ(ParseError(cert::kExplicitCurveCa), why + "invalid ECDSA parameters");
  EXPECT_EQ(ParseError(cert::kNegativeSerialCa), why + "negative serial number");
}

TEST(ParseBundleTest, SkipsACertificateThatTheApiServerCannotReadBesideOthers) {
  const std::string ca = NewCertificate();

  const auto parsed = ParseBundle(std::string(cert::kBrainpoolCa) + ca);

  ASSERT_TRUE(parsed.has_value()) << parsed.error().message;
  EXPECT_EQ(EncodeBundle(*parsed), ca);
  EXPECT_EQ(Merge(std::string(cert::kNegativeSerialCa), ca), ca);
}

TEST(ParseBundleTest, RejectsAPrivateKeyWithoutQuotingIt) {
  const testing::KeyPair ca = NewCa();

  const std::string error = ParseError(ca.cert_pem + ca.key_pem);

  EXPECT_EQ(error, "PEM block 2 is a private key; a CA bundle holds CERTIFICATE blocks only");
}

TEST(ParseBundleTest, NamesTheInvalidBlock) {
  const std::string ca = NewCertificate();
  const std::string cut = ca.substr(0, ca.size() / 2);
  const std::string not_x509 = "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n";
  std::string broken = ca;
  broken[60] = '*';

  EXPECT_THAT(ParseError(not_x509), HasSubstr("block 1 is not a valid X.509 certificate"));
  EXPECT_THAT(ParseError(ca + not_x509), HasSubstr("block 2 is not a valid X.509 certificate"));
  EXPECT_THAT(ParseError(ca + cut), HasSubstr("block 2 is cut off"));
  EXPECT_THAT(ParseError(broken), HasSubstr("block 1 is cut off or not valid base64"));
  EXPECT_THAT(ParseError("-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----\n"),
              HasSubstr("block 1 is not a CERTIFICATE"));
}

TEST(ParseBundleTest, NeverQuotesAFabricatedLabel) {
  EXPECT_THAT(ParseError("-----BEGIN hunter2-----\nAAAA\n-----END hunter2-----\n"),
              Not(HasSubstr("hunter2")));
}

TEST(ParseBundleTest, RejectsBytesAfterTheCertificateInABlock) {
  auto parsed = ParseBundle(NewCertificate());
  ASSERT_TRUE(parsed.has_value());
  parsed->front().der += '\0';

  EXPECT_THAT(ParseError(EncodeBundle(*parsed)), HasSubstr("not a valid X.509 certificate"));
}

TEST(ParseBundleTest, RejectsTextWithoutABlock) {
  EXPECT_THAT(ParseError(""), HasSubstr("no PEM block"));
  EXPECT_THAT(ParseError("hello"), HasSubstr("no PEM block"));
  EXPECT_THAT(ParseError(std::string(100, '\0')), HasSubstr("no PEM block"));
}

TEST(ParseBundleTest, ReturnsTheSameResultForKnownCertificates) {
  const std::string good = NewCa("seen").cert_pem;
  const std::string cut = good.substr(0, good.size() / 2);
  const auto first = ParseBundle(good);
  ASSERT_TRUE(first.has_value());

  EXPECT_EQ(ParseBundle(good + good)->size(), 2U);
  EXPECT_EQ(ParseBundle(good)->front().der, first->front().der);
  EXPECT_EQ(ParseBundle(good)->front().not_after, first->front().not_after);
  EXPECT_FALSE(ParseBundle(cut).has_value());
  EXPECT_FALSE(ParseBundle(cut).has_value());
}

TEST(ParseBundleTest, RejectsTooManyBytes) {
  const std::string ca = NewCertificate();
  const std::string most = std::string(kBundleBytesMax - ca.size() - 1, '#') + "\n" + ca;

  EXPECT_TRUE(ParseBundle(most).has_value());
  EXPECT_THAT(ParseError("#" + most), HasSubstr("330001 bytes; at most 330000"));
}

TEST(ParseBundleTest, ParsesTheYear9999) {
  using std::chrono::sys_days;
  using std::chrono::year;
  const CertificateTime never = sys_days(year(9999) / 12 / 31) + hours(23);
  const std::string ca = NewCertificate(never - Now());

  const auto parsed = ParseBundle(ca);

  ASSERT_TRUE(parsed.has_value()) << parsed.error().message;
  EXPECT_GT(parsed->front().not_after, CertificateTime(sys_days(year(9999) / 12 / 31)));
  EXPECT_FALSE(Expired(parsed->front(), Now()));
}

TEST(EarliestExpiryTest, IsTheExpiryOfTheFirstCertificateToExpire) {
  const auto parsed = ParseBundle(NewCertificate(hours(48)) + NewCertificate(hours(2)));
  ASSERT_TRUE(parsed.has_value());

  EXPECT_EQ(EarliestExpiry(*parsed), (*parsed)[1].not_after);
  EXPECT_EQ(EarliestExpiry({}), CertificateTime::max());
}

TEST(ExpiryOfTest, ReturnsFirstExpiryAndFirstBundleWithoutValidCertificate) {
  const std::string soon = NewCertificate(hours(2));
  const std::string later = NewCertificate(hours(48));
  const std::string latest = NewCertificate(hours(96));
  const auto end_of = [](const std::string& pem) { return ParseBundle(pem)->front().not_after; };

  const BundleExpiry expiry = ExpiryOf({soon + latest, "", "garbage", soon + later});

  EXPECT_EQ(expiry.first, end_of(soon));
  EXPECT_EQ(expiry.last, end_of(later));
  EXPECT_EQ(ExpiryOf({"", "garbage"}).first, CertificateTime::max());
  EXPECT_EQ(ExpiryOf({}).last, CertificateTime::max());
}

TEST(ExpiredTest, IsFalseInTheLastSecondOfValidity) {
  const Certificate certificate{.der = {}, .not_after = Now()};

  EXPECT_FALSE(Expired(certificate, certificate.not_after));
  EXPECT_TRUE(Expired(certificate, certificate.not_after + std::chrono::seconds(1)));
}

TEST(ExpiryTest, FormatsAnyYear) {
  EXPECT_EQ(ExpiryText(CertificateTime(seconds(1))), "1970-01-01T00:00:01Z");
  EXPECT_EQ(ExpiryText(CertificateTime(seconds(253402300799))), "9999-12-31T23:59:59Z");
  EXPECT_EQ(ExpiryText(CertificateTime(seconds(-1))), "1969-12-31T23:59:59Z");
  EXPECT_EQ(ExpiryText(CertificateTime::max()), "never");
}

}  // namespace
}  // namespace capstan::cainjector
