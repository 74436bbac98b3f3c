// SPDX-License-Identifier: Apache-2.0
// The Injector and a CA that must leave the targets at once.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "capstan/base64.h"
#include "controllers/cainjector/injector.h"
#include "controllers/cainjector/sources/secret_source.h"
#include "controllers/cainjector/sources/union_source.h"
#include "controllers/cainjector/targets/target.h"
#include "controllers/cainjector/testing/fakes.h"

namespace capstan::cainjector {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr const char* kRef = "ns/ca";

// The process distrusts one CA, which the target still holds.
class DistrustedCaTest : public ::testing::Test {
 protected:
  DistrustedCaTest() { Distrusting(true); }
  void Distrusting(bool merge_bundles) {
    contents_ = std::make_unique<CaCertLoader>(*cluster_.client, cluster_.secrets);
    source_ = std::make_unique<SecretSource>(*contents_, SourceOptions{});
    const Distrust distrust = *Distrust::Parse({Sha256Of(ParseBundle(stolen_)->front())});
    union_ = std::make_unique<UnionSource>(
        std::vector<Source*>{source_.get()},
        UnionOptions{
            .keep_expired = !merge_bundles, .distrust = distrust, .clock = cluster_.clock});
    injector_ = std::make_unique<Injector>(
        *cluster_.client, target_, targets_, std::vector<Source*>{source_.get(), union_.get()},
        reporter_,
        CaInjectorOptions{
            .merge_bundles = merge_bundles, .distrust = distrust, .clock = cluster_.clock});
  }
  // Puts a target with this bundle into the cache.
  void Put(const std::string& bundle) {
    targets_.Upsert(Decode(target_.type(),
                           WebhookJson(target_, "t", kRef, {bundle}, std::to_string(++version_))));
  }
  void MustReconcile() {
    const auto result = injector_->Reconcile({}, {"", "t"});
    EXPECT_TRUE(result.has_value()) << result.error().error.message;
  }
  std::string InOnePlace(const std::string& bundle) const {
    return R"("webhooks":[{"name":"w0","clientConfig":{"caBundle":")" + Base64Encode(bundle) +
           R"("}}]})";
  }

  FakeCluster cluster_;
  const Target& target_ = ValidatingWebhookTarget();
  cache::Indexer targets_;
  Outcomes outcomes_;
  Reporter reporter_{target_.type(), cluster_.events, cluster_.metrics, outcomes_, cluster_.clock};
  std::unique_ptr<CaCertLoader> contents_;
  std::unique_ptr<SecretSource> source_;
  std::unique_ptr<UnionSource> union_;
  std::unique_ptr<Injector> injector_;
  const std::string ca_ = NewCaPem();
  const std::string stolen_ = NewCaPem();
  int version_ = 0;
};

TEST_F(DistrustedCaTest, RemovesTheCaFromTheTarget) {
  cluster_.PutSecret(kRef, {.ca_crt = ca_});
  Put(stolen_ + ca_);

  MustReconcile();

  EXPECT_THAT(cluster_.PatchBodies(), ElementsAre(EndsWith(InOnePlace(ca_))));
}

TEST_F(DistrustedCaTest, TakesOnlyTheOtherCasOfTheSource) {
  cluster_.PutSecret(kRef, {.ca_crt = stolen_ + ca_});
  for (const bool merge_bundles : {true, false}) {
    Distrusting(merge_bundles);
    Put("");

    MustReconcile();

    EXPECT_THAT(cluster_.PatchBodies().back(), EndsWith(InOnePlace(ca_))) << merge_bundles;
  }
}

TEST_F(DistrustedCaTest, RemovesTheCaAlsoWithoutAnotherOne) {
  cluster_.PutSecret(kRef, {.ca_crt = stolen_});
  Put(stolen_);

  MustReconcile();

  EXPECT_THAT(cluster_.PatchBodies(), ElementsAre(EndsWith(InOnePlace(""))));
  EXPECT_THAT(cluster_.events.events(),
              ElementsAre(HasSubstr("Normal Injected ValidatingWebhookConfiguration/t: Removed the "
                                    "distrusted CA certificates"),
                          HasSubstr("Warning Distrusted ValidatingWebhookConfiguration/t: every CA "
                                    "certificate of the source is distrusted")));
}

TEST_F(DistrustedCaTest, RemovesTheCaWhenTheSourceIsMissing) {
  Put(stolen_ + ca_);

  MustReconcile();

  EXPECT_THAT(cluster_.PatchBodies(), ElementsAre(EndsWith(InOnePlace(ca_))));
  EXPECT_THAT(cluster_.events.events(), Contains(HasSubstr("Warning SourceNotFound")));
}

TEST_F(DistrustedCaTest, InjectsTheOtherSourcesOfAListAndReportsTheDistrustedOne) {
  cluster_.PutSecret(kRef, {.ca_crt = ca_});
  cluster_.PutSecret("ns/stolen", {.ca_crt = stolen_});
  targets_.Upsert(Decode(
      target_.type(),
      WebhookJson(
          target_, "t", nullptr, {stolen_}, "1",
          R"(,"annotations":{"capstan.dev/inject-ca-from":"secret/ns/stolen,secret/ns/ca"})")));

  MustReconcile();

  EXPECT_THAT(cluster_.PatchBodies(), ElementsAre(EndsWith(InOnePlace(ca_))));
  EXPECT_THAT(cluster_.events.events(),
              Contains(HasSubstr("Warning SourcesIncomplete ValidatingWebhookConfiguration/t: 1 of "
                                 "2 sources failed: secret/ns/stolen: Distrusted: every CA ")));
}

TEST_F(DistrustedCaTest, WritesNothingToATargetWithoutTheCa) {
  Put(ca_);

  MustReconcile();

  EXPECT_THAT(cluster_.PatchBodies(), IsEmpty());
}

}  // namespace
}  // namespace capstan::cainjector
