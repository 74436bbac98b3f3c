// SPDX-License-Identifier: Apache-2.0
// The sources and their caches against the embedded API server: chains that break and mend, what is
// watched and what is not, and what happens where the server refuses.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "clientgo/api/certificate.h"
#include "clientgo/api/config_map.h"
#include "controllers/cainjector/rules/annotations.h"
#include "controllers/cainjector/targets/api_service_target.h"
#include "controllers/cainjector/targets/custom_resource_definition_target.h"
#include "controllers/cainjector/targets/webhook_target.h"
#include "controllers/cainjector/testing/process.h"

namespace controllers::cainjector {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;

class SourcesServerTest : public ProcessTest {
 protected:
  void CreateTarget(const std::string& name, std::string_view annotation,
                    const std::string& value) {
    Create({StoredTarget(target_, name, {{annotation, value}})});
  }
  bool EventuallyHolds(const std::string& name, const std::string& bundle) {
    return Eventually([&] { return Holds(target_, name, bundle); });
  }
  static bool Told(Process& process, const std::string& text) {
    return Eventually([&] {
      const auto events = process.events.events();
      return std::any_of(events.begin(), events.end(), [&](const std::string& event) {
        return event.find(text) != std::string::npos;
      });
    });
  }
  void RefuseLists(const std::string& resource, int code, const std::string& message) {
    for (const std::string verb : {"list", "watch"}) {
      server_.InjectFault({.match = {.verb = verb, .resource = resource},
                           .code = code,
                           .message = message,
                           .count = -1});
    }
  }
  const Target& target_ = ValidatingWebhookTarget();
};

TEST_F(SourcesServerTest, EveryLinkOfACertificatesChainCanBreakAndMend) {
  CreateTarget("t", kInjectCaFrom, "ns/serving");
  Process process(*client_);
  ASSERT_TRUE(Told(process,
                   "SourceNotFound ValidatingWebhookConfiguration/t: Certificate "
                   "ns/serving does not exist"));

  Create({StoredCertificate("serving", "serving-tls")});
  ASSERT_TRUE(Told(process, "Secret ns/serving-tls of Certificate ns/serving does not exist"));

  Create({StoredCertificateSecret(ca_, "another", "serving-tls")});
  ASSERT_TRUE(Told(process, "NotThisCertificate"));
  EXPECT_EQ(Gets("secrets"), 0U);

  Update("serving-tls", StoredCertificateSecret("", "serving", "serving-tls"));
  ASSERT_TRUE(Told(process, "NoCaData"));
  EXPECT_EQ(Writes(), 0U);

  Update("serving-tls", StoredCertificateSecret(ca_, "serving", "serving-tls"));
  EXPECT_TRUE(EventuallyHolds("t", ca_));
}

TEST_F(SourcesServerTest, ACertificateThatMovesToAnotherSecretIsFollowed) {
  const std::string other = NewCaPem();
  Create({StoredCertificate("serving", "one"), StoredCertificateSecret(ca_, "serving", "one"),
          StoredCertificateSecret(other, "serving", "two")});
  CreateTarget("t", kInjectCaFrom, "ns/serving");
  const Process process(*client_);
  ASSERT_TRUE(EventuallyHolds("t", ca_));

  ASSERT_TRUE(observer_
                  ->Patch({}, clientgo::api::Certificate::Type(), {"ns", "serving"},
                          clientgo::rest::PatchType::kMerge, R"({"spec":{"secretName":"two"}})")
                  .has_value());

  EXPECT_TRUE(EventuallyHolds("t", ca_ + other));
}

TEST_F(SourcesServerTest, TwoSourcesShareOneGetOfTheirSecret) {
  Create({StoredCertificate("serving", "both"),
          StoredSecret(ca_, "both",
                       {{kAllowDirectInjection, "true"}, {kCertificateName, "serving"}})});
  CreateTarget("by-secret", kInjectCaFromSecret, "ns/both");
  CreateTarget("by-certificate", kInjectCaFrom, "ns/serving");
  Process process(*client_);
  ASSERT_TRUE(Settled(process));

  EXPECT_TRUE(Holds(target_, "by-secret", ca_));
  EXPECT_TRUE(Holds(target_, "by-certificate", ca_));
  EXPECT_EQ(Gets("secrets"), 1U);
}

TEST_F(SourcesServerTest, WithoutTheCertificateKindAllElseWorksUntilItAppears) {
  RefuseLists("certificates", 404, "the server could not find the requested resource");
  Create({StoredSecret(ca_), StoredCertificate("serving", "serving-tls"),
          StoredCertificateSecret(ca_, "serving", "serving-tls")});
  CreateTarget("by-secret", kInjectCaFromSecret, "ns/ca");
  CreateTarget("by-certificate", kInjectCaFrom, "ns/serving");
  Process process(*client_);
  ASSERT_TRUE(Settled(process)) << process.ReadyText();

  EXPECT_TRUE(Holds(target_, "by-secret", ca_));
  EXPECT_TRUE(Holds(target_, "by-certificate", ""));
  EXPECT_THAT(process.events.events(),
              Contains(AllOf(HasSubstr("Warning SourceUnavailable"),
                             HasSubstr("ValidatingWebhookConfiguration/by-certificate"),
                             EndsWith("Certificates cannot be listed: failed to list certificates: "
                                      "the server could not find the requested resource"))));
  EXPECT_THAT(process.ReadyText(), HasSubstr("[i]caches-certificates: cache of certificates is "
                                             "not synced"));

  server_.ClearFaults();
  EXPECT_TRUE(EventuallyHolds("by-certificate", ca_));
  EXPECT_THAT(process.ReadyText(), Not(HasSubstr("[i]caches-certificates")));
}

TEST_F(SourcesServerTest, WithoutRightsForCertificatesOnlyTheyAreMissingAndReadyzFails) {
  RefuseLists("certificates", 403, "certificates is forbidden: no RBAC");
  Create({StoredSecret(ca_)});
  CreateTarget("by-secret", kInjectCaFromSecret, "ns/ca");
  Process process(*client_);

  EXPECT_TRUE(EventuallyHolds("by-secret", ca_));
  EXPECT_TRUE(Eventually([&] {
    return process.ReadyText().find("[-]caches-certificates failed") != std::string::npos;
  }));
}

TEST_F(SourcesServerTest, AKindOfTargetThatCannotBeListedStopsNoOther) {
  RefuseLists("apiservices", 403, "apiservices is forbidden: no RBAC");
  Create({StoredSecret(ca_)});
  CreateTarget("t", kInjectCaFromSecret, "ns/ca");
  Process process(*client_);

  EXPECT_TRUE(EventuallyHolds("t", ca_));
  EXPECT_THAT(process.ReadyText(), HasSubstr("[-]caches-apiservices failed"));
}

TEST_F(SourcesServerTest, DisabledKindsAreNotEvenWatched) {
  Create({StoredSecret(ca_),
          StoredTarget(ApiServiceTarget(), "a", {{kInjectCaFromSecret, "ns/ca"}}),
          StoredTarget(CustomResourceDefinitionTarget(), "c", {{kInjectCaFromSecret, "ns/ca"}})});
  CreateTarget("t", kInjectCaFromSecret, "ns/ca");
  Process process(*client_, {.certificates = false,
                             .config_maps = false,
                             .kinds = {.mutating_webhook_configurations = false,
                                       .custom_resource_definitions = false,
                                       .api_services = false}});
  ASSERT_TRUE(Settled(process));

  EXPECT_TRUE(Holds(target_, "t", ca_));
  EXPECT_TRUE(Holds(ApiServiceTarget(), "a", ""));
  EXPECT_TRUE(Holds(CustomResourceDefinitionTarget(), "c", ""));
  for (const std::string resource :
       {"certificates", "configmaps", "apiservices", "customresourcedefinitions",
        "mutatingwebhookconfigurations"}) {
    EXPECT_EQ(server_.CountRequests({.resource = resource, .user_agent = "under-test"}), 0U)
        << resource;
  }
}

TEST_F(SourcesServerTest, ADisabledSourceIsTheReasonAndHidesWhatComesAfterIt) {
  Create({StoredTarget(target_, "t", {{kInjectCaFrom, "ns/serving"}, {kInjectApiServerCa, "true"}}),
          StoredTarget(target_, "m", {{kInjectCaFromConfigMap, "ns/trust"}})});
  Process process(*client_, {.certificates = false, .config_maps = false});
  ASSERT_TRUE(Settled(process));

  EXPECT_THAT(process.events.events(),
              ::testing::UnorderedElementsAre(
                  "Warning SourceDisabled ValidatingWebhookConfiguration/t: Certificates are "
                  "disabled as a source (--enable-certificates-data-source=false)",
                  "Warning SourceDisabled ValidatingWebhookConfiguration/m: ConfigMaps are "
                  "disabled as a source (feature gate ConfigMapSource)"));
  EXPECT_EQ(Writes(), 0U);
}

std::string InNamespace(const std::string& object, const std::string& ns) {
  std::string moved = object;
  const std::string from = R"("namespace":"ns")";
  moved.replace(moved.find(from), from.size(), R"("namespace":")" + ns + "\"");
  return moved;
}

TEST_F(SourcesServerTest, SeveralNamespacesAreWatchedEachByItself) {
  for (const std::string ns : {"one", "two", "three"}) {
    Create({InNamespace(StoredSecret(ca_), ns)});
    CreateTarget(ns, kInjectCaFromSecret, ns + "/ca");
  }
  Process process(*client_, {.namespaces = {"one", "two"}});
  ASSERT_TRUE(Settled(process));

  EXPECT_TRUE(Holds(target_, "one", ca_));
  EXPECT_TRUE(Holds(target_, "two", ca_));
  EXPECT_TRUE(Holds(target_, "three", ""));
  EXPECT_THAT(process.events.events(), Contains(HasSubstr("Warning OutsideNamespace")));
  EXPECT_EQ(server_.CountRequests({.verb = "watch", .resource = "secrets"}), 2U);
}

TEST_F(SourcesServerTest, IgnoredNamespacesAreNotSentAtAll) {
  for (const std::string ns : {"one", "two", "three"}) {
    Create({InNamespace(StoredSecret(ca_), ns), InNamespace(StoredCertificate("c", "ca"), ns)});
    CreateTarget(ns, kInjectCaFromSecret, ns + "/ca");
  }
  CreateTarget("certificate", kInjectCaFrom, "two/c");
  clientgo::cache::SharedInformerFactory informers(*observer_, clientgo::cache::FactoryOptions{});
  const SourceCache secrets(informers, SecretMetadataType(),
                            NamespaceScope{.ignored = {"two", "three"}}.Watches(),
                            clientgo::util::Clock::Real());
  std::stop_source stop;
  informers.Start(stop.get_token());
  ASSERT_TRUE(informers.WaitForCacheSync({}));
  EXPECT_THAT(secrets.ListKeys(), ElementsAre("one/ca"));
  stop.request_stop();

  Process process(*client_, {.ignore_namespaces = {"two", "three"}});
  ASSERT_TRUE(Settled(process));

  EXPECT_TRUE(Holds(target_, "one", ca_));
  EXPECT_TRUE(Holds(target_, "two", ""));
  EXPECT_THAT(process.events.events(),
              Contains(HasSubstr("Secret two/ca is in a namespace that is ignored")));
  EXPECT_THAT(process.events.events(),
              Contains(HasSubstr("Certificate two/c is in a namespace that is ignored")));
}

TEST_F(SourcesServerTest, ALabelledConfigMapIsFollowedAtOnce) {
  Create({StoredConfigMap("trust", true, "ca.crt", ca_)});
  CreateTarget("t", kInjectCaFromConfigMap, "ns/trust");
  const Process process(*client_);
  ASSERT_TRUE(EventuallyHolds("t", ca_));
  const std::string rotated = NewCaPem();

  ASSERT_TRUE(observer_
                  ->Update({}, clientgo::api::ConfigMap::Type(), {"ns", "trust"},
                           StoredConfigMap("trust", true, "ca.crt", rotated))
                  .has_value());

  EXPECT_TRUE(EventuallyHolds("t", ca_ + rotated));
  EXPECT_EQ(Gets("configmaps"), 0U);
}

TEST_F(SourcesServerTest, AConfigMapWithoutTheLabelCostsACall) {
  Create({StoredConfigMap("trust", false, "ca.crt", ca_)});
  CreateTarget("t", kInjectCaFromConfigMap, "ns/trust");
  Process process(*client_);

  EXPECT_TRUE(EventuallyHolds("t", ca_));
  EXPECT_THAT(process.Metrics(),
              HasSubstr("capstan_resolver_requests_total{resolver=\"client\",resource="
                        "\"configmaps\",result=\"hit\"}"));
}

TEST_F(SourcesServerTest, WithoutRightsToListConfigMapsNothingElseIsMissing) {
  RefuseLists("configmaps", 403, "configmaps is forbidden: no RBAC");
  Create({StoredSecret(ca_)});
  CreateTarget("t", kInjectCaFromSecret, "ns/ca");
  Process process(*client_);

  ASSERT_TRUE(Settled(process)) << process.ReadyText();
  EXPECT_TRUE(Holds(target_, "t", ca_));
  EXPECT_THAT(process.ReadyText(), HasSubstr("[i]caches-configmaps: "));
}

}  // namespace
}  // namespace controllers::cainjector
