// SPDX-License-Identifier: Apache-2.0
// What CaInjector costs and survives. What it injects where is in e2e/injection.
#include "controllers/cainjector/ca_injector.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "controllers/cainjector/rules/annotations.h"
#include "controllers/cainjector/targets/custom_resource_definition_target.h"
#include "controllers/cainjector/targets/webhook_target.h"
#include "controllers/cainjector/testing/process.h"

namespace controllers::cainjector {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr const char* kSecretKey = "ns/ca";

std::string StoredWebhook(const Target& target, const std::string& name, const std::string& secret,
                          const std::string& bundle) {
  return StoredTarget(target, name, {{kInjectCaFromSecret, secret}}, bundle);
}

class CaInjectorTest : public ProcessTest {
 protected:
  void Rotate(const std::string& ca_crt) { Update("ca", StoredSecret(ca_crt)); }
  // Of the webhook with a url.
  std::string BundleOf(const Target& target, const std::string& name) {
    return BundlesOf(target, name).at(0);
  }
  std::uint64_t SecretGets() const { return Gets("secrets"); }

  const Target& validating_ = ValidatingWebhookTarget();
  const Target& mutating_ = MutatingWebhookTarget();
};

TEST_F(CaInjectorTest, InjectsBothKindsWithOneGetOfTheirSecret) {
  Create({StoredSecret(ca_), StoredWebhook(validating_, "v", kSecretKey, ""),
          StoredWebhook(mutating_, "m", kSecretKey, "")});
  Process process(*client_);

  ASSERT_TRUE(Eventually([&] { return process.Ready(); }));

  EXPECT_EQ(BundleOf(validating_, "v"), ca_);
  EXPECT_EQ(BundleOf(mutating_, "m"), ca_);
  EXPECT_EQ(SecretGets(), 1U);
  EXPECT_THAT(process.events.events(),
              Contains(HasSubstr("Normal Injected MutatingWebhookConfiguration/m")));
}

TEST_F(CaInjectorTest, ARotationWith400TargetsIsOneGetAnd400Writes) {
  std::vector<std::string> objects = {StoredSecret(ca_)};
  for (int i = 0; i < 200; ++i) {
    const std::string name = "t" + std::to_string(i);
    objects.push_back(StoredWebhook(validating_, name, kSecretKey, ca_));
    objects.push_back(StoredWebhook(mutating_, name, kSecretKey, ca_));
  }
  Create(std::move(objects));
  Process process(*client_);
  ASSERT_TRUE(Eventually([&] { return process.Ready(); }));
  EXPECT_EQ(Writes(), 0U);  // a start with nothing to do
  EXPECT_EQ(SecretGets(), 1U);
  server_.ResetRequests();
  const std::string rotated = NewCaPem();

  Rotate(rotated);
  ASSERT_TRUE(Eventually([&] { return Writes() >= 400; }));
  ASSERT_TRUE(Eventually([&] {
    for (int i = 0; i < 200; ++i) {
      const std::string name = "t" + std::to_string(i);
      if (BundleOf(validating_, name) != ca_ + rotated) return false;
      if (BundleOf(mutating_, name) != ca_ + rotated) return false;
    }
    return true;
  }));

  EXPECT_EQ(Writes(), 400U);
  EXPECT_EQ(SecretGets(), 1U);
}

TEST_F(CaInjectorTest, ACutWatchLosesNothing) {
  Create({StoredSecret(ca_), StoredWebhook(validating_, "v", kSecretKey, "")});
  Process process(*client_);
  ASSERT_TRUE(Eventually([&] { return process.Ready(); }));
  const std::string rotated = NewCaPem();

  server_.CutWatches();
  Rotate(rotated);

  EXPECT_TRUE(Eventually([&] { return BundleOf(validating_, "v") == ca_ + rotated; }));
}

TEST_F(CaInjectorTest, AServerErrorIsRetriedUntilTheWriteSucceeds) {
  Create({StoredSecret(ca_), StoredWebhook(validating_, "v", kSecretKey, "")});
  server_.InjectFault({.match = {.verb = "patch"}, .code = 500, .count = 3});
  Process process(*client_);

  EXPECT_TRUE(Eventually([&] { return BundleOf(validating_, "v") == ca_; }));
  EXPECT_EQ(Writes(), 4U);
}

TEST_F(CaInjectorTest, WithoutRightsForSecretsItSaysSoWritesNothingAndRecovers) {
  Create({StoredSecret(ca_), StoredWebhook(validating_, "v", kSecretKey, "")});
  for (const std::string verb : {"list", "watch"}) {
    server_.InjectFault({.match = {.verb = verb, .resource = "secrets"},
                         .code = 403,
                         .message = "secrets is forbidden: no RBAC",
                         .count = -1});
  }
  Process process(*client_);

  EXPECT_TRUE(Eventually([&] {
    return process.ReadyText().find("secrets is forbidden: no RBAC") != std::string::npos;
  }));
  EXPECT_THAT(process.ReadyText(), HasSubstr("[-]caches-secrets failed"));
  EXPECT_EQ(Writes(), 0U);
  EXPECT_EQ(SecretGets(), 0U);

  server_.ClearFaults();
  EXPECT_TRUE(Eventually([&] { return BundleOf(validating_, "v") == ca_; }));
}

TEST_F(CaInjectorTest, OneGetOfACrdForEachChangeAndNoneForOurOwn) {
  const Target& crd = CustomResourceDefinitionTarget();
  Create({StoredSecret(ca_), StoredTarget(crd, "t", {{kInjectCaFromSecret, kSecretKey}}),
          StoredTarget(crd, "plain", {})});
  Process process(*client_);
  ASSERT_TRUE(Eventually([&] { return Holds(crd, "t", ca_); }));
  EXPECT_EQ(Gets("customresourcedefinitions"), 1U);

  const std::string rotated = NewCaPem();
  Rotate(rotated);
  ASSERT_TRUE(Eventually([&] { return Holds(crd, "t", ca_ + rotated); }));
  EXPECT_EQ(Gets("customresourcedefinitions"), 1U);

  MergePatch(crd, "t", R"({"metadata":{"labels":{"somebody":"else"}}})");
  EXPECT_TRUE(Eventually([&] { return Gets("customresourcedefinitions") == 2; }));
  ASSERT_TRUE(Settled(process));
  EXPECT_EQ(Writes(), 2U);
}

TEST_F(CaInjectorTest, ACrdThatCannotBeReadIsToldAndRetried) {
  const Target& crd = CustomResourceDefinitionTarget();
  Create({StoredSecret(ca_), StoredTarget(crd, "t", {{kInjectCaFromSecret, kSecretKey}})});
  server_.InjectFault({.match = {.verb = "get",
                                 .resource = "customresourcedefinitions",
                                 .user_agent = "under-test"},
                       .code = 500,
                       .message = "etcd is sad",
                       .count = 2});
  Process process(*client_);

  EXPECT_TRUE(Eventually([&] { return Holds(crd, "t", ca_); }));
  EXPECT_THAT(process.events.events(),
              Contains(HasSubstr("failed to get CustomResourceDefinition ts.example.com")));
}

TEST_F(CaInjectorTest, ATargetThatIsRefusedIsWrittenOnce) {
  Create({StoredSecret(ca_), StoredWebhook(validating_, "t", kSecretKey, "")});
  server_.InjectFault(
      {.match = {.verb = "patch"}, .code = 422, .message = "a policy says no", .count = -1});
  Process process(*client_);
  ASSERT_TRUE(Settled(process));

  EXPECT_THAT(process.events.events(), ElementsAre(HasSubstr("a policy says no")));
  EXPECT_EQ(Writes(), 1U);
}

TEST_F(CaInjectorTest, ApplyingToADeletedObjectDoesNotCreateIt) {
  Create({StoredWebhook(validating_, "v", kSecretKey, "")});
  const auto object = observer_->Get({}, validating_.type(), {"", "v"});
  ASSERT_TRUE(object.has_value());
  ASSERT_TRUE(observer_->Delete({}, validating_.type(), {"", "v"}).has_value());

  const auto applied =
      observer_->Patch({}, validating_.type(), {"", "v"}, clientgo::rest::PatchType::kApply,
                       validating_.ApplyConfiguration(**object, {ca_, ca_}, ApplyTo::kThisObject),
                       {.field_manager = std::string(kFieldManager), .force = true});

  ASSERT_FALSE(applied.has_value());
  EXPECT_TRUE(IsConflict(applied.error())) << applied.error().message;
}

}  // namespace
}  // namespace controllers::cainjector
