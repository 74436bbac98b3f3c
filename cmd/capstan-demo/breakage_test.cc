// SPDX-License-Identifier: Apache-2.0
#include "cmd/capstan-demo/breakage.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "capstan/testing/apiserver/server.h"
#include "cmd/capstan-demo/cluster.h"
#include "controllers/cainjector/api/objects.h"
#include "controllers/cainjector/sources/ca_cert_loader.h"

namespace capstan::cmd::capstan_demo {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

class BreakageTest : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(server_.Start());
    ASSERT_TRUE(server_.CreateObjects({NamespaceJson("demo")}));
    auto client = rest::Client::New({.host = server_.url()});
    ASSERT_TRUE(client) << client.error().message;
    client_ = *std::move(client);
    breakage_ = std::make_unique<Breakage>(*client_, "demo");
  }
  std::vector<std::string> Reasons() {
    std::vector<std::string> reasons;
    for (const BrokenTarget& target : breakage_->targets()) {
      const auto explanation = breakage_->Explain({}, target);
      EXPECT_TRUE(explanation) << explanation.error().message;
      if (explanation) reasons.push_back(explanation->reason);
    }
    return reasons;
  }

  testing::apiserver::Server server_{{.tls = false}};
  std::unique_ptr<rest::Client> client_;
  std::unique_ptr<Breakage> breakage_;
};

TEST_F(BreakageTest, EachTargetHasItsOwnReason) {
  ASSERT_TRUE(breakage_->Create({}));

  EXPECT_THAT(Reasons(), ElementsAre("NotAllowed", "NotThisCertificate", "InvalidBundle"));
  for (const BrokenTarget& target : breakage_->targets()) {
    EXPECT_TRUE(breakage_->Holds({}, target, false).value()) << target.name;
    EXPECT_FALSE(breakage_->Holds({}, target, true).value()) << target.name;
  }
}

TEST_F(BreakageTest, FixedTargetsWaitOnlyForTheManager) {
  ASSERT_TRUE(breakage_->Create({}));

  for (const BrokenTarget& target : breakage_->targets()) {
    const auto fixed = breakage_->Fix({}, target);
    ASSERT_TRUE(fixed) << fixed.error().message;
  }

  EXPECT_THAT(Reasons(), ElementsAre("Injected", "Injected", "Injected"));
}

TEST_F(BreakageTest, BreaksTwoTargetsWithoutCertificates) {
  server_.InjectFault({.match = {.verb = "list", .resource = "certificates"}, .code = 404});

  ASSERT_TRUE(breakage_->Create({}));

  EXPECT_FALSE(breakage_->serves_certificates());
  EXPECT_THAT(Reasons(), ElementsAre("NotAllowed", "InvalidBundle"));
}

TEST_F(BreakageTest, CleanUpDeletesEverything) {
  ASSERT_TRUE(breakage_->Create({}));

  const auto cleaned = breakage_->CleanUp({});

  EXPECT_TRUE(cleaned) << cleaned.error().message;
  for (const auto* type : {&cainjector::SecretMetadataType(),
                           &cainjector::CertManagerCertificate::Type(), &ConfigurationType(true)}) {
    int left = 0;
    EXPECT_TRUE(client_->List({}, *type, {}, [&](const auto& /*object*/) { ++left; }));
    EXPECT_EQ(left, 0) << type->kind;
  }
}

TEST_F(BreakageTest, ReasonDoesNotRepeatDataOfSource) {
  ASSERT_TRUE(breakage_->Create({}));

  const auto explanation = breakage_->Explain({}, breakage_->targets().back());

  ASSERT_TRUE(explanation);
  EXPECT_THAT(explanation->message, HasSubstr("ca.crt"));
  EXPECT_THAT(ToJson(*explanation), Not(HasSubstr("no certificate")));
}

}  // namespace
}  // namespace capstan::cmd::capstan_demo
