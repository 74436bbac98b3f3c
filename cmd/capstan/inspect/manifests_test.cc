// SPDX-License-Identifier: Apache-2.0
#include "cmd/capstan/inspect/manifests.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "clientgo/api/object_metadata.h"
#include "clientgo/testing/temp_dir.h"
#include "controllers/cainjector/api/objects.h"
#include "controllers/cainjector/rules/annotations.h"

namespace cmd::capstan::inspect {
namespace {

using clientgo::runtime::ObjectKey;
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
  // What the server has of that key of the Secret; "-": nothing.
  std::string Data(const std::string& key) {
    const auto type = controllers::cainjector::api::MakeSecretType({.data_key = key});
    const auto object = manifests_->client().Get({}, type, key_);
    EXPECT_TRUE(object.has_value()) << object.error().message;
    if (!object) return {};
    return std::string(
        static_cast<const controllers::cainjector::api::Secret&>(**object).data().value_or("-"));
  }
  std::string Annotation(const std::string& name) {
    const auto type =
        controllers::cainjector::api::MakeSecretType({.data_key = "ca.crt", .annotations = {name}});
    const auto object = manifests_->client().Get({}, type, key_);
    EXPECT_TRUE(object.has_value()) << object.error().message;
    if (!object) return {};
    return std::string(static_cast<const controllers::cainjector::api::Secret&>(**object)
                           .Annotation(name)
                           .value_or("-"));
  }

  const clientgo::testing::TempDir dir_;
  const ObjectKey key_{.namespace_ = "default", .name = "serving"};
  std::unique_ptr<Manifests> manifests_;
};

TEST_F(ManifestsTest, OfASecretOnlyItsCaIsTaken) {
  Load(kSecret);

  EXPECT_EQ(Data("ca.crt"), "ca");
  EXPECT_EQ(Data("tls.key"), "-");
  EXPECT_EQ(Data("other.key"), "-");
  EXPECT_EQ(Annotation(std::string(controllers::cainjector::kCertificateName)), "serving");
  EXPECT_EQ(Annotation(kLastApplied), "-");
}

TEST_F(ManifestsTest, TheTextOfACaIsTakenToo) {
  Load("{apiVersion: v1, kind: Secret, metadata: {name: serving}, stringData: {ca.crt: ca}}");

  EXPECT_EQ(Data("ca.crt"), "ca");
}

TEST_F(ManifestsTest, WhoDoesNotHaveTheTokenReadsNothing) {
  Load(kSecret);
  const std::string host = manifests_->client().config().host;
  const auto type = controllers::cainjector::api::MakeSecretType({.data_key = "ca.crt"});

  for (const std::string token : {"", "capstan", "guessed"}) {
    const auto client = clientgo::rest::Client::New({.host = host, .bearer_token = token});
    ASSERT_TRUE(client) << client.error().message;
    const auto read = (*client)->Get({}, type, key_);
    EXPECT_FALSE(read) << token;
    // Anonymous is nobody, too.
    EXPECT_TRUE(!read && (IsUnauthorized(read.error()) || IsForbidden(read.error()))) << token;
  }
  const std::string first = manifests_->client().config().bearer_token;
  Load(kSecret);
  EXPECT_NE(manifests_->client().config().bearer_token, first);
}

TEST_F(ManifestsTest, WhatOnlySharesAKindsNameIsIgnored) {
  Load(std::string(kSecret) +
       "---\n{apiVersion: networking.internal.knative.dev/v1alpha1, kind: Certificate,\n"
       " metadata: {name: route}, spec: {dnsNames: [a.example.com]}}\n"
       "---\n{apiVersion: example.com/v1, kind: Secret, metadata: {name: serving}}\n");

  EXPECT_EQ(manifests_->ignored(), 2U);
  EXPECT_EQ(Data("ca.crt"), "ca");
}

TEST_F(ManifestsTest, RefusesObjectThatAliasesMakeEndless) {
  const auto manifests = Manifests::Load(
      {dir_.Write("objects.yaml",
                  "{apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition,\n"
                  " metadata: {name: x}, spec: &spec {again: *spec}}")});

  ASSERT_FALSE(manifests);
  EXPECT_THAT(manifests.error().message, HasSubstr("more than 64 levels"));
}

TEST_F(ManifestsTest, AnObjectOfNoGroupIsAnError) {
  const auto manifests =
      Manifests::Load({dir_.Write("objects.yaml", "{kind: Secret, metadata: {name: x}}")});

  ASSERT_FALSE(manifests);
  EXPECT_THAT(manifests.error().message, HasSubstr("objects.yaml:1: this is no Kubernetes object"));
  EXPECT_THAT(manifests.error().message, HasSubstr("apiVersion"));
}

}  // namespace
}  // namespace cmd::capstan::inspect
