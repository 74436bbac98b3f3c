// SPDX-License-Identifier: Apache-2.0
#include "controllers/cainjector/sources/union_source.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <set>
#include <string>

#include "capstan/testing/fake_clock.h"
#include "controllers/cainjector/testing/fakes.h"

namespace capstan::cainjector {
namespace {

using ::testing::HasSubstr;

// FakeSource has the bundles and failures that the test gives it, by value.
class FakeSource final : public Source {
 public:
  FakeSource(std::string_view annotation, std::string_view kind)
      : annotation_(annotation), kind_(kind) {}
  std::string_view annotation() const override { return annotation_; }
  std::string_view kind() const override { return kind_; }
  tl::expected<SourceBundlePtr, Failure> GetFor(std::stop_token /*stop*/, std::string_view value,
                                                std::string_view target_namespace) override {
    target_namespaces.insert(std::string(target_namespace));
    return outcomes.at(std::string(value));
  }
  std::map<std::string, tl::expected<SourceBundlePtr, Failure>> outcomes;
  std::set<std::string> target_namespaces;

 private:
  const std::string_view annotation_;
  const std::string_view kind_;
};

class UnionSourceTest : public ::testing::Test {
 protected:
  void SetUp() override { secrets_.outcomes["ns/ca"] = Bundle(ca_); }

  static tl::expected<SourceBundlePtr, Failure> Bundle(const std::string& pem) {
    return MakeSourceBundle("test", pem);
  }
  static tl::expected<SourceBundlePtr, Failure> Broken(Reason reason, const std::string& message,
                                                       bool watched = true) {
    return tl::unexpected(
        Failure{.reason = reason,
                .message = message,
                .error = {.reason = ErrorReason::kInternalError, .message = message},
                .watched = watched});
  }
  // Returns the bundle as PEM, or the failure.
  std::string Get(const std::string& value) {
    const auto bundle = source_.Get({}, value);
    if (bundle) return EncodeBundle((*bundle)->certificates);
    return std::string(ToString(bundle.error().reason)) + ": " + bundle.error().message;
  }
  Failure Incomplete(const std::string& value) {
    return source_.Get({}, value).value()->incomplete.value();
  }

  FakeSource secrets_{kInjectCaFromSecret, "Secret"};
  FakeSource config_maps_{kInjectCaFromConfigMap, "ConfigMap"};
  testing::FakeClock clock_;
  UnionSource source_{{&secrets_, &config_maps_}, {.clock = clock_}};
  const std::string ca_ = NewCaPem();
  const std::string other_ = NewCaPem();
};

TEST_F(UnionSourceTest, RefusesMoreBytesThanATargetCanHold) {
  SourceBundle large;
  large.certificates.push_back(
      {.der = std::string(800'000, 'a'), .not_after = CertificateTime::max()});
  secrets_.outcomes["ns/a"] = std::make_shared<const SourceBundle>(large);
  large.certificates[0].der[0] = 'b';
  secrets_.outcomes["ns/b"] = std::make_shared<const SourceBundle>(large);

  EXPECT_THAT(Get("secret/ns/a, secret/ns/b, secret/ns/absent"),
              ::testing::AllOf(HasSubstr("TooLarge: "), HasSubstr("at most 1572864 bytes")));
}

TEST_F(UnionSourceTest, PassesTheNamespaceOfTheTarget) {
  EXPECT_TRUE(source_.Get({}, "secret/ns/ca", "shop").has_value());
  EXPECT_THAT(secrets_.target_namespaces, ::testing::ElementsAre("shop"));
}

TEST_F(UnionSourceTest, UnitesBundlesInTheOrderOfTheListWithoutDuplicates) {
  config_maps_.outcomes["ns/trust"] = Bundle(other_ + ca_);

  EXPECT_EQ(Get("secret/ns/ca, configmap/ns/trust"), ca_ + other_);
  EXPECT_EQ(Get("configmap/ns/trust,secret/ns/ca"), other_ + ca_);
  EXPECT_EQ(Get("secret/ns/ca,secret/ns/ca"), ca_);
  EXPECT_FALSE(source_.Get({}, "secret/ns/ca").value()->incomplete.has_value());
}

TEST_F(UnionSourceTest, ReportsABrokenSourceAndKeepsTheOthers) {
  secrets_.outcomes["ns/absent"] = Broken(Reason::kSourceNotFound, "it does not exist");

  EXPECT_EQ(Get("secret/ns/absent, secret/ns/ca"), ca_);
  const Failure failure = Incomplete("secret/ns/absent, secret/ns/ca");
  EXPECT_EQ(failure.reason, Reason::kSourcesIncomplete);
  EXPECT_EQ(failure.message,
            "1 of 2 sources failed: secret/ns/absent: SourceNotFound: it does not exist");
  EXPECT_EQ(RetryAfter(failure), Retry::kOnChange);
}

TEST_F(UnionSourceTest, FailsWithTheFirstReasonWhenEverySourceIsBroken) {
  secrets_.outcomes["ns/a"] = Broken(Reason::kNotAllowed, "no consent");
  config_maps_.outcomes["ns/b"] = Broken(Reason::kForbidden, "no RBAC");

  EXPECT_EQ(Get("secret/ns/a, configmap/ns/b"),
            "NotAllowed: all 2 sources failed: secret/ns/a: NotAllowed: no consent; "
            "configmap/ns/b: Forbidden: no RBAC");
  EXPECT_EQ(Get("secret/ns/a"), "NotAllowed: no consent");
}

TEST_F(UnionSourceTest, IsRetriedAsTheMostUrgentBrokenSource) {
  secrets_.outcomes["ns/a"] = Broken(Reason::kNotAllowed, "no consent");
  secrets_.outcomes["ns/b"] = Broken(Reason::kError, "no answer");
  config_maps_.outcomes["ns/c"] = Broken(Reason::kForbidden, "no RBAC");

  EXPECT_EQ(RetryAfter(Incomplete("secret/ns/ca,secret/ns/a,configmap/ns/c")), Retry::kSlow);
  const Failure failure = Incomplete("secret/ns/ca,secret/ns/a,secret/ns/b,configmap/ns/c");
  EXPECT_EQ(RetryAfter(failure), Retry::kBackoff);
  EXPECT_EQ(failure.error.message, "no answer");
  const auto all = source_.Get({}, "secret/ns/a,secret/ns/b");
  EXPECT_EQ(all.error().reason, Reason::kNotAllowed);
  EXPECT_EQ(RetryAfter(all.error()), Retry::kBackoff);
}

TEST_F(UnionSourceTest, IsWatchedOnlyWhenEverySourceIs) {
  config_maps_.outcomes["ns/plain"] = AsWatched(false, Bundle(other_));
  config_maps_.outcomes["ns/absent"] = Broken(Reason::kSourceNotFound, "it does not exist", false);

  EXPECT_TRUE(source_.Get({}, "secret/ns/ca").value()->watched);
  EXPECT_FALSE(source_.Get({}, "secret/ns/ca,configmap/ns/plain").value()->watched);
  EXPECT_FALSE(Incomplete("secret/ns/ca,configmap/ns/absent").watched);
}

TEST_F(UnionSourceTest, ReportsASourceWhoseEveryCertificateHasExpired) {
  clock_.StepWall(Clock::Real().WallNow() - clock_.WallNow());
  config_maps_.outcomes["ns/old"] = Bundle(NewCaPem(std::chrono::hours(-1)));

  EXPECT_EQ(Incomplete("secret/ns/ca,configmap/ns/old").message,
            "1 of 2 sources failed: configmap/ns/old: Expired: every CA certificate of the source "
            "has expired");
  EXPECT_EQ(Get("secret/ns/ca,configmap/ns/old"), ca_);
}

TEST_F(UnionSourceTest, ReportsASourceWhoseEveryCertificateIsDistrusted) {
  config_maps_.outcomes["ns/stolen"] = Bundle(other_);
  config_maps_.outcomes["ns/both"] = Bundle(other_ + ca_);
  for (const bool keep_expired : {false, true}) {
    UnionSource source({&secrets_, &config_maps_},
                       {.keep_expired = keep_expired,
                        .distrust = *Distrust::Parse({Sha256Of(ParseBundle(other_)->front())}),
                        .clock = clock_});

    const auto bundle = source.Get({}, "configmap/ns/stolen, secret/ns/ca");
    EXPECT_EQ(EncodeBundle((*bundle)->certificates), ca_);
    EXPECT_EQ((*bundle)->incomplete.value().message,
              "1 of 2 sources failed: configmap/ns/stolen: Distrusted: every CA certificate of the "
              "source is distrusted; issue a new CA, or correct --distrust");
    EXPECT_FALSE(source.Get({}, "configmap/ns/both, secret/ns/ca").value()->incomplete.has_value());
    EXPECT_EQ(source.Get({}, "configmap/ns/stolen").error().reason, Reason::kDistrusted);
  }
}

TEST_F(UnionSourceTest, RejectsABadListWithoutReadingASource) {
  EXPECT_THAT(Get("secret/ns/unknown, secrets/ns/ca"),
              HasSubstr("BadAnnotation: annotation capstan.dev/inject-ca-from has the bad item "
                        "\"secrets/ns/ca\"; an item is secret/NAMESPACE/NAME"));
}

TEST_F(UnionSourceTest, StopsWithoutAReportWhenTheProcessEnds) {
  secrets_.outcomes["ns/slow"] = tl::unexpected(ApiFailure(
      "failed to get Secret ns/slow", {.reason = ErrorReason::kCanceled, .message = "stopped"}));

  const auto bundle = source_.Get({}, "secret/ns/ca,secret/ns/slow");

  ASSERT_FALSE(bundle.has_value());
  EXPECT_TRUE(IsCanceled(bundle.error().error));
}

TEST_F(UnionSourceTest, DescribesEachSource) {
  EXPECT_EQ(source_.Describe("secret/ns/ca, configmap/ns/trust"),
            "Secret ns/ca, ConfigMap ns/trust");
  EXPECT_EQ(source_.Describe("bad"), "Union bad");
}

}  // namespace
}  // namespace capstan::cainjector
