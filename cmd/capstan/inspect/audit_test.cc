// SPDX-License-Identifier: Apache-2.0
#include "cmd/capstan/inspect/audit.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "capstan/clock.h"
#include "clientgo/testing/apiserver/testing/rest_fixture.h"
#include "controllers/cainjector/rules/annotations.h"
#include "controllers/cainjector/targets/target.h"
#include "controllers/cainjector/testing/fakes.h"

namespace capstan::cmd::cli::inspect {
namespace {

using std::chrono::hours;
using ::testing::HasSubstr;

class AuditTest : public testing::apiserver::RestFixture {
 protected:
  // Returns the JSON for a target with this bundle.
  std::string AuditOf(const std::string& bundle) {
    Create(cainjector::StoredTarget(cainjector::ValidatingWebhookTarget(), "hook",
                                    {{cainjector::kInjectCaFromSecret, "ns/ca"}}, bundle));
    const auto entries = Audit({}, *client_);
    EXPECT_TRUE(entries) << entries.error().message;
    return entries ? AuditJson(*entries, Now()) : std::string();
  }
  static cainjector::CertificateTime Now() {
    return std::chrono::floor<std::chrono::seconds>(Clock::Real().WallNow());
  }

  const std::string expired_ = cainjector::NewCaPem(hours(-1));
  const std::string valid_ = cainjector::NewCaPem(hours(24 * 365));
};

TEST_F(AuditTest, BundleOfExpiredCertificatesIsExpired) {
  EXPECT_THAT(AuditOf(expired_ + cainjector::NewCaPem(hours(-2))),
              HasSubstr(R"("state":"expired")"));
}

// The servers behind the target are still trusted by the others.
TEST_F(AuditTest, BundleWithAValidCertificateIsExpiredInPart) {
  const std::string json = AuditOf(expired_ + valid_ + cainjector::NewCaPem(hours(24)));

  EXPECT_THAT(json, HasSubstr(R"("state":"partly expired")"));
  EXPECT_THAT(json, HasSubstr(R"("certificates":3)"));
}

TEST_F(AuditTest, BundleThatExpiresWithinAMonthExpiresSoon) {
  EXPECT_THAT(AuditOf(valid_ + cainjector::NewCaPem(hours(24))),
              HasSubstr(R"("state":"expires soon")"));
}

TEST_F(AuditTest, BundleOfValidCertificatesIsValid) {
  EXPECT_THAT(AuditOf(valid_), HasSubstr(R"("state":"valid")"));
}

}  // namespace
}  // namespace capstan::cmd::cli::inspect
