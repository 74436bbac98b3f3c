// SPDX-License-Identifier: Apache-2.0
#include "cmd/capstan/inspect/manifests.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "capstan/api/object_metadata.h"
#include "capstan/testing/temp_dir.h"
#include "controllers/cainjector/api/objects.h"
#include "controllers/cainjector/rules/annotations.h"
#include "controllers/cainjector/sources/trust_bundle_source.h"

namespace capstan::cmd::cli::inspect {
namespace {

using ::testing::HasSubstr;

constexpr const char* kLastApplied = "kubectl.kubernetes.io/last-applied-configuration";
constexpr const char* kSecret = R"(apiVersion: v1
kind: Secret
metadata:
  name: serving
  annotations:
    cert-manager.io/certificate-name: serving
    kubectl.kubernetes.io/last-applied-configuration: the key once more
data: {ca.crt: Y2E=, tls.key: a2V5}
stringData: {other.key: key}
)";

class ManifestsTest : public ::testing::Test {
 protected:
  void Load(const std::string& text) {
    auto manifests = Manifests::Load({dir_.Write("objects.yaml", text)});
    ASSERT_TRUE(manifests) << manifests.error().message;
    manifests_ = *std::move(manifests);
  }
  // Returns the value of a key of the Secret; "-": missing.
  std::string Data(const std::string& key) {
    const auto type = cainjector::MakeSecretType({.data_key = key});
    const auto object = manifests_->client().Get({}, type, key_);
    EXPECT_TRUE(object.has_value()) << object.error().message;
    if (!object) return {};
    return std::string(static_cast<const cainjector::SourceData&>(**object).data().value_or("-"));
  }
  std::string Annotation(const std::string& name) {
    const auto type = cainjector::MakeSecretType({.data_key = "ca.crt", .annotations = {name}});
    const auto object = manifests_->client().Get({}, type, key_);
    EXPECT_TRUE(object.has_value()) << object.error().message;
    if (!object) return {};
    return std::string(
        static_cast<const cainjector::SourceData&>(**object).Annotation(name).value_or("-"));
  }

  const testing::TempDir dir_;
  const runtime::ObjectKey key_{.namespace_ = "default", .name = "serving"};
  std::unique_ptr<Manifests> manifests_;
};

TEST_F(ManifestsTest, KeepsOnlyTheCaOfASecret) {
  Load(kSecret);

  EXPECT_EQ(Data("ca.crt"), "ca");
  EXPECT_EQ(Data("tls.key"), "-");
  EXPECT_EQ(Data("other.key"), "-");
  EXPECT_EQ(Annotation(std::string(cainjector::kCertificateName)), "serving");
  EXPECT_EQ(Annotation(kLastApplied), "-");
}

TEST_F(ManifestsTest, ReadsCaFromStringData) {
  Load("{apiVersion: v1, kind: Secret, metadata: {name: serving}, stringData: {ca.crt: ca}}");

  EXPECT_EQ(Data("ca.crt"), "ca");
}

TEST_F(ManifestsTest, ListsObjectsOfNamespaceAndGetsThemByName) {
  Load(std::string(kSecret) +
       "---\n{apiVersion: v1, kind: Secret, metadata: {name: b, namespace: other}}\n");
  const auto type = cainjector::MakeSecretType({.data_key = "ca.crt"});
  const auto count = [&](const std::string& ns) {
    int found = 0;
    EXPECT_TRUE(manifests_->client().List({}, type, {.namespace_ = ns},
                                          [&](const auto& /*object*/) { ++found; }));
    return found;
  };

  EXPECT_EQ(count(""), 2);
  EXPECT_EQ(count("other"), 1);
  EXPECT_EQ(count("empty"), 0);
  const auto missing =
      manifests_->client().Get({}, type, {.namespace_ = "other", .name = "serving"});
  ASSERT_FALSE(missing);
  EXPECT_TRUE(IsNotFound(missing.error()));
}

TEST_F(ManifestsTest, RejectsObjectsThatTheApiServerRejects) {
  for (const auto& [text, words] : std::vector<std::pair<std::string, std::string>>{
           {"{apiVersion: v1, kind: Secret, metadata: {}}", "metadata.name is missing"},
           {"{apiVersion: v1, kind: Secret, metadata: {name: A_b}}", "not a DNS subdomain"},
           {"{apiVersion: v1, kind: Secret, metadata: {name: x}, data: {ca.crt: '?'}}",
            "data[ca.crt] is not base64"},
           {"{apiVersion: cert-manager.io/v1alpha2, kind: Certificate, metadata: {name: x}}",
            "use cert-manager.io/v1"},
           {"{apiVersion: apiregistration.k8s.io/v1, kind: APIService, metadata: {name: v1.x},\n"
            " spec: {group: y, version: v1}}",
            "must be spec.version"},
           {"{apiVersion: admissionregistration.k8s.io/v1, kind: ValidatingWebhookConfiguration,\n"
            " metadata: {name: x}, webhooks: [{name: w, clientConfig: {caBundle: "
            "'${CA_BUNDLE}'}}]}",
            "objects.yaml:1: bad ValidatingWebhookConfiguration x: caBundle of webhook \"w\" is "
            "not "
            "base64; the API server rejects this object"},
           {std::string(kSecret) + "---\n" + kSecret, "an earlier document defines it"}}) {
    const auto manifests = Manifests::Load({dir_.Write("objects.yaml", text)});

    ASSERT_FALSE(manifests) << text;
    EXPECT_THAT(manifests.error().message, HasSubstr(words));
    EXPECT_THAT(manifests.error().message, HasSubstr("objects.yaml:"));
  }
}

TEST_F(ManifestsTest, ReadsClusterTrustBundlesOfBothVersions) {
  Load(
      "{apiVersion: certificates.k8s.io/v1, kind: ClusterTrustBundle, metadata: {name: roots},\n"
      " spec: {trustBundle: a}}\n---\n"
      "{apiVersion: certificates.k8s.io/v1beta1, kind: ClusterTrustBundle,\n"
      " metadata: {name: 'example.com:foo:b'},\n"
      " spec: {signerName: example.com/foo, trustBundle: b}}\n");
  const auto find = cainjector::LiveTrustBundles(manifests_->client());

  EXPECT_EQ(find({}, "roots").value().size(), 1U);
  EXPECT_EQ(find({}, "example.com/foo").value().size(), 1U);
  EXPECT_EQ(find({}, "absent").value().size(), 0U);
}

TEST_F(ManifestsTest, IgnoresKindsOfOtherGroups) {
  Load(std::string(kSecret) +
       "---\n{apiVersion: networking.internal.knative.dev/v1alpha1, kind: Certificate,\n"
       " metadata: {name: route}, spec: {dnsNames: [a.example.com]}}\n"
       "---\n{apiVersion: example.com/v1, kind: Secret, metadata: {name: serving}}\n");

  EXPECT_EQ(manifests_->ignored(), 2U);
  EXPECT_EQ(Data("ca.crt"), "ca");
}

TEST_F(ManifestsTest, RejectsObjectWithEndlessAliases) {
  const auto manifests = Manifests::Load(
      {dir_.Write("objects.yaml",
                  "{apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition,\n"
                  " metadata: {name: x}, spec: &spec {again: *spec}}")});

  ASSERT_FALSE(manifests);
  EXPECT_THAT(manifests.error().message,
              HasSubstr("objects.yaml:2: an anchor's value contains itself"));
}

TEST_F(ManifestsTest, NamesObjectsWithGenerateName) {
  Load(std::string(kSecret) +
       "---\n{apiVersion: v1, kind: Secret, metadata: {generateName: a-}}\n"
       "---\n{apiVersion: v1, kind: Secret, metadata: {generateName: a-}}\n");

  EXPECT_EQ(Data("ca.crt"), "ca");
}

TEST_F(ManifestsTest, RejectsInputWithoutObjects) {
  const std::string empty = dir_.Write("empty.yaml", "# nothing\n---\n");
  EXPECT_EQ(Manifests::Load({empty}).error().message, empty + ": no objects");

  const std::string other = dir_.Write("other.yaml", "{apiVersion: v1, kind: Pod}");
  EXPECT_TRUE(Manifests::Load({empty, other}));
}

TEST_F(ManifestsTest, RejectsObjectWithoutApiVersion) {
  const auto manifests =
      Manifests::Load({dir_.Write("objects.yaml", "{kind: Secret, metadata: {name: x}}")});

  ASSERT_FALSE(manifests);
  EXPECT_THAT(manifests.error().message, HasSubstr("objects.yaml:1: not a Kubernetes object"));
  EXPECT_THAT(manifests.error().message, HasSubstr("apiVersion"));
}

}  // namespace
}  // namespace capstan::cmd::cli::inspect
