// SPDX-License-Identifier: Apache-2.0
// The Injector and a CA that must leave the targets at once.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "capstan/base64.h"
#include "controllers/cainjector/testing/injector_fixture.h"

namespace capstan::cainjector {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// The process distrusts one CA, which the target still holds.
class DistrustedCaTest : public InjectorFixture {
 protected:
  DistrustedCaTest() { Distrusting(true); }
  void Distrusting(bool merge_bundles) {
    Restart({.merge_bundles = merge_bundles,
             .distrust = *Distrust::Parse({Sha256Of(ParseBundle(stolen_)->front())})});
  }
  // Puts a target with this bundle into the cache.
  void Put(const std::string& bundle) { InjectorFixture::Put("t", kRef, {bundle}); }
  std::string InOnePlace(const std::string& bundle) const {
    return R"("webhooks":[{"name":"w0","clientConfig":{"caBundle":")" + Base64Encode(bundle) +
           R"("}}]})";
  }

  const std::string stolen_ = NewCaPem();
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
  PutWithList("secret/ns/stolen,secret/ns/ca", stolen_);

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
