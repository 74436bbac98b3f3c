// SPDX-License-Identifier: Apache-2.0
// Which Secrets are held and watched (CaInjectorOptions::secret_caching), against the embedded API
// server: what works all the same, what is asked for, and what is held.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "clientgo/api/certificate.h"
#include "controllers/cainjector/rules/annotations.h"
#include "controllers/cainjector/targets/webhook_target.h"
#include "controllers/cainjector/testing/process.h"

namespace controllers::cainjector {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;

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
    return Eventually([&] { return Holds(target_, name, bundle); });
  }
  std::uint64_t Count(const std::string& verb) {
    return server_.CountRequests({.verb = verb, .resource = "secrets", .user_agent = "under-test"});
  }
  // Secrets that nobody refers to.
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

TEST_F(LabelledSecretsTest, OnlyLabelledSecretsAreHeldAndTheirChangesActAtOnce) {
  CreateOthers(50);
  Create({Labelled(StoredSecret(ca_))});
  CreateTarget("t", kInjectCaFromSecret, "ns/ca");
  Process process(*client_, options_);
  ASSERT_TRUE(EventuallyHolds("t", ca_));
  EXPECT_THAT(process.Metrics(), HasSubstr("capstan_cache_objects{resource=\"secrets\"} 1\n"));
  const std::string rotated = NewCaPem();

  Update("ca", Labelled(StoredSecret(rotated)));

  EXPECT_TRUE(EventuallyHolds("t", ca_ + rotated));
  EXPECT_EQ(Gets("secrets"), 2U);  // the content of each version
}

TEST_F(LabelledSecretsTest, AnUnlabelledSecretAndACertificatesStillWorkAtThePriceOfCalls) {
  Create({StoredSecret(ca_), StoredCertificate("serving", "serving-tls"),
          StoredCertificateSecret(ca_, "serving", "serving-tls")});
  CreateTarget("by-secret", kInjectCaFromSecret, "ns/ca");
  CreateTarget("by-certificate", kInjectCaFrom, "ns/serving");
  Process process(*client_, options_);
  ASSERT_TRUE(Settled(process));

  EXPECT_TRUE(Holds(target_, "by-secret", ca_));
  EXPECT_TRUE(Holds(target_, "by-certificate", ca_));
  EXPECT_GE(Gets("secrets"), 4U);  // of each the content once, the metadata at each look
  EXPECT_THAT(process.Metrics(), HasSubstr("capstan_resolver_requests_total{resolver=\"client\","
                                           "resource=\"secrets\",result=\"hit\"} "));
}

TEST_F(LabelledSecretsTest, ASecretThatGetsTheLabelIsFollowedFromThenOn) {
  CreateTarget("t", kInjectCaFromSecret, "ns/ca");
  Process process(*client_, options_);
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

TEST_F(ReferencedSecretsServerTest, HoldsWhatIsReferredToAndNothingElseAndFollowsIt) {
  CreateOthers(50);
  Create({StoredSecret(ca_), StoredCertificate("serving", "serving-tls"),
          StoredCertificateSecret(ca_, "serving", "serving-tls")});
  CreateTarget("by-secret", kInjectCaFromSecret, "ns/ca");
  CreateTarget("by-certificate", kInjectCaFrom, "ns/serving");
  Process process(*client_, options_);
  ASSERT_TRUE(Settled(process));
  EXPECT_TRUE(Holds(target_, "by-secret", ca_));
  EXPECT_TRUE(Holds(target_, "by-certificate", ca_));
  ASSERT_TRUE(Eventually([&] {
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

TEST_F(ReferencedSecretsServerTest, ASecretThatComesLaterIsInjectedWhenItComes) {
  CreateTarget("t", kInjectCaFromSecret, "ns/ca");
  Process process(*client_, options_);
  ASSERT_TRUE(Eventually([&] { return Count("watch") == 1; }));
  ASSERT_TRUE(Settled(process));
  EXPECT_THAT(process.events.events(), Contains(HasSubstr("Secret ns/ca does not exist")));

  Create({StoredSecret(ca_)});

  EXPECT_TRUE(EventuallyHolds("t", ca_));
}

TEST_F(ReferencedSecretsServerTest, ACertificateThatMovesToAnotherSecretIsFollowed) {
  const std::string other = NewCaPem();
  Create({StoredCertificate("serving", "one"), StoredCertificateSecret(ca_, "serving", "one"),
          StoredCertificateSecret(other, "serving", "two")});
  CreateTarget("t", kInjectCaFrom, "ns/serving");
  const Process process(*client_, options_);
  ASSERT_TRUE(EventuallyHolds("t", ca_));

  ASSERT_TRUE(observer_
                  ->Patch({}, clientgo::api::Certificate::Type(), {"ns", "serving"},
                          clientgo::rest::PatchType::kMerge, R"({"spec":{"secretName":"two"}})")
                  .has_value());

  EXPECT_TRUE(EventuallyHolds("t", ca_ + other));
}

TEST_F(ReferencedSecretsServerTest, OneForbiddenSecretIsTheTroubleOfItsTargetsAlone) {
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
  Process process(*client_, options_);

  ASSERT_TRUE(Settled(process)) << process.ReadyText();  // no watch at all is no reason to wait
  EXPECT_TRUE(Holds(target_, "good", ca_));
  EXPECT_TRUE(Holds(target_, "bad", ""));
  EXPECT_THAT(process.events.events(),
              Contains(HasSubstr("Warning Forbidden ValidatingWebhookConfiguration/bad")));
  EXPECT_THAT(process.Metrics(), HasSubstr("kind=\"ValidatingWebhookConfiguration\",result="
                                           "\"Forbidden\",source=\"Secret\""));
  EXPECT_TRUE(Eventually([&] {
    return process.ReadyText().find("[i]referenced-secrets: 2 of 2 Secrets cannot be watched") !=
           std::string::npos;
  })) << process.ReadyText();
}

TEST_F(ReferencedSecretsServerTest, ACertificateMayNotNameWhatIsNoName) {
  Create({StoredCertificate("serving", "..")});
  CreateTarget("t", kInjectCaFrom, "ns/serving");
  Process process(*client_, options_);
  ASSERT_TRUE(Settled(process));

  EXPECT_THAT(process.events.events(), Contains(HasSubstr("cannot be the name of a Secret")));
  EXPECT_EQ(Count("get") + Count("watch") + Count("list"), 0U);
}

TEST_F(ReferencedSecretsServerTest, WithinNamespacesTheOthersAreNotAskedFor) {
  CreateTarget("t", kInjectCaFromSecret, "elsewhere/ca");
  CaInjectorOptions options = options_;
  options.namespaces = {"ns"};
  Process process(*client_, options);
  ASSERT_TRUE(Settled(process));

  EXPECT_THAT(process.events.events(), Contains(HasSubstr("Warning OutsideNamespace")));
  EXPECT_EQ(Count("get") + Count("watch") + Count("list"), 0U);
}

}  // namespace
}  // namespace controllers::cainjector
