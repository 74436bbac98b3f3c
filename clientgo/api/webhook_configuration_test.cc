// SPDX-License-Identifier: Apache-2.0
#include "clientgo/api/webhook_configuration.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "clientgo/api/decode_testing.h"
#include "clientgo/runtime/testing/golden.h"
#include "clientgo/util/base64.h"

namespace clientgo::api {
namespace {

using ::testing::StartsWith;

constexpr const char* kAnnotation = "cert-manager.io/inject-ca-from-secret";

class WebhookConfigurationTest : public ::testing::Test {
 protected:
  std::shared_ptr<util::Interner> bundles_ = std::make_shared<util::Interner>();
  runtime::ResourceType validating_ =
      MakeValidatingWebhookConfigurationType({.annotations = {kAnnotation}, .bundles = bundles_});
  runtime::ResourceType mutating_ =
      MakeMutatingWebhookConfigurationType({.annotations = {kAnnotation}, .bundles = bundles_});
};

std::string Body(const std::string& kind, const std::string& metadata,
                 const std::string& webhooks) {
  return R"({"kind":")" + kind + R"(","metadata":{"name":"n")" + metadata + R"(},"webhooks":)" +
         webhooks + "}";
}

TEST_F(WebhookConfigurationTest, ReadsAListOfARealServer) {
  const auto list = MustDecodeList<WebhookConfiguration>(
      validating_, runtime::ReadGolden("validating_list.json"));

  ASSERT_EQ(list.size(), 1U);
  const WebhookConfiguration& hooks = *list[0];
  EXPECT_EQ(hooks.key(), "hooks");
  EXPECT_EQ(hooks.Annotation(kAnnotation), "demo/ca-a");
  EXPECT_FALSE(hooks.deleting());
  ASSERT_EQ(hooks.webhooks().size(), 2U);
  EXPECT_EQ(hooks.webhooks()[0].name, "one.demo.io");
  EXPECT_THAT(*hooks.webhooks()[0].ca_bundle, StartsWith("-----BEGIN CERTIFICATE-----\n"));
  EXPECT_EQ(hooks.webhooks()[1].name, "two.demo.io");
  EXPECT_EQ(*hooks.webhooks()[1].ca_bundle, "");
}

TEST_F(WebhookConfigurationTest, FourHundredTargetsHoldOneBundleOnce) {
  const std::string webhooks = R"([{"name":"w","clientConfig":{"caBundle":")" +
                               util::Base64Encode(std::string(3000, 'b')) + "\"}}]";
  std::vector<std::shared_ptr<const WebhookConfiguration>> targets;
  for (int i = 0; i < 200; ++i) {
    targets.push_back(MustDecode<WebhookConfiguration>(
        validating_, Body("ValidatingWebhookConfiguration", "", webhooks)));
    targets.push_back(MustDecode<WebhookConfiguration>(
        mutating_, Body("MutatingWebhookConfiguration", "", webhooks)));
  }

  EXPECT_EQ(bundles_->Size(), 1U);
  EXPECT_EQ(targets.front()->webhooks()[0].ca_bundle, targets.back()->webhooks()[0].ca_bundle);
  EXPECT_LT(targets.front()->ByteSize(), 300U);

  targets.clear();
  EXPECT_EQ(bundles_->Size(), 0U) << "a rotated bundle must not stay";
}

TEST_F(WebhookConfigurationTest, KnowsThatItIsBeingDeleted) {
  const std::string kind = "ValidatingWebhookConfiguration";
  EXPECT_TRUE(MustDecode<WebhookConfiguration>(
                  validating_, Body(kind, R"(,"deletionTimestamp":"2026-01-02T03:04:05Z")", "[]"))
                  ->deleting());
  EXPECT_FALSE(MustDecode<WebhookConfiguration>(validating_,
                                                Body(kind, R"(,"deletionTimestamp":null)", "[]"))
                   ->deleting());
}

TEST_F(WebhookConfigurationTest, MayHaveNoWebhooks) {
  for (const char* webhooks : {"[]", "null"}) {
    const auto object = MustDecode<WebhookConfiguration>(
        mutating_, Body("MutatingWebhookConfiguration", "", webhooks));
    EXPECT_TRUE(object->webhooks().empty());
    EXPECT_EQ(object->Annotation(kAnnotation), std::nullopt);
  }
}

TEST_F(WebhookConfigurationTest, NamesTheWebhookWhoseBundleIsNotBase64) {
  const auto object =
      DecodeBody(mutating_, Body("MutatingWebhookConfiguration", "",
                                 R"([{"name":"w","clientConfig":{"caBundle":"?"}}])"));
  ASSERT_FALSE(object.has_value());
  EXPECT_EQ(object.error().message,
            "bad MutatingWebhookConfiguration n: caBundle of webhook \"w\" is not base64");
}

TEST_F(WebhookConfigurationTest, LivesAtItsPath) {
  EXPECT_EQ(validating_.Path("", "n"),
            "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations/n");
  EXPECT_EQ(mutating_.Path(""),
            "/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations");
}

}  // namespace
}  // namespace clientgo::api
