// SPDX-License-Identifier: Apache-2.0
// The requests of CaInjector, and how it recovers from errors. e2e/injection tests what it injects.
#include "controllers/cainjector/ca_injector.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "capstan/testing/eventually.h"
#include "capstan/testing/fake_clock.h"
#include "capstan/testing/temp_dir.h"
#include "controllers/cainjector/api/objects.h"
#include "controllers/cainjector/rules/annotations.h"
#include "controllers/cainjector/targets/target.h"
#include "controllers/cainjector/testing/process.h"

namespace capstan::cainjector {
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
  // Returns the bundle of the webhook with a url.
  std::string BundleOf(const Target& target, const std::string& name) {
    return BundlesOf(target, name).at(0);
  }
  std::uint64_t SecretGets() const { return Gets("secrets"); }

  const Target& validating_ = ValidatingWebhookTarget();
  const Target& mutating_ = MutatingWebhookTarget();
};

TEST_F(CaInjectorTest, InjectsBothKindsWithOneGetOfTheSecret) {
  Create({StoredSecret(ca_), StoredWebhook(validating_, "v", kSecretKey, ""),
          StoredWebhook(mutating_, "m", kSecretKey, "")});
  Process process(connection_);

  ASSERT_TRUE(testing::Eventually([&] { return process.Ready(); }));

  EXPECT_EQ(BundleOf(validating_, "v"), ca_);
  EXPECT_EQ(BundleOf(mutating_, "m"), ca_);
  EXPECT_EQ(SecretGets(), 1U);
  EXPECT_THAT(process.events.events(),
              Contains(HasSubstr("Normal Injected MutatingWebhookConfiguration/m")));
}

TEST_F(CaInjectorTest, SendsOneGetAnd400WritesAfterARotation) {
  std::vector<std::string> objects = {StoredSecret(ca_)};
  for (int i = 0; i < 200; ++i) {
    const std::string name = "t" + std::to_string(i);
    objects.push_back(StoredWebhook(validating_, name, kSecretKey, ca_));
    objects.push_back(StoredWebhook(mutating_, name, kSecretKey, ca_));
  }
  Create(std::move(objects));
  Process process(connection_);
  ASSERT_TRUE(testing::Eventually([&] { return process.Ready(); }));
  EXPECT_EQ(Writes(), 0U);  // nothing to write at the start
  EXPECT_EQ(SecretGets(), 1U);
  server_.ResetRequests();
  const std::string rotated = NewCaPem();

  Rotate(rotated);
  ASSERT_TRUE(testing::Eventually([&] { return Writes() >= 400; }));
  ASSERT_TRUE(testing::Eventually([&] {
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

TEST_F(CaInjectorTest, InjectsTargetsThatAppearWhileTheirSecretsChange) {
  constexpr int kPairs = 100;
  const auto name = [](int i) { return "p" + std::to_string(i); };
  std::vector<std::string> secrets;
  for (int i = 0; i < kPairs; ++i) secrets.push_back(StoredSecret(ca_, name(i)));
  Create(std::move(secrets));
  Process process(connection_);
  ASSERT_TRUE(Settled(process));
  const std::string rotated = NewCaPem();

  {
    const std::jthread rotation([&] {
      for (int i = 0; i < kPairs; ++i) Update(name(i), StoredSecret(rotated, name(i)));
    });
    for (int i = 0; i < kPairs; ++i) {
      Create({StoredWebhook(validating_, name(i), "ns/" + name(i), "")});
    }
  }

  EXPECT_TRUE(testing::Eventually([&] {
    for (int i = 0; i < kPairs; ++i) {
      if (!BundleOf(validating_, name(i)).ends_with(rotated)) return false;
    }
    return true;
  }));
}

TEST_F(CaInjectorTest, InjectsAfterACutWatch) {
  Create({StoredSecret(ca_), StoredWebhook(validating_, "v", kSecretKey, "")});
  Process process(connection_);
  ASSERT_TRUE(testing::Eventually([&] { return process.Ready(); }));
  const std::string rotated = NewCaPem();

  server_.CutWatches();
  Rotate(rotated);

  EXPECT_TRUE(testing::Eventually([&] { return BundleOf(validating_, "v") == ca_ + rotated; }));
}

TEST_F(CaInjectorTest, RetriesServerErrors) {
  Create({StoredSecret(ca_), StoredWebhook(validating_, "v", kSecretKey, "")});
  server_.InjectFault({.match = {.verb = "patch"}, .code = 500, .count = 3});
  Process process(connection_);

  EXPECT_TRUE(testing::Eventually([&] { return BundleOf(validating_, "v") == ca_; }));
  EXPECT_EQ(Writes(), 4U);
}

TEST_F(CaInjectorTest, ReportsMissingRightsForSecretsAndRecovers) {
  Create({StoredSecret(ca_), StoredWebhook(validating_, "v", kSecretKey, "")});
  for (const std::string verb : {"list", "watch"}) {
    server_.InjectFault({.match = {.verb = verb, .resource = "secrets"},
                         .code = 403,
                         .message = "secrets is forbidden: no RBAC",
                         .count = -1});
  }
  Process process(connection_);

  EXPECT_TRUE(testing::Eventually([&] {
    return process.ReadyText().find("secrets is forbidden: no RBAC") != std::string::npos;
  }));
  EXPECT_THAT(process.ReadyText(), HasSubstr("[-]caches-secrets failed"));
  EXPECT_EQ(Writes(), 0U);
  EXPECT_EQ(SecretGets(), 0U);

  server_.ClearFaults();
  EXPECT_TRUE(testing::Eventually([&] { return BundleOf(validating_, "v") == ca_; }));
}

TEST_F(CaInjectorTest, SendsOneGetForEachChangeOfACrdByOthers) {
  const Target& crd = CustomResourceDefinitionTarget();
  Create({StoredSecret(ca_), StoredTarget(crd, "t", {{kInjectCaFromSecret, kSecretKey}}),
          StoredTarget(crd, "plain", {})});
  Process process(connection_);
  ASSERT_TRUE(testing::Eventually([&] { return Holds(crd, "t", ca_); }));
  EXPECT_EQ(Gets("customresourcedefinitions"), 1U);

  const std::string rotated = NewCaPem();
  Rotate(rotated);
  ASSERT_TRUE(testing::Eventually([&] { return Holds(crd, "t", ca_ + rotated); }));
  EXPECT_EQ(Gets("customresourcedefinitions"), 1U);

  MergePatch(crd, "t", R"({"metadata":{"labels":{"somebody":"else"}}})");
  EXPECT_TRUE(testing::Eventually([&] { return Gets("customresourcedefinitions") == 2; }));
  ASSERT_TRUE(Settled(process));
  EXPECT_EQ(Writes(), 2U);
}

TEST_F(CaInjectorTest, ReportsAndRetriesAnUnreadableCrd) {
  const Target& crd = CustomResourceDefinitionTarget();
  Create({StoredSecret(ca_), StoredTarget(crd, "t", {{kInjectCaFromSecret, kSecretKey}})});
  server_.InjectFault({.match = {.verb = "get",
                                 .resource = "customresourcedefinitions",
                                 .user_agent = "under-test"},
                       .code = 500,
                       .message = "etcd is sad",
                       .count = 2});
  Process process(connection_);

  EXPECT_TRUE(testing::Eventually([&] { return Holds(crd, "t", ca_); }));
  EXPECT_THAT(process.events.events(),
              Contains(HasSubstr("failed to get CustomResourceDefinition ts.example.com")));
}

TEST_F(CaInjectorTest, WritesARejectedTargetOnce) {
  Create({StoredSecret(ca_), StoredWebhook(validating_, "t", kSecretKey, "")});
  server_.InjectFault(
      {.match = {.verb = "patch"}, .code = 422, .message = "a policy says no", .count = -1});
  Process process(connection_);
  ASSERT_TRUE(Settled(process));

  EXPECT_THAT(process.events.events(), ElementsAre(HasSubstr("a policy says no")));
  EXPECT_EQ(Writes(), 1U);
}

TEST_F(CaInjectorTest, DoesNotCreateADeletedObject) {
  Create({StoredWebhook(validating_, "v", kSecretKey, "")});
  const auto object = observer_->Get({}, validating_.type(), {"", "v"});
  ASSERT_TRUE(object.has_value());
  ASSERT_TRUE(observer_->Delete({}, validating_.type(), {"", "v"}).has_value());

  const auto applied =
      observer_->Patch({}, validating_.type(), {"", "v"}, rest::PatchType::kApply,
                       validating_.Write(**object, {ca_, ca_}, ApplyTo::kThisObject).body,
                       {.field_manager = std::string(kFieldManager), .force = true});

  ASSERT_FALSE(applied.has_value());
  EXPECT_TRUE(IsConflict(applied.error())) << applied.error().message;
}

std::string Labelled(std::string secret) {
  const std::string metadata = R"("metadata":{)";
  return secret.insert(secret.find(metadata) + metadata.size(),
                       R"("labels":{"controller.cert-manager.io/fao":"true"},)");
}

class SecretCachingTest : public ProcessTest {
 protected:
  void CreateTarget(const std::string& name, std::string_view annotation,
                    const std::string& value) {
    Create({StoredTarget(target_, name, {{annotation, value}})});
  }
  bool EventuallyHolds(const std::string& name, const std::string& bundle) {
    return testing::Eventually([&] { return Holds(target_, name, bundle); });
  }
  std::uint64_t Count(const std::string& verb) {
    return server_.CountRequests({.verb = verb, .resource = "secrets", .user_agent = "under-test"});
  }
  // Creates Secrets that no target refers to.
  void CreateOthers(int count) {
    std::vector<std::string> others;
    for (int i = 0; i < count; ++i)
      others.push_back(StoredSecret("x", "other" + std::to_string(i)));
    Create(std::move(others));
  }
  const Target& target_ = ValidatingWebhookTarget();
};

class LabelledSecretsTest : public SecretCachingTest {
 protected:
  const CaInjectorOptions options_{.secret_caching = SecretCaching::kLabelled};
};

TEST_F(LabelledSecretsTest, HoldsOnlyLabelledSecretsAndFollowsThem) {
  CreateOthers(50);
  Create({Labelled(StoredSecret(ca_))});
  CreateTarget("t", kInjectCaFromSecret, "ns/ca");
  Process process(connection_, options_);
  ASSERT_TRUE(EventuallyHolds("t", ca_));
  EXPECT_THAT(process.Metrics(), HasSubstr("capstan_cache_objects{resource=\"secrets\"} 1\n"));
  const std::string rotated = NewCaPem();

  Update("ca", Labelled(StoredSecret(rotated)));

  EXPECT_TRUE(EventuallyHolds("t", ca_ + rotated));
  EXPECT_EQ(Gets("secrets"), 2U);  // the content of each version
}

TEST_F(LabelledSecretsTest, ReadsUnlabelledSecretsByRequest) {
  Create({StoredSecret(ca_), StoredCertificate("serving", "serving-tls"),
          StoredCertificateSecret(ca_, "serving", "serving-tls")});
  CreateTarget("by-secret", kInjectCaFromSecret, "ns/ca");
  CreateTarget("by-certificate", kInjectCaFrom, "ns/serving");
  Process process(connection_, options_);
  ASSERT_TRUE(Settled(process));

  EXPECT_TRUE(Holds(target_, "by-secret", ca_));
  EXPECT_TRUE(Holds(target_, "by-certificate", ca_));
  EXPECT_GE(Gets("secrets"), 4U);  // each content once, the metadata each time
  EXPECT_THAT(process.Metrics(), HasSubstr("capstan_resolver_requests_total{resolver=\"client\","
                                           "resource=\"secrets\",result=\"hit\"} "));
}

TEST_F(LabelledSecretsTest, FollowsASecretAfterItGetsTheLabel) {
  CreateTarget("t", kInjectCaFromSecret, "ns/ca");
  Process process(connection_, options_);
  ASSERT_TRUE(Settled(process));
  EXPECT_THAT(process.events.events(), Contains(HasSubstr("SourceNotFound")));
  Create({StoredSecret(ca_)});

  Update("ca", Labelled(StoredSecret(ca_)));

  EXPECT_TRUE(EventuallyHolds("t", ca_));
}

class ReferencedSecretsServerTest : public SecretCachingTest {
 protected:
  const CaInjectorOptions options_{.secret_caching = SecretCaching::kReferenced};
};

TEST_F(ReferencedSecretsServerTest, HoldsAndFollowsOnlyReferencedSecrets) {
  CreateOthers(50);
  Create({StoredSecret(ca_), StoredCertificate("serving", "serving-tls"),
          StoredCertificateSecret(ca_, "serving", "serving-tls")});
  CreateTarget("by-secret", kInjectCaFromSecret, "ns/ca");
  CreateTarget("by-certificate", kInjectCaFrom, "ns/serving");
  Process process(connection_, options_);
  ASSERT_TRUE(Settled(process));
  EXPECT_TRUE(Holds(target_, "by-secret", ca_));
  EXPECT_TRUE(Holds(target_, "by-certificate", ca_));
  ASSERT_TRUE(testing::Eventually([&] {
    return process.Metrics().find("capstan_cache_objects{resource=\"secrets\"} 2\n") !=
           std::string::npos;
  }));
  EXPECT_EQ(Count("watch"), 2U);
  EXPECT_EQ(Count("list"), 0U);
  const std::string rotated = NewCaPem();

  Update("ca", StoredSecret(rotated));
  Update("serving-tls", StoredCertificateSecret(rotated, "serving", "serving-tls"));

  EXPECT_TRUE(EventuallyHolds("by-secret", ca_ + rotated));
  EXPECT_TRUE(EventuallyHolds("by-certificate", ca_ + rotated));
}

TEST_F(ReferencedSecretsServerTest, InjectsASecretCreatedLater) {
  CreateTarget("t", kInjectCaFromSecret, "ns/ca");
  Process process(connection_, options_);
  ASSERT_TRUE(testing::Eventually([&] { return Count("watch") == 1; }));
  ASSERT_TRUE(Settled(process));
  EXPECT_THAT(process.events.events(), Contains(HasSubstr("Secret ns/ca does not exist")));

  Create({StoredSecret(ca_)});

  EXPECT_TRUE(EventuallyHolds("t", ca_));
}

TEST_F(ReferencedSecretsServerTest, FollowsACertificateToAnotherSecret) {
  const std::string other = NewCaPem();
  Create({StoredCertificate("serving", "one"), StoredCertificateSecret(ca_, "serving", "one"),
          StoredCertificateSecret(other, "serving", "two")});
  CreateTarget("t", kInjectCaFrom, "ns/serving");
  const Process process(connection_, options_);
  ASSERT_TRUE(EventuallyHolds("t", ca_));

  ASSERT_TRUE(observer_
                  ->Patch({}, CertManagerCertificate::Type(), {"ns", "serving"},
                          rest::PatchType::kMerge, R"({"spec":{"secretName":"two"}})")
                  .has_value());

  EXPECT_TRUE(EventuallyHolds("t", ca_ + other));
}

TEST_F(ReferencedSecretsServerTest, ReportsAForbiddenSecretOnItsTargetsOnly) {
  server_.InjectFault({.match = {.verb = "get", .resource = "secrets", .name = "closed"},
                       .code = 403,
                       .message = "secrets \"closed\" is forbidden",
                       .count = -1});
  for (const std::string verb : {"list", "watch"}) {
    server_.InjectFault({.match = {.verb = verb, .resource = "secrets"},
                         .code = 403,
                         .message = "secrets is forbidden",
                         .count = -1});
  }
  Create({StoredSecret(ca_), StoredSecret(ca_, "closed")});
  CreateTarget("good", kInjectCaFromSecret, "ns/ca");
  CreateTarget("bad", kInjectCaFromSecret, "ns/closed");
  Process process(connection_, options_);

  ASSERT_TRUE(Settled(process)) << process.ReadyText();  // ready without any watch
  EXPECT_TRUE(Holds(target_, "good", ca_));
  EXPECT_TRUE(Holds(target_, "bad", ""));
  EXPECT_THAT(process.events.events(),
              Contains(HasSubstr("Warning Forbidden ValidatingWebhookConfiguration/bad")));
  EXPECT_THAT(process.Metrics(), HasSubstr("kind=\"ValidatingWebhookConfiguration\",result="
                                           "\"Forbidden\",source=\"Secret\""));
  EXPECT_TRUE(testing::Eventually([&] {
    return process.ReadyText().find("[i]referenced-secrets: 2 of 2 Secrets cannot be watched") !=
           std::string::npos;
  })) << process.ReadyText();
}

TEST_F(ReferencedSecretsServerTest, RejectsAnInvalidSecretNameOfACertificate) {
  Create({StoredCertificate("serving", "..")});
  CreateTarget("t", kInjectCaFrom, "ns/serving");
  Process process(connection_, options_);
  ASSERT_TRUE(Settled(process));

  EXPECT_THAT(process.events.events(), Contains(HasSubstr("cannot be the name of a Secret")));
  EXPECT_EQ(Count("get") + Count("watch") + Count("list"), 0U);
}

TEST_F(ReferencedSecretsServerTest, SendsNoRequestsForOtherNamespaces) {
  CreateTarget("t", kInjectCaFromSecret, "elsewhere/ca");
  CaInjectorOptions options = options_;
  options.namespaces = {"ns"};
  Process process(connection_, options);
  ASSERT_TRUE(Settled(process));

  EXPECT_THAT(process.events.events(), Contains(HasSubstr("Warning OutsideNamespace")));
  EXPECT_EQ(Count("get") + Count("watch") + Count("list"), 0U);
}

TEST_F(CaInjectorTest, InjectsTheSystemsCasAgainAfterAChangeOfTheirFile) {
  const testing::TempDir dir;
  const std::string file = dir.Write("cas.crt", ca_);
  testing::FakeClock clock;
  Create({StoredTarget(validating_, "v", {{kInjectCaFromSources, "system"}})});
  Process process(connection_, {.system_ca_file = file, .clock = clock});
  // While the manager waits for its caches, it polls for refused lists with this clock.
  ASSERT_TRUE(testing::Eventually([&] {
    clock.Step(std::chrono::seconds(1));
    return BundleOf(validating_, "v") == ca_;
  }));
  const std::string other = NewCaPem();

  dir.Write("cas.crt", other);

  EXPECT_TRUE(testing::Eventually([&] {
    clock.Step(std::chrono::seconds(10));  // the poll
    return BundleOf(validating_, "v") == ca_ + other;
  }));
}

}  // namespace
}  // namespace capstan::cainjector
