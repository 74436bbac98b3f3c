// SPDX-License-Identifier: Apache-2.0
#include "controllers/cainjector/targets/schema_check.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>

#include "capstan/runtime/parsed_json.h"
#include "capstan/testing/fake_clock.h"
#include "capstan/testing/fake_transport.h"

namespace capstan::cainjector {
namespace {

using ::testing::EndsWith;
using ::testing::StartsWith;

// A part of what kube-apiserver serves for custom resources, and a reference as in built-in kinds.
constexpr const char* kOpenApi = R"({
  "paths": {
    "/apis/example.com/v1/issuers": {},
    "/apis/example.com/v1/namespaces/{namespace}/issuers": {},
    "/apis/example.com/v1/clusterissuers": {}
  },
  "components": {"schemas": {
    "com.example.v1.Issuer": {
      "type": "object",
      "x-kubernetes-group-version-kind": [{"group":"example.com","kind":"Issuer","version":"v1"}],
      "properties": {"spec": {"type": "object", "properties": {
        "acme": {"type": "object", "properties": {
          "caBundle": {"type": "string", "format": "byte"},
          "email": {"type": "string"},
          "port": {"type": "integer"}}},
        "providers": {"type": "array", "items": {"type": "object", "properties": {
          "caBundle": {"type": "string"}}}},
        "more": {"allOf": [{"$ref": "#/components/schemas/com.example.v1.More"}]},
        "any": {"type": "object", "x-kubernetes-preserve-unknown-fields": true},
        "map": {"type": "object", "additionalProperties": {"type": "string"}}}}}},
    "com.example.v1.More": {"type": "object", "properties": {"ca": {"type": "string"}}},
    "com.example.v1.ClusterIssuer": {
      "type": "object",
      "x-kubernetes-group-version-kind":
        [{"group":"example.com","kind":"ClusterIssuer","version":"v1"}],
      "properties": {"ca": {"type": "object", "properties": {"bundle": {"type": "string"}}}}}}}})";

FieldTargetOptions Issuers(const std::string& path) {
  return {.gvr = {"example.com", "v1", "issuers"},
          .kind = "Issuer",
          .fields = {ParseFieldPath(path).value()}};
}

std::string ErrorOf(const FieldTargetOptions& options) {
  const auto document = runtime::ParsedJson::Parse(kOpenApi);
  const auto checked = CheckSchema(options, document->root());
  return checked ? "" : checked.error().message;
}

TEST(SchemaCheckTest, AcceptsStringsOfTheSchema) {
  for (const std::string path :
       {"spec.acme.caBundle", "spec.providers[*].caBundle", "spec.more.ca", "spec.any.thing.below",
        "spec.any.things[*].below", "spec.map.key"}) {
    EXPECT_EQ(ErrorOf(Issuers(path)), "") << path;
  }
}

TEST(SchemaCheckTest, NamesTheNearestField) {
  EXPECT_EQ(ErrorOf(Issuers("spec.acme.caBundel")),
            "additionalTargets: Issuer (example.com/v1), field spec.acme.caBundel: the schema has "
            "no field spec.acme.caBundel; did you mean spec.acme.caBundle?");
  EXPECT_THAT(ErrorOf(Issuers("spec.providers[*].caBundl")),
              EndsWith("did you mean spec.providers[*].caBundle?"));
  EXPECT_THAT(ErrorOf(Issuers("spec.acme.other")),
              EndsWith("no field spec.acme.other; expected one of caBundle, email, port"));
}

TEST(SchemaCheckTest, RejectsFieldsThatAreNoStrings) {
  EXPECT_THAT(ErrorOf(Issuers("spec.acme.port")),
              EndsWith("the field is of type integer; a bundle needs a string"));
  EXPECT_THAT(ErrorOf(Issuers("spec.acme")), EndsWith("of type object; a bundle needs a string"));
}

TEST(SchemaCheckTest, RejectsArraysAndObjectsOfTheOtherForm) {
  EXPECT_THAT(ErrorOf(Issuers("spec.acme[*].caBundle")),
              EndsWith("spec.acme is not an array; remove [*]"));
  EXPECT_THAT(ErrorOf(Issuers("spec.providers.caBundle")),
              EndsWith("spec.providers is an array; write spec.providers[*]"));
}

TEST(SchemaCheckTest, RejectsPemInABase64Field) {
  FieldTargetOptions options = Issuers("spec.acme.caBundle");
  options.encoding = FieldEncoding::kPem;
  EXPECT_THAT(ErrorOf(options), EndsWith("the field has the format byte; set encoding: base64"));
}

TEST(SchemaCheckTest, RejectsAWrongResourceOrScope) {
  FieldTargetOptions options = Issuers("spec.more.ca");
  options.namespaced = false;
  EXPECT_THAT(ErrorOf(options), EndsWith("the kind is namespaced; remove namespaced: false"));
  options.gvr.resource = "issuerz";
  EXPECT_THAT(ErrorOf(options), EndsWith("the API server does not serve the resource issuerz"));

  FieldTargetOptions cluster{.gvr = {"example.com", "v1", "clusterissuers"},
                             .kind = "ClusterIssuer",
                             .fields = {ParseFieldPath("ca.bundle").value()}};
  EXPECT_THAT(ErrorOf(cluster), EndsWith("the kind is cluster-scoped; set namespaced: false"));
}

TEST(SchemaCheckTest, AnUnknownKindIsNotFound) {
  FieldTargetOptions options = Issuers("spec.more.ca");
  options.kind = "Other";
  const auto document = runtime::ParsedJson::Parse(kOpenApi);

  const auto checked = CheckSchema(options, document->root());

  ASSERT_FALSE(checked.has_value());
  EXPECT_EQ(checked.error().reason, ErrorReason::kNotFound);
}

class SchemaCheckRequestTest : public ::testing::Test {
 protected:
  SchemaCheckRequestTest() {
    auto owned = std::make_unique<testing::FakeTransport>(
        [this](const transport::HttpRequest&) { return answer_; });
    transport_ = owned.get();
    client_ =
        std::make_unique<rest::Client>(rest::Config{.host = "https://fake"}, std::move(owned));
  }

  testing::FakeClock clock_;
  const FieldTargetOptions options_ = Issuers("spec.acme.caBundle");
  testing::FakeResponse answer_;
  testing::FakeTransport* transport_ = nullptr;
  std::unique_ptr<rest::Client> client_;
};

TEST_F(SchemaCheckRequestTest, ReadsTheSchemaUntilTheCheckHasSucceeded) {
  SchemaCheck check(*client_, options_, clock_);
  answer_ = {.status = 404, .headers = {}, .chunks = {"404 page not found"}};
  const auto missing = check.Run({});
  ASSERT_FALSE(missing.has_value());
  EXPECT_EQ(missing.error().reason, ErrorReason::kNotFound);
  EXPECT_THAT(missing.error().message, StartsWith("failed to read the schema of Issuer: "));

  answer_ = {.status = 200, .headers = {}, .chunks = {kOpenApi}};
  EXPECT_FALSE(check.Run({}).has_value());  // not read again yet
  clock_.Step(kSchemaPeriod);
  EXPECT_TRUE(check.Run({}).has_value());
  clock_.Step(kSchemaPeriod);
  EXPECT_TRUE(check.Run({}).has_value());

  ASSERT_EQ(transport_->requests().size(), 2U);
  EXPECT_EQ(transport_->requests().front().target, "/openapi/v3/apis/example.com/v1");
}

TEST_F(SchemaCheckRequestTest, ADeniedSchemaIsNoReasonToStop) {
  SchemaCheck check(*client_, options_, clock_);
  answer_ = {.status = 403, .headers = {}, .chunks = {"forbidden"}};
  EXPECT_TRUE(check.Run({}).has_value());
}

}  // namespace
}  // namespace capstan::cainjector
