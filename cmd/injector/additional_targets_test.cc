// SPDX-License-Identifier: Apache-2.0
#include "cmd/injector/additional_targets.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace capstan::cmd::injector {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using ::testing::StartsWith;

constexpr const char* kIssuer =
    R"({"group":"cert-manager.io","version":"v1","kind":"Issuer","resource":"issuers",)"
    R"("fields":["spec.acme.caBundle","spec.vault.caBundle"]})";

std::string ErrorOf(const std::string& json) {
  const auto targets = ParseAdditionalTargets(json);
  return targets ? "accepted" : targets.error().message;
}

// Returns the error for kIssuer with `from` replaced.
std::string ErrorWith(const std::string& from, const std::string& to) {
  std::string json = kIssuer;
  json.replace(json.find(from), from.size(), to);
  return ErrorOf("[" + json + "]");
}

TEST(AdditionalTargetsTest, NoTextMeansNoTargets) {
  EXPECT_THAT(ParseAdditionalTargets("").value(), IsEmpty());
  EXPECT_THAT(ParseAdditionalTargets("[]").value(), IsEmpty());
}

TEST(AdditionalTargetsTest, ReadsEveryField) {
  const auto targets = ParseAdditionalTargets(
      "[" + std::string(kIssuer) +
      R"(,{"version":"v2","kind":"Config","resource":"configs","namespaced":false,)"
      R"("encoding":"pem","fields":["spec.providers[*].ca"]}])");

  ASSERT_TRUE(targets.has_value()) << targets.error().message;
  ASSERT_THAT(*targets, SizeIs(2));
  const auto& issuer = targets->at(0)->options;
  EXPECT_EQ(issuer.gvr.String(), "cert-manager.io/v1, Resource=issuers");
  EXPECT_EQ(issuer.kind, "Issuer");
  EXPECT_TRUE(issuer.namespaced);
  EXPECT_EQ(issuer.encoding, cainjector::FieldEncoding::kBase64);
  EXPECT_EQ(issuer.fields.at(1).String(), "spec.vault.caBundle");
  const auto& config = targets->at(1)->options;
  EXPECT_EQ(config.gvr.ApiVersion(), "v2");
  EXPECT_FALSE(config.namespaced);
  EXPECT_EQ(config.encoding, cainjector::FieldEncoding::kPem);
}

TEST(AdditionalTargetsTest, AnErrorNamesTheElementAndTheField) {
  EXPECT_THAT(ErrorOf("{}"), HasSubstr("expected a list"));
  EXPECT_THAT(ErrorOf("[1]"), StartsWith("additionalTargets[0]: expected a map"));
  EXPECT_THAT(ErrorWith("\"resource\":\"issuers\",", ""),
              StartsWith("additionalTargets[0].resource: missing; for example issuers"));
  EXPECT_THAT(ErrorWith("\"issuers\"", "\"issuers/status\""),
              StartsWith("additionalTargets[0].resource: expected a plural name"));
  EXPECT_THAT(ErrorWith("\"Issuer\"", "\"issuer\""), HasSubstr(".kind: expected a kind"));
  EXPECT_THAT(ErrorWith("\"v1\"", "1"), HasSubstr(".version: expected v1"));
  EXPECT_THAT(ErrorWith("\"cert-manager.io\"", "\"a/b\""), HasSubstr(".group: expected an API"));
  EXPECT_THAT(ErrorWith("\"group\"", "\"groop\""),
              HasSubstr("unknown field \"groop\"; did you mean group?"));
  EXPECT_THAT(ErrorWith("spec.acme.caBundle", "spec..x"),
              HasSubstr("additionalTargets[0].fields[0]: field path \"spec..x\", position 6: "));
  EXPECT_THAT(ErrorWith("spec.vault", "spec.acme"),
              HasSubstr("fields[1]: spec.acme.caBundle is given twice"));
  EXPECT_THAT(ErrorWith("spec.vault.caBundle", "spec.acme"),
              HasSubstr("fields[1]: spec.acme contains spec.acme.caBundle, so it cannot be a "
                        "string; name one of the two"));
  EXPECT_THAT(ErrorWith("spec.vault.caBundle", "spec.acme.caBundle[*].pem"),
              HasSubstr("fields[1]: spec.acme.caBundle contains spec.acme.caBundle[*].pem"));
  EXPECT_EQ(ErrorWith("spec.vault.caBundle", "spec.acmeSolver.caBundle"), "accepted");
  EXPECT_THAT(ErrorWith("\"fields\"", "\"encoding\":\"der\",\"fields\""),
              HasSubstr(".encoding: expected base64 or pem"));
  EXPECT_THAT(ErrorWith("\"fields\"", "\"namespaced\":\"true\",\"fields\""),
              HasSubstr(".namespaced: expected true or false"));
}

TEST(AdditionalTargetsTest, RejectsSecrets) {
  EXPECT_THAT(ErrorOf(R"([{"version":"v1","kind":"Secret","resource":"secrets",)"
                      R"("fields":["data.ca"]}])"),
              StartsWith("additionalTargets[0]: Secrets cannot be targets"));
}

TEST(AdditionalTargetsTest, RejectsAKindGivenTwice) {
  EXPECT_THAT(ErrorOf("[" + std::string(kIssuer) + "," + kIssuer + "]"),
              StartsWith("additionalTargets[1]: the kind Issuer is given twice"));
}

}  // namespace
}  // namespace capstan::cmd::injector
