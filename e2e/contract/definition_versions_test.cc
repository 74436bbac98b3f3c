// SPDX-License-Identifier: Apache-2.0
// Tests of CustomResourceDefinitions: the validation of their versions and of their conversion.
#include <string>

#include "capstan/testing/eventually.h"
#include "e2e/contract/fixture.h"

namespace capstan::testing::apiserver::contract {
namespace {

// Returns a version. Without a schema it is invalid.
std::string DefinedVersion(const std::string& name, bool storage, bool schema = true) {
  return R"({"name":")" + name + R"(","served":true,"storage":)" + (storage ? "true" : "false") +
         (schema ? R"(,"schema":{"openAPIV3Schema":{"type":"object"}})" : "") + "}";
}

std::string ConversionBy(const std::string& client, const std::string& versions = R"(["v1"])") {
  return R"("conversion":{"strategy":"Webhook","webhook":{"conversionReviewVersions":)" + versions +
         R"(,"clientConfig":)" + client + "}}";
}

// DefinitionCase is a definition's versions, the other members of its spec, and one cause of the
// refusal.
struct DefinitionCase {
  const char* name;
  std::string versions;
  std::string members;
  const char* field;
  const char* reason;
  const char* message;  // its end, because the value differs between versions
};

class DefinitionVersionsTest : public ContractTest,
                               public ::testing::WithParamInterface<DefinitionCase> {
 protected:
  std::string Name() const { return "prices." + ns() + ".example.com"; }
  std::string Path() const { return std::string(kDefinitions) + "/" + Name(); }
  Answer Create(const std::string& versions, const std::string& members) {
    DeleteLater(Path());
    const std::string scope =
        members.find("\"scope\"") == std::string::npos ? R"("scope":"Namespaced",)" : std::string();
    return Post(kDefinitions, R"({"metadata":{"name":")" + Name() + R"("},"spec":{"group":")" +
                                  ns() + R"(.example.com",)" + scope +
                                  R"("names":{"plural":"prices","kind":"Price"},"versions":[)" +
                                  versions + "]" + (members.empty() ? "" : "," + members) + "}}");
  }
  // Reports whether a refusal has this cause.
  static bool HasCause(const Answer& answer, const std::string& field, const std::string& reason,
                       const std::string& message) {
    const runtime::JsonValue& causes = ListAt(ObjectAt(answer.json, "details"), "causes");
    for (const runtime::JsonValue& cause : causes.GetArray()) {
      if (runtime::GetString(cause, "field") == field &&
          runtime::GetString(cause, "reason") == reason &&
          runtime::GetString(cause, "message").ends_with(message)) {
        return true;
      }
    }
    return false;
  }
};

using DefinitionVersionsCases = DefinitionVersionsTest;

TEST_P(DefinitionVersionsCases, IsRejected) {
  const DefinitionCase& one = GetParam();

  const Answer refused = Create(one.versions, one.members);

  EXPECT_EQ(refused.code, 422) << refused.body;
  const std::string schemas = "spec.versions[1].schema.openAPIV3Schema";
  const std::string more = Minor() < 34 && one.field == schemas ? ": schemas are required" : "";
  EXPECT_TRUE(HasCause(refused, one.field, one.reason, one.message + more)) << refused.body;
}

const std::string kOneVersion = DefinedVersion("v1", true);

INSTANTIATE_TEST_SUITE_P(
    Definitions, DefinitionVersionsCases,
    ::testing::Values(
        DefinitionCase{"NoStorageVersion", DefinedVersion("v1", false), "", "spec.versions",
                       "FieldValueInvalid",
                       "must have exactly one version marked as storage version"},
        DefinitionCase{"NoStoredVersion", DefinedVersion("v1", false), "", "status.storedVersions",
                       "FieldValueInvalid", ": must have at least one stored version"},
        DefinitionCase{"TwoStorageVersions", kOneVersion + "," + DefinedVersion("v2", true), "",
                       "spec.versions", "FieldValueInvalid",
                       "must have exactly one version marked as storage version"},
        DefinitionCase{"OneNameTwice", kOneVersion + "," + DefinedVersion("v1", false), "",
                       "spec.versions", "FieldValueInvalid", "must contain unique version names"},
        DefinitionCase{"NoSchema", kOneVersion + "," + DefinedVersion("v2", false, false), "",
                       "spec.versions[1].schema.openAPIV3Schema", "FieldValueRequired",
                       "Required value"},
        DefinitionCase{
            "ReplicasOutsideOfTheSpec",
            R"({"name":"v1","served":true,"storage":true,"schema":{"openAPIV3Schema":{)"
            R"("type":"object"}},"subresources":{"scale":{"specReplicasPath":".status.a",)"
            R"("statusReplicasPath":".status.b"}}})",
            "", "spec.subresources.scale.specReplicasPath", "FieldValueInvalid",
            "should be a json path under .spec"},
        DefinitionCase{"UnknownScope", kOneVersion, R"("scope":"Global")", "spec.scope",
                       "FieldValueNotSupported", R"(supported values: "Cluster", "Namespaced")"},
        DefinitionCase{"PreservesUnknownFields", kOneVersion, R"("preserveUnknownFields":true)",
                       "spec.preserveUnknownFields", "FieldValueInvalid",
                       "preserve-unknown-fields to true in spec.versions[*].schema instead"},
        DefinitionCase{"UnknownStrategy", kOneVersion, R"("conversion":{"strategy":"Magic"})",
                       "spec.conversion.strategy", "FieldValueNotSupported",
                       R"(supported values: "None", "Webhook")"},
        DefinitionCase{"NoWebhook", kOneVersion, R"("conversion":{"strategy":"Webhook"})",
                       "spec.conversion.webhookClientConfig", "FieldValueRequired",
                       "required when strategy is set to Webhook"},
        DefinitionCase{"NeitherUrlNorService", kOneVersion, ConversionBy("{}"),
                       "spec.conversion.webhookClientConfig", "FieldValueRequired",
                       "exactly one of url or service is required"},
        DefinitionCase{
            "UrlWithoutTls", kOneVersion, ConversionBy(R"({"url":"http://x.example.com"})"),
            "spec.conversion.webhookClientConfig.url", "FieldValueInvalid",
            "'https' is the only allowed URL scheme; desired format: https://host[/path]"},
        DefinitionCase{"ServiceWithRelativePath", kOneVersion,
                       ConversionBy(R"({"service":{"name":"s","namespace":"n","path":"x"}})"),
                       "spec.conversion.webhookClientConfig.service.path", "FieldValueInvalid",
                       "must start with a '/'"},
        DefinitionCase{"NoReviewVersions", kOneVersion,
                       ConversionBy(R"({"url":"https://x.example.com"})", "[]"),
                       "spec.conversion.conversionReviewVersions", "FieldValueRequired",
                       "Required value"},
        DefinitionCase{"UnknownReviewVersions", kOneVersion,
                       ConversionBy(R"({"url":"https://x.example.com"})", R"(["v7"])"),
                       "spec.conversion.conversionReviewVersions", "FieldValueInvalid",
                       "must include at least one of v1, v1beta1"},
        DefinitionCase{"ReviewVersionTwice", kOneVersion,
                       ConversionBy(R"({"url":"https://x.example.com"})", R"(["v1","v1"])"),
                       "spec.conversion.conversionReviewVersions[1]", "FieldValueInvalid",
                       "duplicate version"},
        DefinitionCase{
            "WebhookOfStrategyNone", kOneVersion,
            R"("conversion":{"strategy":"None","webhook":{"conversionReviewVersions":["v1"],)"
            R"("clientConfig":{"url":"https://x.example.com"}}})",
            "spec.conversion.webhookClientConfig", "FieldValueForbidden",
            "should not be set when strategy is not set to Webhook"}),
    [](const auto& one) { return one.param.name; });

TEST_F(DefinitionVersionsTest, SetsThePortOfTheService) {
  const Answer created =
      Create(kOneVersion, ConversionBy(R"({"service":{"name":"s","namespace":"n"}})"));

  ASSERT_EQ(created.code, 201) << created.body;
  EXPECT_THAT(created.body, ::testing::HasSubstr(R"("port":443)"));
}

TEST_F(DefinitionVersionsTest, KeepsItsNamesAndItsScope) {
  ASSERT_EQ(Create(kOneVersion, "").code, 201);
  constexpr const char* kImmutable = "field is immutable";

  // A real server accepts another scope until the definition is established.
  EXPECT_TRUE(Eventually([&] {
    return HasCause(MergePatch(Path() + "?dryRun=All", R"({"spec":{"scope":"Cluster"}})"),
                    "spec.scope", "FieldValueInvalid", kImmutable);
  }));
  const Answer refused =
      MergePatch(Path(), R"({"spec":{"group":"other.example.com","names":{"plural":"costs"}}})");

  EXPECT_EQ(refused.code, 422);
  EXPECT_TRUE(HasCause(refused, "spec.group", "FieldValueInvalid", kImmutable)) << refused.body;
  EXPECT_TRUE(HasCause(refused, "spec.names.plural", "FieldValueInvalid", kImmutable));
}

}  // namespace
}  // namespace capstan::testing::apiserver::contract
