// SPDX-License-Identifier: Apache-2.0
// Tests of the sources and their caches: incomplete Certificates, watched resources, and missing
// rights. One kind of target is enough, because sources do not depend on the kind.
#include "capstan/api/config_map.h"
#include "capstan/testing/eventually.h"
#include "controllers/cainjector/api/objects.h"
#include "controllers/cainjector/targets/target.h"
#include "e2e/injection/fixture.h"

namespace capstan::injection {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::UnorderedElementsAre;

class SourcesTest : public InjectionTest {
 protected:
  void CreateTarget(const std::string& name, std::string_view annotation,
                    const std::string& value) {
    InjectionTest::CreateTarget(target_, name, {{annotation, value}});
  }
  bool ComesToHold(const std::string& name, const std::string& bundle) {
    return InjectionTest::ComesToHold(target_, name, bundle);
  }
  bool Holds(const std::string& name, const std::string& bundle) {
    return InjectionTest::Holds(target_, name, bundle);
  }
  // Rejects lists and watches of a resource.
  void RefuseLists(const std::string& resource, int code, const std::string& message) {
    recorder_.Refuse("/" + resource + "?", code, message);
  }
  // Creates ns-one, ns-two and ns-three, each with a Secret ca and a target "one", "two" or
  // "three".
  void CreateThreeNamespaces() {
    for (const std::string name : {"one", "two", "three"}) {
      CreateNamespace(name);
      Create({InNamespace(name, cainjector::StoredSecret(ca_)),
              InNamespace(name, cainjector::StoredCertificate("serving", "ca"))});
      CreateTarget(name, cainjector::kInjectCaFromSecret, "ns-" + name + "/ca");
    }
  }
  static std::string InNamespace(const std::string& name, std::string object) {
    const std::string from = R"("namespace":"ns")";
    return object.replace(object.find(from), from.size(), R"("namespace":"ns-)" + name + "\"");
  }
  std::uint64_t WatchesOf(const std::string& path) const {
    return recorder_.Count("GET", {path + "?", "watch="});
  }
  const cainjector::Target& target_ = cainjector::ValidatingWebhookTarget();
};

TEST_F(SourcesTest, RecoversFromEachMissingPartOfACertificate) {
  CreateTarget("t", cainjector::kInjectCaFrom, "ns/serving");
  cainjector::Process process(connection_);
  ASSERT_TRUE(GetsEvent(process,
                        "SourceNotFound ValidatingWebhookConfiguration/t: Certificate "
                        "ns/serving does not exist"));

  Create({cainjector::StoredCertificate("serving", "serving-tls")});
  ASSERT_TRUE(GetsEvent(process, "Secret ns/serving-tls of Certificate ns/serving does not exist"));

  Create({cainjector::StoredCertificateSecret(ca_, "another", "serving-tls")});
  ASSERT_TRUE(GetsEvent(process, "NotThisCertificate"));
  EXPECT_EQ(Gets("secrets"), 0U);

  Update("serving-tls", cainjector::StoredCertificateSecret("", "serving", "serving-tls"));
  ASSERT_TRUE(GetsEvent(process, "NoCaData"));
  EXPECT_EQ(Writes(), 0U);

  Update("serving-tls", cainjector::StoredCertificateSecret(ca_, "serving", "serving-tls"));
  EXPECT_TRUE(ComesToHold("t", ca_));
}

TEST_F(SourcesTest, FollowsACertificateToAnotherSecret) {
  const std::string other = cainjector::NewCaPem();
  Create({cainjector::StoredCertificate("serving", "one"),
          cainjector::StoredCertificateSecret(ca_, "serving", "one"),
          cainjector::StoredCertificateSecret(other, "serving", "two")});
  CreateTarget("t", cainjector::kInjectCaFrom, "ns/serving");
  const cainjector::Process process(connection_);
  ASSERT_TRUE(ComesToHold("t", ca_));

  ASSERT_TRUE(observer_
                  ->Patch({}, cainjector::CertManagerCertificate::Type(), {Own("ns"), "serving"},
                          rest::PatchType::kMerge, R"({"spec":{"secretName":"two"}})")
                  .has_value());

  EXPECT_TRUE(ComesToHold("t", ca_ + other));
}

TEST_F(SourcesTest, TwoSourcesShareOneGetOfTheirSecret) {
  Create({cainjector::StoredCertificate("serving", "both"),
          cainjector::StoredSecret(ca_, "both",
                                   {{cainjector::kAllowDirectInjection, "true"},
                                    {cainjector::kCertificateName, "serving"}})});
  CreateTarget("by-secret", cainjector::kInjectCaFromSecret, "ns/both");
  CreateTarget("by-certificate", cainjector::kInjectCaFrom, "ns/serving");
  cainjector::Process process(connection_);

  EXPECT_TRUE(ComesToHold("by-secret", ca_));
  EXPECT_TRUE(ComesToHold("by-certificate", ca_));
  EXPECT_EQ(Gets("secrets"), 1U);
}

TEST_F(SourcesTest, WorksWithoutTheCertificateKindUntilItAppears) {
  RefuseLists("certificates", 404, "the server could not find the requested resource");
  Create({cainjector::StoredSecret(ca_), cainjector::StoredCertificate("serving", "serving-tls"),
          cainjector::StoredCertificateSecret(ca_, "serving", "serving-tls")});
  CreateTarget("by-secret", cainjector::kInjectCaFromSecret, "ns/ca");
  CreateTarget("by-certificate", cainjector::kInjectCaFrom, "ns/serving");
  cainjector::Process process(connection_);
  ASSERT_TRUE(Settled(process)) << process.ReadyText();

  EXPECT_TRUE(Holds("by-secret", ca_));
  EXPECT_TRUE(Holds("by-certificate", ""));
  EXPECT_THAT(Events(process),
              Contains(AllOf(HasSubstr("Warning SourceUnavailable"),
                             HasSubstr("ValidatingWebhookConfiguration/by-certificate"),
                             EndsWith("Certificates cannot be listed: failed to list certificates: "
                                      "the server could not find the requested resource"))));
  EXPECT_THAT(process.ReadyText(), HasSubstr("[i]caches-certificates: cache of certificates is "
                                             "not synced"));

  recorder_.AcceptAll();
  EXPECT_TRUE(ComesToHold("by-certificate", ca_));
  EXPECT_TRUE(testing::Eventually([&] {
    return process.ReadyText().find("[i]caches-certificates") == std::string::npos;
  })) << process.ReadyText();
}

TEST_F(SourcesTest, FailsReadyzWithoutRightsForCertificates) {
  RefuseLists("certificates", 403, "certificates is forbidden: no RBAC");
  Create({cainjector::StoredSecret(ca_)});
  CreateTarget("by-secret", cainjector::kInjectCaFromSecret, "ns/ca");
  cainjector::Process process(connection_);

  EXPECT_TRUE(ComesToHold("by-secret", ca_));
  EXPECT_TRUE(testing::Eventually([&] {
    return process.ReadyText().find("[-]caches-certificates failed") != std::string::npos;
  }));
}

TEST_F(SourcesTest, AForbiddenTargetKindDoesNotBlockOthers) {
  RefuseLists("apiservices", 403, "apiservices is forbidden: no RBAC");
  Create({cainjector::StoredSecret(ca_)});
  CreateTarget("t", cainjector::kInjectCaFromSecret, "ns/ca");
  cainjector::Process process(connection_);

  EXPECT_TRUE(ComesToHold("t", ca_));
  EXPECT_THAT(process.ReadyText(), HasSubstr("[-]caches-apiservices failed"));
}

TEST_F(SourcesTest, DoesNotWatchDisabledKinds) {
  Create({cainjector::StoredSecret(ca_)});
  CreateTargets("t", {{cainjector::kInjectCaFromSecret, "ns/ca"}});
  cainjector::Process process(connection_, {.certificates = false,
                                            .config_maps = false,
                                            .kinds = {.mutating_webhook_configurations = false,
                                                      .custom_resource_definitions = false,
                                                      .api_services = false}});
  ASSERT_TRUE(Settled(process));

  EXPECT_TRUE(Holds("t", ca_));
  EXPECT_TRUE(InjectionTest::Holds(cainjector::ApiServiceTarget(), "t", ""));
  EXPECT_TRUE(InjectionTest::Holds(cainjector::CustomResourceDefinitionTarget(), "t", ""));
  for (const std::string resource :
       {"certificates", "configmaps", "apiservices", "customresourcedefinitions",
        "mutatingwebhookconfigurations"}) {
    EXPECT_EQ(recorder_.Count("GET", {"/" + resource}), 0U) << resource;
  }
}

TEST_F(SourcesTest, ReportsADisabledSourceAndIgnoresLaterOnes) {
  InjectionTest::CreateTarget(
      target_, "t",
      {{cainjector::kInjectCaFrom, "ns/serving"}, {cainjector::kInjectApiServerCa, "true"}});
  CreateTarget("m", cainjector::kInjectCaFromConfigMap, "ns/trust");
  cainjector::Process process(connection_, {.certificates = false, .config_maps = false});
  ASSERT_TRUE(Settled(process));

  EXPECT_THAT(Events(process),
              UnorderedElementsAre(
                  "Warning SourceDisabled ValidatingWebhookConfiguration/t: Certificates are "
                  "disabled as a source (--enable-certificates-data-source=false)",
                  "Warning SourceDisabled ValidatingWebhookConfiguration/m: ConfigMaps are "
                  "disabled as a source (feature gate ConfigMapSource)"));
  EXPECT_EQ(Writes(), 0U);
}

TEST_F(SourcesTest, WatchesEachNamespaceSeparately) {
  CreateThreeNamespaces();
  cainjector::Process process(connection_, {.namespaces = {Own("ns-one"), Own("ns-two")}});
  ASSERT_TRUE(Settled(process));

  EXPECT_TRUE(Holds("one", ca_));
  EXPECT_TRUE(Holds("two", ca_));
  EXPECT_TRUE(Holds("three", ""));
  EXPECT_TRUE(GetsEvent(process, "Warning OutsideNamespace ValidatingWebhookConfiguration/three"));
  for (const std::string resource : {"secrets", "certificates", "configmaps"}) {
    EXPECT_GE(WatchesOf("/" + Own("ns-one") + "/" + resource), 1U);
    EXPECT_GE(WatchesOf("/" + Own("ns-two") + "/" + resource), 1U);
    EXPECT_EQ(WatchesOf("/v1/" + resource), 0U);
  }
}

TEST_F(SourcesTest, DoesNotReceiveObjectsOfIgnoredNamespaces) {
  CreateThreeNamespaces();
  CreateTarget("certificate", cainjector::kInjectCaFrom, "ns-two/serving");
  const std::vector<std::string> ignored = {Own("ns-two"), Own("ns-three")};
  cache::SharedInformerFactory informers(*observer_, cache::FactoryOptions{});
  const auto secrets =
      cainjector::NewView(informers, cainjector::SecretMetadataType(),
                          cainjector::NamespaceScope{.ignored = ignored}.Watches());
  std::stop_source stop;
  informers.Start(stop.get_token());
  ASSERT_TRUE(informers.WaitForCacheSync({}));
  EXPECT_NE(secrets->store().GetByKey(Own("ns-one") + "/ca"), nullptr);
  EXPECT_EQ(secrets->store().GetByKey(Own("ns-two") + "/ca"), nullptr);
  EXPECT_EQ(secrets->store().GetByKey(Own("ns-three") + "/ca"), nullptr);
  stop.request_stop();

  cainjector::Process process(connection_, {.ignore_namespaces = ignored});
  ASSERT_TRUE(Settled(process));

  EXPECT_TRUE(Holds("one", ca_));
  EXPECT_TRUE(Holds("two", ""));
  EXPECT_TRUE(Holds("certificate", ""));
  EXPECT_TRUE(GetsEvent(process, "Secret ns-two/ca is in a namespace that is ignored"));
  EXPECT_TRUE(GetsEvent(process, "Certificate ns-two/serving is in a namespace that is ignored"));
}

TEST_F(SourcesTest, FollowsALabelledConfigMapWithOneGetForEachVersion) {
  Create({cainjector::StoredConfigMap("trust", true, "ca.crt", ca_)});
  CreateTarget("t", cainjector::kInjectCaFromConfigMap, "ns/trust");
  const cainjector::Process process(connection_);
  ASSERT_TRUE(ComesToHold("t", ca_));
  const std::string rotated = cainjector::NewCaPem();

  ASSERT_TRUE(observer_
                  ->Update({}, TypeOf<api::ConfigMap>(), {Own("ns"), "trust"},
                           Moved(cainjector::StoredConfigMap("trust", true, "ca.crt", rotated)))
                  .has_value());

  EXPECT_TRUE(ComesToHold("t", ca_ + rotated));
  EXPECT_EQ(Gets("configmaps"), 2U);
}

TEST_F(SourcesTest, CachesNoDataOfConfigMapsThatNoTargetNames) {
  for (int i = 0; i < 5; ++i) {
    Create({cainjector::StoredConfigMap("large-" + std::to_string(i), true, "ca.crt",
                                        std::string(500'000, 'x'))});
  }
  cainjector::Process process(connection_, {.namespaces = {Own("ns")}});
  ASSERT_TRUE(Settled(process));

  const std::string metrics = process.Metrics();
  EXPECT_THAT(metrics, HasSubstr("capstan_cache_objects{resource=\"configmaps\"} 5"));
  const std::string name = "capstan_cache_bytes{resource=\"configmaps\"} ";
  const std::size_t at = metrics.find(name);
  ASSERT_NE(at, std::string::npos) << metrics;
  EXPECT_LT(std::stod(metrics.substr(at + name.size())), 5 * 1000.0);
  EXPECT_EQ(Gets("configmaps"), 0U);
}

TEST_F(SourcesTest, GetsAConfigMapWithoutTheLabel) {
  Create({cainjector::StoredConfigMap("trust", false, "ca.crt", ca_)});
  CreateTarget("t", cainjector::kInjectCaFromConfigMap, "ns/trust");
  cainjector::Process process(connection_);

  EXPECT_TRUE(ComesToHold("t", ca_));
  EXPECT_GE(Gets("configmaps"), 1U);
  EXPECT_THAT(process.Metrics(),
              HasSubstr("capstan_resolver_requests_total{resolver=\"client\",resource="
                        "\"configmaps\",result=\"hit\"}"));
}

TEST_F(SourcesTest, WorksWithoutRightsToListConfigMaps) {
  RefuseLists("configmaps", 403, "configmaps is forbidden: no RBAC");
  Create({cainjector::StoredSecret(ca_)});
  CreateTarget("t", cainjector::kInjectCaFromSecret, "ns/ca");
  cainjector::Process process(connection_);

  ASSERT_TRUE(Settled(process)) << process.ReadyText();
  EXPECT_TRUE(Holds("t", ca_));
  EXPECT_THAT(process.ReadyText(), HasSubstr("[i]caches-configmaps: "));
}

}  // namespace
}  // namespace capstan::injection
