// SPDX-License-Identifier: Apache-2.0
#include "cmd/capstan-demo/breakage.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "clientgo/testing/apiserver/testing/rest_fixture.h"
#include "controllers/cainjector/api/objects.h"
#include "controllers/cainjector/sources/ca_cert_loader.h"
#include "controllers/cainjector/targets/target.h"

namespace capstan::cmd::capstan_demo {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

class BreakageTest : public testing::apiserver::RestFixture {
 protected:
  BreakageTest() : RestFixture({.garbage_collection = false}) {
    ns_->Create(NamespaceType(), "demo");
    breakage_ = std::make_unique<Breakage>(*ns_);
  }
  std::vector<std::string> Reasons() {
    std::vector<std::string> reasons;
    for (const BrokenTarget& target : breakage_->targets()) {
      reasons.push_back(breakage_->Explain(target).reason);
    }
    return reasons;
  }

  const std::unique_ptr<Namespace> ns_ = std::make_unique<Namespace>(Namespace{*client_, "demo"});
  std::unique_ptr<Breakage> breakage_;
};

TEST_F(BreakageTest, EachTargetHasItsOwnReason) {
  breakage_->Create();

  EXPECT_THAT(Reasons(), ElementsAre("NotAllowed", "NotThisCertificate", "InvalidBundle"));
  for (const BrokenTarget& target : breakage_->targets()) {
    EXPECT_TRUE(breakage_->Holds(target, false)) << target.name;
    EXPECT_FALSE(breakage_->Holds(target, true)) << target.name;
  }
}

TEST_F(BreakageTest, FixedTargetsWaitOnlyForTheManager) {
  breakage_->Create();

  for (const BrokenTarget& target : breakage_->targets()) {
    breakage_->Fix(target);
  }

  EXPECT_THAT(Reasons(), ElementsAre("Injected", "Injected", "Injected"));
}

TEST_F(BreakageTest, BreaksTwoTargetsWithoutCertificates) {
  server_.InjectFault({.match = {.verb = "list", .resource = "certificates"}, .code = 404});

  breakage_->Create();

  EXPECT_FALSE(breakage_->serves_certificates());
  EXPECT_THAT(Reasons(), ElementsAre("NotAllowed", "InvalidBundle"));
}

TEST_F(BreakageTest, CleanUpDeletesEverything) {
  breakage_->Create();

  const auto cleaned = ns_->CleanUp(10);

  EXPECT_TRUE(cleaned) << cleaned.error().message;
  for (const auto* type :
       {&cainjector::SecretMetadataType(), &cainjector::CertManagerCertificate::Type(),
        &cainjector::ValidatingWebhookTarget().content_type()}) {
    int left = 0;
    EXPECT_TRUE(client_->List({}, *type, {}, [&](const auto& /*object*/) { ++left; }));
    EXPECT_EQ(left, 0) << type->kind;
  }
}

TEST_F(BreakageTest, ReasonDoesNotRepeatDataOfSource) {
  breakage_->Create();

  const auto explanation = breakage_->Explain(breakage_->targets().back());

  EXPECT_THAT(explanation.message, HasSubstr("ca.crt"));
  EXPECT_THAT(ToJson(explanation), Not(HasSubstr("no certificate")));
}

}  // namespace
}  // namespace capstan::cmd::capstan_demo
