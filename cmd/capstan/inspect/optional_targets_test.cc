// SPDX-License-Identifier: Apache-2.0
// Tests of the targets that a manager watches only with flags: ConfigMaps and additional targets.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "capstan/api/config_map.h"
#include "capstan/base64.h"
#include "capstan/testing/temp_dir.h"
#include "clientgo/testing/apiserver/testing/rest_fixture.h"
#include "cmd/capstan/inspect/audit.h"
#include "cmd/capstan/inspect/explain.h"
#include "cmd/capstan/inspect/fix.h"
#include "cmd/capstan/inspect/inspector.h"
#include "cmd/capstan/inspect/kinds.h"
#include "cmd/capstan/inspect/manifests.h"
#include "controllers/cainjector/targets/config_map_target.h"
#include "controllers/cainjector/targets/field_target.h"
#include "controllers/cainjector/testing/fakes.h"

namespace capstan::cmd::cli::inspect {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;

// Certificates are a kind that the embedded server serves without a definition.
cainjector::FieldTargetPtr Certificates() {
  return std::make_shared<const cainjector::FieldTarget>(cainjector::FieldTargetOptions{
      .gvr = {"cert-manager.io", "v1", "certificates"},
      .kind = "Certificate",
      .fields = {cainjector::ParseFieldPath("spec.keystores[*].ca").value()}});
}

class OptionalTargetsTest : public testing::apiserver::RestFixture {
 protected:
  OptionalTargetsTest() { Create(cainjector::StoredSecret(ca_)); }
  void CreateConfigMap(const std::string& labels, const std::string& data = "{}") {
    Create(R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"namespace":"ns","name":"trust",)"
           R"("annotations":{"cert-manager.io/inject-ca-from-secret":"ns/ca"},"labels":)" +
           labels + R"(},"data":)" + data + "}");
  }
  void CreateCertificate() {
    Create(R"({"apiVersion":"cert-manager.io/v1","kind":"Certificate","metadata":{)"
           R"("namespace":"ns","name":"c","annotations":)"
           R"({"cert-manager.io/inject-ca-from-secret":"ns/ca"}},"spec":{"secretName":"x",)"
           R"("keystores":[{},{"ca":")" +
           Base64Encode(ca_) + R"("}]}})");
  }
  Finding Look(const cainjector::Target& target, const std::string& name,
               const cainjector::CaInjectorOptions& options, bool try_write = false) {
    Inspector inspector(*client_, {.try_write = try_write, .injector = options});
    auto finding = inspector.Look({}, target, name);
    EXPECT_TRUE(finding.has_value()) << finding.error().message;
    return finding ? *std::move(finding) : Finding{};
  }

  const std::string ca_ = cainjector::NewCaPem();
  const cainjector::CaInjectorOptions config_maps_{.kinds = {.config_maps = true}};
};

constexpr const char* kLabel = R"({"inject.capstan.dev/enabled":"true"})";

TEST_F(OptionalTargetsTest, AcceptsTheNamesOfOptionalKinds) {
  const cainjector::InjectableKinds kinds{.additional = {Certificates()}};
  for (const std::string name :
       {"configmap", "ConfigMaps", "clustertrustbundle", "clustertrustbundles.certificates.k8s.io",
        "certificate", "certificates.cert-manager.io"}) {
    EXPECT_TRUE(ParseKind(name, kinds).has_value()) << name;
  }
  EXPECT_FALSE(ParseKind("certificate").has_value());
}

TEST_F(OptionalTargetsTest, ExplainsWhyAConfigMapIsNotWatched) {
  CreateConfigMap("{}");

  Finding finding = Look(cainjector::ConfigMapTarget(), "ns/trust", {});
  EXPECT_FALSE(finding.watched);
  EXPECT_THAT(NotWatched(finding), HasSubstr("--enable-configmaps-injectable=false"));

  cainjector::CaInjectorOptions elsewhere = config_maps_;
  elsewhere.namespaces = {"other"};
  finding = Look(cainjector::ConfigMapTarget(), "ns/trust", elsewhere);
  EXPECT_FALSE(finding.watched);
  EXPECT_THAT(NotWatched(finding), HasSubstr("watches no ConfigMap in the namespace ns"));

  finding = Look(cainjector::ConfigMapTarget(), "ns/trust", config_maps_);
  EXPECT_FALSE(finding.watched);
  EXPECT_EQ(FixNotWatched(finding),
            "kubectl label configmaps -n ns trust inject.capstan.dev/enabled=true");
}

TEST_F(OptionalTargetsTest, ReportsAKeyOfAnotherManagerBeforeTheFirstWrite) {
  CreateConfigMap(kLabel, R"({"ca.crt":"theirs"})");

  const Finding finding = Look(cainjector::ConfigMapTarget(), "ns/trust", config_maps_, true);

  EXPECT_EQ(finding.state, State::kBroken);
  EXPECT_EQ(finding.reason, cainjector::Reason::kFieldOwned);
  EXPECT_THAT(finding.message(), HasSubstr(".data.ca.crt"));
  EXPECT_EQ(FixOf(finding, ObjectsOf(finding, "")),
            "kubectl annotate configmaps -n ns trust capstan.dev/inject-ca-key=injected-ca.crt "
            "--overwrite");
}

TEST_F(OptionalTargetsTest, ReportsATargetThatIsASourceOfItself) {
  for (const auto& [name, from] : {std::pair("a", "b"), std::pair("b", "a")}) {
    Create(std::string(R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"namespace":"ns",)") +
           R"("name":")" + name +
           R"(","annotations":{"capstan.dev/inject-ca-from-configmap":"ns/)" + from +
           R"("},"labels":)" + kLabel + "}}");
  }

  const Finding finding = Look(cainjector::ConfigMapTarget(), "ns/a", config_maps_);

  EXPECT_EQ(finding.state, State::kBroken);
  EXPECT_EQ(finding.reason, cainjector::Reason::kBadAnnotation);
  EXPECT_THAT(finding.message(), HasSubstr("a source of itself, through ConfigMap ns/b"));
  EXPECT_EQ(FixOf(finding, ObjectsOf(finding, "")),
            "kubectl annotate configmaps -n ns a "
            "capstan.dev/inject-ca-from-configmap=NAMESPACE/CONFIGMAP --overwrite");
}

TEST_F(OptionalTargetsTest, RequiresTheNamespaceOfATarget) {
  Inspector inspector(*client_, {.injector = config_maps_});
  const auto finding = inspector.Look({}, cainjector::ConfigMapTarget(), "trust");
  ASSERT_FALSE(finding.has_value());
  EXPECT_THAT(finding.error().message, HasSubstr("write NAMESPACE/trust"));
}

TEST_F(OptionalTargetsTest, ListsLabelledConfigMapsAndAdditionalTargets) {
  CreateConfigMap(kLabel);
  CreateCertificate();
  const cainjector::CaInjectorOptions options{
      .kinds = {.config_maps = true, .additional = {Certificates()}}};
  Inspector inspector(*client_, {.injector = options});

  const auto findings = inspector.LookAtAll({});

  ASSERT_TRUE(findings.has_value()) << findings.error().message;
  ASSERT_THAT(*findings, SizeIs(2));
  EXPECT_EQ(findings->at(0).kind() + " " + findings->at(0).name(), "ConfigMap ns/trust");
  EXPECT_EQ(findings->at(1).kind() + " " + findings->at(1).name(), "Certificate ns/c");
  EXPECT_EQ(findings->at(1).state, State::kPending);
  EXPECT_THAT(findings->at(1).current, ElementsAre("", ca_));
}

TEST_F(OptionalTargetsTest, AuditsThePlacesOfOptionalTargets) {
  CreateConfigMap(kLabel, R"({"ca.crt":"theirs"})");
  CreateCertificate();
  const cainjector::CaInjectorOptions options{
      .kinds = {.config_maps = true, .additional = {Certificates()}}};

  const auto entries = Audit({}, *client_, options);

  ASSERT_TRUE(entries.has_value()) << entries.error().message;
  std::vector<std::string> places;
  for (const AuditEntry& entry : *entries) {
    places.push_back(entry.kind + " " + entry.name + " " + entry.place + " " +
                     std::to_string(entry.certificates));
  }
  EXPECT_THAT(places, ElementsAre("ConfigMap ns/trust data[ca.crt] 0",
                                  "Certificate ns/c spec.keystores[0].ca 0",
                                  "Certificate ns/c spec.keystores[1].ca 1"));
}

TEST(OptionalManifestsTest, ReadsTargetsFromFiles) {
  const testing::TempDir dir;
  const std::string annotations = ", annotations: {cert-manager.io/inject-ca-from-secret: ns/ca}}";
  const auto manifests = Manifests::Load(
      {dir.Write("objects.yaml",
                 "{apiVersion: v1, kind: ConfigMap, metadata: {namespace: ns, name: labelled, "
                 "labels: {inject.capstan.dev/enabled: \"true\"}" +
                     annotations +
                     "}\n---\n{apiVersion: v1, kind: ConfigMap, metadata: {namespace: ns, name: "
                     "plain" +
                     annotations +
                     "}\n---\n{apiVersion: example.com/v2, kind: Backend, metadata: {namespace: "
                     "ns, name: b" +
                     annotations + ", spec: {tls: {}}}\n")},
      {std::make_shared<const cainjector::FieldTarget>(cainjector::FieldTargetOptions{
          .gvr = {"example.com", "v2", "backends"},
          .kind = "Backend",
          .fields = {cainjector::ParseFieldPath("spec.tls.ca").value()}})});
  ASSERT_TRUE(manifests.has_value()) << manifests.error().message;
  EXPECT_EQ((*manifests)->ignored(), 0U);
  Inspector inspector((*manifests)->client(), {.injector = {.kinds = {.config_maps = true}}});

  const auto findings = inspector.LookAtAll({});

  ASSERT_TRUE(findings.has_value()) << findings.error().message;
  ASSERT_THAT(*findings, SizeIs(1));
  EXPECT_EQ(findings->front().name(), "ns/labelled");
}

}  // namespace
}  // namespace capstan::cmd::cli::inspect
