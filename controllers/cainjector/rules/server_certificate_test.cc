// SPDX-License-Identifier: Apache-2.0
#include "controllers/cainjector/rules/server_certificate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>

#include "capstan/testing/certificates.h"

namespace capstan::controllers::cainjector {
namespace {

using capstan::testing::CertificateOptions;
using capstan::testing::KeyPair;
using std::chrono::hours;
using ::testing::HasSubstr;

constexpr const char* kName = "orders.shop.svc";

class VerifyServerTest : public ::testing::Test {
 protected:
  static KeyPair NewCa(std::chrono::seconds not_after = hours(24)) {
    return *capstan::testing::MakeCa({.common_name = "ca", .not_after = not_after});
  }
  static std::string Der(const std::string& pem) { return ParseBundle(pem)->front().der; }
  std::vector<std::string> Served(const CertificateOptions& options) const {
    return {Der(capstan::testing::MakeCertificate(ca_, options)->cert_pem)};
  }
  static ServerVerdict Verify(const std::vector<std::string>& chain, const std::string& bundle,
                              const std::string& name = kName, hours later = hours(0)) {
    const auto now = std::chrono::system_clock::now() + later;
    return VerifyServer(chain, bundle, name, std::chrono::floor<std::chrono::seconds>(now));
  }

  const KeyPair ca_ = NewCa();
  const std::vector<std::string> good_ = Served({.common_name = "x", .dns_names = {kName}});
};

TEST_F(VerifyServerTest, TrustsACertificateOfTheBundlesCa) {
  const auto verdict = Verify(good_, ca_.cert_pem);

  EXPECT_EQ(verdict.outcome, EndpointOutcome::kVerified) << verdict.message;
  EXPECT_EQ(verdict.message, "");
  ASSERT_TRUE(verdict.expires.has_value());
  EXPECT_GT(*verdict.expires, std::chrono::system_clock::now() + hours(23));
}

TEST_F(VerifyServerTest, TrustsEachCaOfTheBundle) {
  EXPECT_EQ(Verify(good_, NewCa().cert_pem + ca_.cert_pem).outcome, EndpointOutcome::kVerified);
}

TEST_F(VerifyServerTest, TrustsTheServersOwnCertificateInTheBundleAsGoDoes) {
  const KeyPair self =
      *capstan::testing::MakeCertificate(NewCa(), {.common_name = "x", .dns_names = {kName}});

  EXPECT_EQ(Verify({Der(self.cert_pem)}, self.cert_pem).outcome, EndpointOutcome::kVerified);
}

TEST_F(VerifyServerTest, FindsTheRightOneOfTwoCasWithOneName) {
  const std::string other = NewCa().cert_pem;  // a CA that is rotated often keeps its name

  EXPECT_EQ(Verify(good_, other + ca_.cert_pem).outcome, EndpointOutcome::kVerified);
  EXPECT_EQ(Verify(good_, ca_.cert_pem + other).outcome, EndpointOutcome::kVerified);
}

TEST_F(VerifyServerTest, AcceptsOnlyAWholeLabelAsWildcardAsGoDoes) {
  const auto verify = [&](const std::string& pattern) {
    return Verify(Served({.common_name = "x", .dns_names = {pattern}}), ca_.cert_pem).outcome;
  };
  EXPECT_EQ(verify("*.shop.svc"), EndpointOutcome::kVerified);
  EXPECT_EQ(verify("ord*.shop.svc"), EndpointOutcome::kNameMismatch);
}

TEST_F(VerifyServerTest, RejectsAnotherCaOfTheSameName) {
  const auto verdict = Verify(good_, NewCa().cert_pem);

  EXPECT_EQ(verdict.outcome, EndpointOutcome::kUnknownAuthority);
  EXPECT_THAT(verdict.message, HasSubstr("is not issued by a CA of the bundle"));
}

TEST_F(VerifyServerTest, RejectsAnotherNameAndPrintsTheNames) {
  const auto verdict = Verify(
      Served({.common_name = kName, .dns_names = {"other.svc"}, .ip_addresses = {"10.0.0.1"}}),
      ca_.cert_pem);

  EXPECT_EQ(verdict.outcome, EndpointOutcome::kNameMismatch);
  EXPECT_EQ(verdict.message, "the certificate is for other.svc, 10.0.0.1, not for orders.shop.svc");
}

TEST_F(VerifyServerTest, DoesNotReadTheCommonName) {
  const auto verdict = Verify(Served({.common_name = kName}), ca_.cert_pem);

  EXPECT_EQ(verdict.outcome, EndpointOutcome::kNameMismatch);
  EXPECT_THAT(verdict.message, HasSubstr("no name at all"));
}

TEST_F(VerifyServerTest, HidesBytesThatATerminalWouldInterpret) {
  EXPECT_THAT(
      Verify(Served({.common_name = "x", .dns_names = {"a\x1b[31m.svc"}}), ca_.cert_pem).message,
      HasSubstr("a?[31m.svc"));
}

TEST_F(VerifyServerTest, ComparesAnAddressWithTheAddressesOfTheCertificate) {
  const auto chain = Served({.common_name = "x", .ip_addresses = {"10.0.0.1", "fd00::1"}});

  EXPECT_EQ(Verify(chain, ca_.cert_pem, "10.0.0.1").outcome, EndpointOutcome::kVerified);
  EXPECT_EQ(Verify(chain, ca_.cert_pem, "fd00::1").outcome, EndpointOutcome::kVerified);
  EXPECT_EQ(Verify(chain, ca_.cert_pem, "10.0.0.2").outcome, EndpointOutcome::kNameMismatch);
}

TEST_F(VerifyServerTest, RejectsAnExpiredCertificate) {
  const auto chain = Served({.common_name = "x", .not_after = hours(1), .dns_names = {kName}});
  const auto verdict = Verify(chain, ca_.cert_pem, kName, hours(2));

  EXPECT_EQ(verdict.outcome, EndpointOutcome::kExpired);
  EXPECT_EQ(verdict.message, "the server's certificate has expired");
  EXPECT_TRUE(verdict.expires.has_value());
}

TEST_F(VerifyServerTest, RejectsAnExpiredCa) {
  const auto chain = Served({.common_name = "x", .not_after = hours(1000), .dns_names = {kName}});

  const auto verdict = Verify(chain, ca_.cert_pem, kName, hours(48));

  EXPECT_EQ(verdict.outcome, EndpointOutcome::kExpired);
  EXPECT_EQ(verdict.message, "a CA of the server's certificate has expired");
}

TEST_F(VerifyServerTest, RejectsACertificateForClients) {
  EXPECT_EQ(
      Verify(Served({.common_name = "x", .dns_names = {kName}, .client_auth = true}), ca_.cert_pem)
          .outcome,
      EndpointOutcome::kUnknownAuthority);
}

TEST_F(VerifyServerTest, ReportsAMissingBundle) {
  EXPECT_EQ(Verify(good_, "").outcome, EndpointOutcome::kNoBundle);
  EXPECT_EQ(Verify(good_, "").message, "the target holds no CA bundle");
}

TEST_F(VerifyServerTest, ReportsWhatIsNoCertificate) {
  EXPECT_EQ(Verify({}, ca_.cert_pem).outcome, EndpointOutcome::kNotTls);
  EXPECT_EQ(Verify({"garbage"}, ca_.cert_pem).outcome, EndpointOutcome::kNotTls);
}

}  // namespace
}  // namespace capstan::controllers::cainjector
