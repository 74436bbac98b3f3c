// SPDX-License-Identifier: Apache-2.0
#include "controllers/cainjector/targets/field_target.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "capstan/base64.h"
#include "clientgo/api/testing/decode.h"

namespace capstan::cainjector {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

FieldTargetOptions Issuers(const std::vector<std::string>& paths,
                           FieldEncoding encoding = FieldEncoding::kBase64) {
  FieldTargetOptions options{
      .gvr = {"example.com", "v1", "issuers"}, .kind = "Issuer", .encoding = encoding};
  for (const std::string& path : paths) options.fields.push_back(ParseFieldPath(path).value());
  return options;
}

runtime::ObjectPtr Decode(const FieldTarget& target, const std::string& spec) {
  return api::MustDecode<runtime::Object>(
      target.target.content_type(),
      R"({"kind":"Issuer","metadata":{"namespace":"ns","name":"i","uid":"u",)"
      R"("resourceVersion":"7"},"spec":)" +
          spec + "}");
}

TEST(FieldTargetTest, EachParentOfAFieldIsAPlace) {
  const FieldTarget target(Issuers({"spec.acme.caBundle", "spec.providers[*].caBundle"}));

  const auto object =
      Decode(target, R"({"acme":{},"providers":[{"caBundle":")" + Base64Encode("pem") +
                         R"("},{"name":"b"},"no object",null]})");

  EXPECT_THAT(target.target.Bundles(*object), ElementsAre("", "pem", ""));
  EXPECT_FALSE(target.target.Refusal(*object).has_value());
}

TEST(FieldTargetTest, AMissingParentIsNoPlace) {
  const FieldTarget target(Issuers({"spec.acme.caBundle", "spec.providers[*].caBundle"}));

  for (const std::string spec :
       {"{}", R"({"acme":null})", R"({"acme":"text"})", R"({"providers":[]})", "[]",
        R"({"providers":{"caBundle":"x"}})"}) {
    const auto object = Decode(target, spec);
    EXPECT_THAT(target.target.Bundles(*object), IsEmpty()) << spec;
    const auto refusal = target.target.Refusal(*object);
    ASSERT_TRUE(refusal.has_value()) << spec;
    EXPECT_EQ(refusal->reason, Reason::kNothingToInjectInto);
    EXPECT_EQ(refusal->message,
              "the object has no parent of spec.acme.caBundle or spec.providers[*].caBundle");
  }
}

TEST(FieldTargetTest, RefusesMorePlacesThanAnObjectCanHoldBundles) {
  const FieldTarget target(Issuers({"spec.providers[*].caBundle"}));
  std::string providers = "{}";
  for (int i = 1; i < 5000; ++i) providers += ",{}";

  const auto object = Decode(target, R"({"providers":[)" + providers + "]}");

  EXPECT_THAT(target.target.Bundles(*object), IsEmpty());
  const auto refusal = target.target.Refusal(*object);
  ASSERT_TRUE(refusal.has_value());
  EXPECT_EQ(refusal->reason, Reason::kTooLarge);
  EXPECT_THAT(refusal->message, HasSubstr("more than 4096 places"));
}

TEST(FieldTargetTest, WritesOnlyChangedPlacesOfTheVersionThatWasRead) {
  const FieldTarget target(Issuers({"spec.acme.caBundle", "spec.providers[*].caBundle"}));
  const auto object = Decode(target, R"({"acme":{},"providers":[{"caBundle":")" +
                                         Base64Encode("new") + R"("},{"caBundle":"!"}]})");

  const TargetWrite write =
      target.target.Write(*object, {"new", "new", "new"}, ApplyTo::kThisVersion);

  EXPECT_EQ(write.type, rest::PatchType::kJson);
  EXPECT_EQ(write.options.field_manager, "cert-manager-cainjector");
  EXPECT_FALSE(write.options.force);
  const std::string value = Base64Encode("new");
  EXPECT_EQ(write.body, R"([{"op":"replace","path":"/metadata/resourceVersion","value":"7"},)"
                        R"({"op":"add","path":"/spec/acme/caBundle","value":")" +
                            value +
                            R"("},{"op":"add","path":"/spec/providers/1/caBundle","value":")" +
                            value + R"("}])");
}

TEST(FieldTargetTest, ADryRunIsForAnyVersionOfTheObject) {
  const FieldTarget target(Issuers({"spec.acme.caBundle"}));

  const TargetWrite write =
      target.target.Write(*Decode(target, R"({"acme":{}})"), {"new"}, ApplyTo::kThisObject);

  EXPECT_THAT(write.body, HasSubstr(R"([{"op":"test","path":"/metadata/uid","value":"u"},)"));
}

TEST(FieldTargetTest, ReadsAndWritesPemAsText) {
  const FieldTarget target(Issuers({"spec.caBundle"}, FieldEncoding::kPem));
  const auto object = Decode(target, R"({"caBundle":"pem\n"})");

  EXPECT_THAT(target.target.Bundles(*object), ElementsAre("pem\n"));
  EXPECT_THAT(target.target.Write(*object, {"a\nb"}, ApplyTo::kThisVersion).body,
              HasSubstr(R"("value":"a\nb")"));
}

TEST(FieldTargetTest, TextThatIsNotBase64IsNoBundle) {
  const FieldTarget target(Issuers({"spec.caBundle"}));

  EXPECT_THAT(target.target.Bundles(*Decode(target, R"({"caBundle":"-----BEGIN"})")),
              ElementsAre(""));
}

// A kind without a schema accepts any value. It is somebody else's.
TEST(FieldTargetTest, RefusesToOverwriteAValueThatIsNoString) {
  const FieldTarget target(Issuers({"spec.tls.ca", "spec.providers[*].caBundle"}));

  for (const std::string value : {"5", "true", R"({"secretRef":"x"})", R"(["a"])"}) {
    const auto object = Decode(
        target, R"({"tls":{"ca":""},"providers":[{"caBundle":"x"},{"caBundle":)" + value + "}]}");
    const auto refusal = target.target.Refusal(*object);
    ASSERT_TRUE(refusal.has_value()) << value;
    EXPECT_EQ(refusal->reason, Reason::kRejected);
    EXPECT_EQ(refusal->message,
              "nothing was written: the value of spec.tls.ca or spec.providers[*].caBundle is not "
              "a string; correct the object or additionalTargets");
  }
  EXPECT_FALSE(target.target.Refusal(*Decode(target, R"({"tls":{"ca":null}})")).has_value());
}

TEST(FieldTargetTest, SecretsAndKindsWithAFlagCannotBeNamed) {
  const auto error_of = [](const runtime::GroupVersionResource& gvr, const std::string& kind) {
    const auto checked = CheckFieldTarget({.gvr = gvr, .kind = kind, .fields = {}});
    return checked ? "accepted" : checked.error().message;
  };

  EXPECT_THAT(error_of({"", "v1", "secrets"}, "Secret"), HasSubstr("Secrets cannot be targets"));
  EXPECT_THAT(error_of({"", "v1", "secrets"}, "Other"), HasSubstr("Secrets cannot be targets"));
  EXPECT_THAT(error_of({"", "v1", "others"}, "Secret"), HasSubstr("Secrets cannot be targets"));
  EXPECT_THAT(error_of({"apiregistration.k8s.io", "v1", "apiservices"}, "APIService"),
              HasSubstr("--enable-apiservices-injectable"));
  EXPECT_THAT(error_of({"", "v1", "configmaps"}, "ConfigMap"),
              HasSubstr("--enable-configmaps-injectable"));
  EXPECT_EQ(error_of({"example.com", "v1", "secrets"}, "Secret"), "accepted");
  EXPECT_THAT(error_of({"example.com", "v1", "configmaps"}, "ConfigMap"),
              HasSubstr("a kind with the name ConfigMap of another group is not supported"));
}

}  // namespace
}  // namespace capstan::cainjector
