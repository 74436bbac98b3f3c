// SPDX-License-Identifier: Apache-2.0
#include "controllers/cainjector/api/objects.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <new>
#include <optional>
#include <string>
#include <vector>

#include "capstan/base64.h"
#include "clientgo/api/testing/decode.h"
#include "clientgo/runtime/testing/golden.h"

namespace capstan::cainjector {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

runtime::ResourceType TestSecretType() {
  return MakeSecretType(
      {.data_key = "ca.crt", .annotations = {"cert-manager.io/allow-direct-injection"}});
}

std::string SecretBody(const std::string& data) {
  return R"({"kind":"Secret","metadata":{"namespace":"ns","name":"n"},"data":)" + data + "}";
}

TEST(SecretTest, DecodesTheDataKeyOfARealSecret) {
  const auto secret =
      api::MustDecode<SourceData>(TestSecretType(), runtime::ReadGolden("secret.json"));

  ASSERT_NE(secret, nullptr);
  EXPECT_EQ(secret->key(), "demo/ca-a");
  ASSERT_TRUE(secret->data().has_value());
  EXPECT_THAT(std::string(*secret->data()), StartsWith("-----BEGIN CERTIFICATE-----\n"));
  EXPECT_EQ(secret->Annotation("cert-manager.io/allow-direct-injection"), "true");
}

TEST(SecretTest, DropsOtherKeysBeforeDecoding) {
  const runtime::ResourceType type = TestSecretType();
  runtime::JsonFilter filter(type.projection.object(), {});
  ASSERT_TRUE(filter.Feed(runtime::ReadGolden("secret.json")).has_value());
  ASSERT_TRUE(filter.HasFrame());
  EXPECT_THAT(filter.frame(), Not(HasSubstr("c2VjcmV0LWtleQ==")));
  EXPECT_THAT(filter.frame(), Not(HasSubstr("tls.key")));
}

TEST(SecretTest, DistinguishesAMissingKeyFromAnEmptyValue) {
  EXPECT_EQ(api::MustDecode<SourceData>(TestSecretType(), SecretBody("{}"))->data(), std::nullopt);
  EXPECT_EQ(api::MustDecode<SourceData>(TestSecretType(), SecretBody("null"))->data(),
            std::nullopt);
  EXPECT_EQ(api::MustDecode<SourceData>(TestSecretType(), SecretBody(R"({"ca.crt":""})"))->data(),
            "");
}

TEST(SecretTest, DoesNotQuoteTheValueInErrors) {
  for (const char* data : {R"({"ca.crt":"!hush"})", R"({"ca.crt":["hush"]})"}) {
    const auto secret = api::DecodeBody(TestSecretType(), SecretBody(data));
    ASSERT_FALSE(secret.has_value()) << data;
    EXPECT_EQ(secret.error().message, "bad Secret ns/n: data.ca.crt is not base64");
  }
}

// The test owns the memory, so it may read it after the object is destroyed. std::string stores a
// short value inside the object, so no freed heap block is read.
TEST(SecretTest, OverwritesItsDataWhenDestroyed) {
  const runtime::ObjectBlock block(
      {.namespace_ = "ns", .name = "n", .uid = "", .resource_version = ""}, sizeof(SourceData));
  const auto keys = std::make_shared<const api::PackedStringMap::Keys>();
  auto* secret = new (block.memory())
      SourceData(block.meta(), api::PackedStringMap(keys, nullptr), "hush-hush");
  const auto remains = [&block] {
    return std::string_view(static_cast<const char*>(block.memory()), sizeof(SourceData))
               .find("hush") != std::string_view::npos;
  };
  ASSERT_TRUE(remains());

  secret->~SourceData();

  EXPECT_FALSE(remains());
}

TEST(CertificateTest, DecodesTheResponseOfARealServer) {
  const auto certificate = api::MustDecode<CertManagerCertificate>(
      CertManagerCertificate::Type(), runtime::ReadGolden("certificate.json"));

  ASSERT_NE(certificate, nullptr);
  EXPECT_EQ(certificate->key(), "demo/serving");
  EXPECT_EQ(certificate->secret_name(), "serving-tls");
  EXPECT_EQ(certificate->Secret().String(), "demo/serving-tls");
}

TEST(CertificateTest, CostsLittleMoreThanItsNames) {
  const auto certificate = api::MustDecode<CertManagerCertificate>(
      CertManagerCertificate::Type(), runtime::ReadGolden("certificate.json"));

  EXPECT_LT(certificate->ByteSize(), 200U);
}

TEST(CertificateTest, KeepsLittleOfASecretNameThatIsTooLong) {
  const auto certificate = api::MustDecode<CertManagerCertificate>(
      CertManagerCertificate::Type(),
      R"({"kind":"Certificate","metadata":{"namespace":"ns","name":"n"},)"
      R"("spec":{"secretName":")" +
          std::string(1'000'000, 'x') + "\"}}");

  ASSERT_NE(certificate, nullptr);
  EXPECT_EQ(certificate->secret_name(), std::string(253, 'x') + "\u2026");
  EXPECT_LT(certificate->ByteSize(), 1000U);
}

TEST(CertificateTest, DecodesAMissingSecretNameAsEmpty) {
  for (const std::string spec : {"{}", "null", R"({"secretName":7})"}) {
    const auto certificate = api::MustDecode<CertManagerCertificate>(
        CertManagerCertificate::Type(),
        R"({"kind":"Certificate","metadata":{"namespace":"ns","name":"n"},"spec":)" + spec + "}");
    ASSERT_NE(certificate, nullptr);
    EXPECT_EQ(certificate->secret_name(), "");
  }
}

TEST(CertificateTest, HasItsApiPath) {
  EXPECT_EQ(CertManagerCertificate::Type().Path("ns", "n"),
            "/apis/cert-manager.io/v1/namespaces/ns/certificates/n");
}

constexpr const char* kFromSecret = "cert-manager.io/inject-ca-from-secret";

class WebhookConfigurationTest : public ::testing::Test {
 protected:
  std::shared_ptr<Interner> bundles_ = std::make_shared<Interner>();
  runtime::ResourceType validating_ =
      MakeValidatingWebhookConfigurationType({.annotations = {kFromSecret}, .bundles = bundles_});
  runtime::ResourceType mutating_ =
      MakeMutatingWebhookConfigurationType({.annotations = {kFromSecret}, .bundles = bundles_});
};

std::string WebhookBody(const std::string& kind, const std::string& metadata,
                        const std::string& webhooks) {
  return R"({"kind":")" + kind + R"(","metadata":{"name":"n")" + metadata + R"(},"webhooks":)" +
         webhooks + "}";
}

TEST_F(WebhookConfigurationTest, DecodesAListOfARealServer) {
  const auto list =
      api::MustDecodeList<Injectable>(validating_, runtime::ReadGolden("validating_list.json"));

  ASSERT_EQ(list.size(), 1U);
  const Injectable& hooks = *list[0];
  EXPECT_EQ(hooks.key(), "hooks");
  EXPECT_EQ(hooks.Annotation(kFromSecret), "demo/ca-a");
  EXPECT_FALSE(hooks.fields().deleting);
  ASSERT_EQ(hooks.fields().points.size(), 2U);
  EXPECT_EQ(hooks.fields().points[0].name, "one.demo.io");
  EXPECT_THAT(*hooks.fields().points[0].ca_bundle, StartsWith("-----BEGIN CERTIFICATE-----\n"));
  EXPECT_EQ(hooks.fields().points[1].name, "two.demo.io");
  EXPECT_EQ(*hooks.fields().points[1].ca_bundle, "");
}

TEST_F(WebhookConfigurationTest, HoldsOneBundleOnceFor400Targets) {
  const std::string webhooks = R"([{"name":"w","clientConfig":{"caBundle":")" +
                               Base64Encode(std::string(3000, 'b')) + "\"}}]";
  std::vector<runtime::ObjectPtrTo<Injectable>> targets;
  for (int i = 0; i < 200; ++i) {
    targets.push_back(api::MustDecode<Injectable>(
        validating_, WebhookBody("ValidatingWebhookConfiguration", "", webhooks)));
    targets.push_back(api::MustDecode<Injectable>(
        mutating_, WebhookBody("MutatingWebhookConfiguration", "", webhooks)));
  }

  EXPECT_EQ(bundles_->Size(), 1U);
  EXPECT_EQ(targets.front()->fields().points[0].ca_bundle,
            targets.back()->fields().points[0].ca_bundle);
  EXPECT_LT(targets.front()->ByteSize(), 300U);

  targets.clear();
  EXPECT_EQ(bundles_->Size(), 0U) << "a rotated bundle must not stay";
}

TEST_F(WebhookConfigurationTest, DecodesDeletionTimestamp) {
  const std::string kind = "ValidatingWebhookConfiguration";
  EXPECT_TRUE(
      api::MustDecode<Injectable>(
          validating_, WebhookBody(kind, R"(,"deletionTimestamp":"2026-01-02T03:04:05Z")", "[]"))
          ->fields()
          .deleting);
  EXPECT_FALSE(api::MustDecode<Injectable>(validating_,
                                           WebhookBody(kind, R"(,"deletionTimestamp":null)", "[]"))
                   ->fields()
                   .deleting);
}

TEST_F(WebhookConfigurationTest, DecodesMissingWebhooksAsEmpty) {
  for (const char* webhooks : {"[]", "null"}) {
    const auto object = api::MustDecode<Injectable>(
        mutating_, WebhookBody("MutatingWebhookConfiguration", "", webhooks));
    EXPECT_TRUE(object->fields().points.empty());
    EXPECT_EQ(object->Annotation(kFromSecret), std::nullopt);
  }
}

TEST_F(WebhookConfigurationTest, RejectsABundleThatIsNotBase64) {
  const auto object =
      api::DecodeBody(mutating_, WebhookBody("MutatingWebhookConfiguration", "",
                                             R"([{"name":"w","clientConfig":{"caBundle":"?"}}])"));
  ASSERT_FALSE(object.has_value());
  EXPECT_EQ(object.error().message,
            "bad MutatingWebhookConfiguration n: caBundle of webhook \"w\" is not base64");
}

TEST_F(WebhookConfigurationTest, HasItsApiPath) {
  EXPECT_EQ(validating_.Path("", "n"),
            "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations/n");
  EXPECT_EQ(mutating_.Path(""),
            "/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations");
}

constexpr const char* kAnnotation = "cert-manager.io/inject-ca-from";

class ApiServiceTest : public ::testing::Test {
 protected:
  runtime::ObjectPtrTo<Injectable> Decode(const std::string& spec, const std::string& meta = "") {
    return api::MustDecode<Injectable>(
        type_, R"({"kind":"APIService","metadata":{"name":"v1.x.io")" + meta + R"(},"spec":)" +
                   spec + "}");
  }
  runtime::ResourceType type_ =
      MakeApiServiceType({.annotations = {kAnnotation}, .bundles = std::make_shared<Interner>()});
};

TEST_F(ApiServiceTest, DecodesTheResponseOfARealServer) {
  const auto service = api::MustDecode<Injectable>(type_, runtime::ReadGolden("api_service.json"));

  ASSERT_NE(service, nullptr);
  EXPECT_EQ(service->key(), "v1.metrics.demo.io");
  EXPECT_EQ(service->Annotation(kAnnotation), "demo/serving");
  EXPECT_THAT(*service->fields().points.front().ca_bundle,
              StartsWith("-----BEGIN CERTIFICATE-----\n"));
  EXPECT_EQ(service->fields().exclusion, Injectable::Exclusion::kNone);
  EXPECT_FALSE(service->fields().deleting);
}

TEST_F(ApiServiceTest, DecodesTheFieldsThatExcludeABundle) {
  using Exclusion = Injectable::Exclusion;
  const auto local = Decode(R"({"group":"x.io","version":"v1"})");
  EXPECT_EQ(local->fields().exclusion, Exclusion::kNoService);
  EXPECT_EQ(*local->fields().points.front().ca_bundle, "");
  EXPECT_EQ(Decode(R"({"service":null})")->fields().exclusion, Exclusion::kNoService);

  EXPECT_EQ(Decode(R"({"insecureSkipTLSVerify":true,"service":{"name":"s"}})")->fields().exclusion,
            Exclusion::kTlsVerifyDisabled);
  EXPECT_EQ(Decode(R"({"insecureSkipTLSVerify":false,"service":{"name":"s"}})")->fields().exclusion,
            Exclusion::kNone);
}

TEST_F(ApiServiceTest, DecodesDeletionTimestamp) {
  EXPECT_TRUE(Decode("{}", R"(,"deletionTimestamp":"2026-01-02T03:04:05Z")")->fields().deleting);
}

TEST_F(ApiServiceTest, RejectsABundleThatIsNotBase64) {
  const auto object = api::DecodeBody(
      type_, R"({"kind":"APIService","metadata":{"name":"n"},"spec":{"caBundle":"?"}})");
  ASSERT_FALSE(object.has_value());
  EXPECT_EQ(object.error().message, "bad APIService n: caBundle of the spec is not base64");
}

TEST_F(ApiServiceTest, HasItsApiPath) {
  EXPECT_EQ(type_.Path("", "n"), "/apis/apiregistration.k8s.io/v1/apiservices/n");
}

class CustomResourceDefinitionTest : public ::testing::Test {
 protected:
  Injectable::Fields Decode(const std::string& conversion) {
    return api::MustDecode<Injectable>(
               type_, R"({"kind":"CustomResourceDefinition","metadata":{"name":"x"},"spec":)" +
                          conversion + "}")
        ->fields();
  }
  runtime::ResourceType type_ =
      MakeCustomResourceDefinitionType({.bundles = std::make_shared<Interner>()});
};

TEST_F(CustomResourceDefinitionTest, DecodesTheResponseOfARealServer) {
  const auto crd =
      api::MustDecode<Injectable>(type_, runtime::ReadGolden("custom_resource_definition.json"));

  ASSERT_NE(crd, nullptr);
  EXPECT_EQ(crd->key(), "widgets.demo.io");
  EXPECT_EQ(crd->fields().exclusion, Injectable::Exclusion::kNone);
  EXPECT_THAT(*crd->fields().points.front().ca_bundle, StartsWith("-----BEGIN CERTIFICATE-----\n"));
  EXPECT_FALSE(crd->fields().deleting);
}

TEST_F(CustomResourceDefinitionTest, DropsSchemasBeforeDecoding) {
  runtime::JsonFilter filter(type_.projection.object(), {});
  ASSERT_TRUE(filter.Feed(runtime::ReadGolden("custom_resource_definition.json")).has_value());
  ASSERT_TRUE(filter.HasFrame());
  EXPECT_THAT(filter.frame(), Not(HasSubstr("openAPIV3Schema")));
  EXPECT_THAT(filter.frame(), Not(HasSubstr("managedFields")));
}

TEST_F(CustomResourceDefinitionTest, HasAWebhookOnlyWithTheStrategyWebhook) {
  for (const char* conversion :
       {"{}", R"({"conversion":null})", R"({"conversion":{"strategy":"None"}})"}) {
    EXPECT_EQ(Decode(conversion).exclusion, Injectable::Exclusion::kNoConversionWebhook);
  }
  const auto bare = Decode(R"({"conversion":{"strategy":"Webhook"}})");
  EXPECT_EQ(bare.exclusion, Injectable::Exclusion::kNone);
  EXPECT_EQ(*bare.points.front().ca_bundle, "");
}

TEST_F(CustomResourceDefinitionTest, HasItsApiPath) {
  EXPECT_EQ(type_.Path("", "n"), "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/n");
}

constexpr const char* kManager = "cert-manager-cainjector";

std::string ManagedEntry(const std::string& manager, const std::string& operation,
                         const std::string& more = "") {
  return R"({"apiVersion":"v1","fieldsType":"FieldsV1","fieldsV1":{"f:metadata":{"f:labels":{}}},)"
         R"("manager":")" +
         manager + R"(","operation":")" + operation + '"' + more + "}";
}

// Returns the entries found after the filter. An index must refer to the whole list.
ManagerEntries FindEntries(const std::string& entries, const std::string& manager = kManager) {
  const auto type = MakeMutatingWebhookConfigurationType(
      {.bundles = std::make_shared<Interner>(), .field_manager = manager});
  return api::MustDecode<Injectable>(
             type,
             R"({"kind":"MutatingWebhookConfiguration","metadata":{"name":"n","managedFields":)" +
                 entries + "}}")
      ->fields()
      .manager_entries;
}

TEST(ManagerEntriesTest, AreFoundByManagerAndOperationAfterOtherEntries) {
  const std::string others =
      R"([{"fieldsV1":{"f:spec":{}}},{},)" + ManagedEntry("kubectl", "Apply") + ",";

  EXPECT_EQ(FindEntries(others + ManagedEntry(kManager, "Apply") + "]"),
            (ManagerEntries{.apply = 3}));
  EXPECT_EQ(FindEntries(others + ManagedEntry(kManager, "Update") + "," +
                        ManagedEntry("x", "Update") + "]"),
            (ManagerEntries{.update = 3}));
  EXPECT_EQ(FindEntries("[" + ManagedEntry(kManager, "Update") + "," +
                        ManagedEntry(kManager, "Apply") + "]"),
            (ManagerEntries{.apply = 1, .update = 0}));
}

TEST(ManagerEntriesTest, AreTheFirstOfSeveral) {
  EXPECT_EQ(FindEntries("[" + ManagedEntry("x", "Apply") + "," + ManagedEntry(kManager, "Apply") +
                        "," + ManagedEntry(kManager, "Apply") + "]"),
            (ManagerEntries{.apply = 1}));
}

TEST(ManagerEntriesTest, IgnoreEntriesOfOtherManagersAndSubresources) {
  for (const std::string& entries : std::vector<std::string>{
           "[]", "null", "{}", "[" + ManagedEntry("kubectl", "Apply") + "]",
           "[" + ManagedEntry("cert-manager-cainjector2", "Update") + "]",
           "[" + ManagedEntry(kManager, "Delete") + "]",
           "[" + ManagedEntry(kManager, "Update", R"(,"subresource":"status")") + "]"}) {
    EXPECT_EQ(FindEntries(entries), ManagerEntries{}) << entries;
  }
  EXPECT_EQ(FindEntries("[" + ManagedEntry("", "Apply") + "]", ""), ManagerEntries{});
}

TEST(ManagerEntriesTest, AreDecodedForEveryKindWithABundle) {
  const auto bundles = std::make_shared<Interner>();
  const std::string metadata =
      R"("metadata":{"name":"n","managedFields":[)" + ManagedEntry(kManager, "Apply") + "]}}";

  const auto api_service = api::MustDecode<Injectable>(
      MakeApiServiceType({.bundles = bundles, .field_manager = kManager}),
      R"({"kind":"APIService",)" + metadata);
  const auto crd = api::MustDecode<Injectable>(
      MakeCustomResourceDefinitionType({.bundles = bundles, .field_manager = kManager}),
      R"({"kind":"CustomResourceDefinition",)" + metadata);

  EXPECT_EQ(api_service->fields().manager_entries.apply, 0);
  EXPECT_EQ(crd->fields().manager_entries.apply, 0);
}

}  // namespace
}  // namespace capstan::cainjector
