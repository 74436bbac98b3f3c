// SPDX-License-Identifier: Apache-2.0
// The options of the verbs, and the verbs that are not about one whole object.
#include <gtest/gtest.h>

#include <string>

#include "clientgo/rest/testing/client_fixture.h"

namespace capstan::rest {
namespace {

constexpr char kSuccess[] = R"({"kind":"Status","metadata":{},"status":"Success"})";

using ClientVerbsTest = ClientFixture;

TEST_F(ClientVerbsTest, GetsSubresourceWithTypeOfItsKind) {
  Start();
  const runtime::ResourceType scale = {.gvr = {"autoscaling", "v1", "scale"},
                                       .kind = "Scale",
                                       .namespaced = true,
                                       .projection = {{"spec"}},
                                       .decode = kSecretType.decode};
  transport_->Push({.chunks = {R"({"kind":"Scale","metadata":{"namespace":"ns","name":"s",)"
                               R"("resourceVersion":"8"},"spec":{"replicas":3}})"}});

  const auto got =
      client_->Get({}, kSecretType, {"ns", "s"},
                   {.resource_version = "0", .subresource = "scale", .answer_type = &scale});

  ASSERT_TRUE(got.has_value()) << got.error().message;
  EXPECT_EQ((*got)->resource_version(), "8");
  EXPECT_EQ(Last(), "GET /api/v1/namespaces/ns/secrets/s/scale?resourceVersion=0 ");
}

TEST_F(ClientVerbsTest, SendsFieldValidationOfWrites) {
  handler_ = [](const transport::HttpRequest&) {
    return testing::FakeResponse{.chunks = {kSecret}};
  };
  Start();
  const std::string path = "/api/v1/namespaces/ns/secrets";

  client_->Create({}, kSecretType, "ns", "{}", {.field_validation = FieldValidation::kStrict})
      .value();
  EXPECT_EQ(Last(), "POST " + path + "?fieldValidation=Strict {}");
  client_->Update({}, kSecretType, {"ns", "s"}, "{}", {.field_validation = FieldValidation::kWarn})
      .value();
  EXPECT_EQ(Last(), "PUT " + path + "/s?fieldValidation=Warn {}");
  client_
      ->Patch({}, kSecretType, {"ns", "s"}, PatchType::kMerge, "{}",
              {.field_validation = FieldValidation::kIgnore})
      .value();
  EXPECT_EQ(Last(), "PATCH " + path + "/s?fieldValidation=Ignore {}");
}

TEST_F(ClientVerbsTest, AsksForMetadataInTheAnswerOfAWrite) {
  Start();
  transport_->Push({.status = 201,
                    .chunks = {R"({"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/v1",)"
                               R"("metadata":{"name":"s","resourceVersion":"2"}})"}});

  const auto created = client_->Create({}, kSecretType, "ns", "{}", {.metadata_only_answer = true});

  ASSERT_TRUE(created.has_value()) << created.error().message;
  EXPECT_EQ((*created)->resource_version(), "2");
  EXPECT_EQ(transport::FindHeader(transport_->requests().back().headers, "Accept"),
            "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,application/json");
}

TEST_F(ClientVerbsTest, DeleteSendsAllItsOptions) {
  handler_ = [](const transport::HttpRequest&) {
    return testing::FakeResponse{.chunks = {kSuccess}};
  };
  Start();
  const std::string start =
      R"(DELETE /api/v1/namespaces/ns/secrets/s {"kind":"DeleteOptions","apiVersion":"v1")";

  EXPECT_TRUE(client_->Delete({}, kSecretType, {"ns", "s"},
                              {.uid = "u",
                               .propagation_policy = PropagationPolicy::kForeground,
                               .grace_period = std::chrono::seconds(5),
                               .dry_run = true}));
  EXPECT_EQ(Last(), start + R"(,"gracePeriodSeconds":5,"preconditions":{"uid":"u"},)"
                            R"("propagationPolicy":"Foreground","dryRun":["All"]})");
  EXPECT_TRUE(
      client_->Delete({}, kSecretType, {"ns", "s"}, {.grace_period = std::chrono::seconds(0)}));
  EXPECT_EQ(Last(), start + R"(,"gracePeriodSeconds":0})");
  EXPECT_TRUE(client_->Delete({}, kSecretType, {"ns", "s"},
                              {.propagation_policy = PropagationPolicy::kOrphan}));
  EXPECT_EQ(Last(), start + R"(,"propagationPolicy":"Orphan"})");
  EXPECT_TRUE(client_->Delete({}, kSecretType, {"ns", "s"},
                              {.propagation_policy = PropagationPolicy::kBackground}));
  EXPECT_EQ(Last(), start + R"(,"propagationPolicy":"Background"})");
}

TEST_F(ClientVerbsTest, DeleteCollectionSendsSelectorsAndOptions) {
  handler_ = [](const transport::HttpRequest&) {
    return testing::FakeResponse{.chunks = {R"({"kind":"SecretList","metadata":{},"items":[]})"}};
  };
  Start();

  EXPECT_TRUE(client_->DeleteCollection({}, kSecretType, {.namespace_ = "ns"}));
  EXPECT_EQ(Last(), "DELETE /api/v1/namespaces/ns/secrets ");
  EXPECT_TRUE(client_->DeleteCollection(
      {}, kSecretType, {.namespace_ = "ns", .label_selector = "a=b", .field_selector = "x=y"},
      {.propagation_policy = PropagationPolicy::kBackground}));
  EXPECT_EQ(Last(),
            "DELETE /api/v1/namespaces/ns/secrets?labelSelector=a%3Db&fieldSelector=x%3Dy "
            R"({"kind":"DeleteOptions","apiVersion":"v1","propagationPolicy":"Background"})");
}

TEST_F(ClientVerbsTest, EvictCreatesSubresourceOfPod) {
  handler_ = [](const transport::HttpRequest&) {
    return testing::FakeResponse{.status = 201, .chunks = {kSuccess}};
  };
  Start();
  const std::string start =
      R"(POST /api/v1/namespaces/ns/pods/p/eviction {"kind":"Eviction","apiVersion":"policy/v1",)"
      R"("metadata":{"name":"p","namespace":"ns"})";

  EXPECT_TRUE(client_->Evict({}, {"ns", "p"}));
  EXPECT_EQ(Last(), start + "}");
  EXPECT_TRUE(client_->Evict({}, {"ns", "p"}, {.grace_period = std::chrono::seconds(7)}));
  EXPECT_EQ(Last(), start + R"(,"deleteOptions":{"kind":"DeleteOptions","apiVersion":"v1",)"
                            R"("gracePeriodSeconds":7}})");
}

TEST_F(ClientVerbsTest, EvictReturnsRefusalOfDisruptionBudgetWithoutRetry) {
  Start();
  transport_->Push({.status = 429,
                    .chunks = {R"({"kind":"Status","status":"Failure","code":429,)"
                               R"("reason":"TooManyRequests","message":"Cannot evict pod"})"}});

  const auto evicted = client_->Evict({}, {"ns", "p"});

  ASSERT_FALSE(evicted.has_value());
  EXPECT_TRUE(IsTooManyRequests(evicted.error()));
  EXPECT_EQ(transport_->requests().size(), 1U);
}

TEST_F(ClientVerbsTest, BindNamesNode) {
  Start();
  transport_->Push({.status = 201, .chunks = {kSuccess}});

  EXPECT_TRUE(client_->Bind({}, {"ns", "p"}, "node-1", "uid-1"));
  EXPECT_EQ(Last(),
            R"(POST /api/v1/namespaces/ns/pods/p/binding {"kind":"Binding","apiVersion":"v1",)"
            R"("metadata":{"name":"p","namespace":"ns","uid":"uid-1"},)"
            R"("target":{"kind":"Node","apiVersion":"v1","name":"node-1"}})");
}

TEST_F(ClientVerbsTest, RejectsNamesThatWouldChangeThePath) {
  Start();
  const auto reason = [](const auto& result) { return result.error().reason; };

  EXPECT_EQ(reason(client_->Get({}, kSecretType, {"ns", "s"}, {.subresource = "../x"})),
            ErrorReason::kInvalidArgument);
  EXPECT_EQ(reason(client_->Evict({}, {"", "p"})), ErrorReason::kInvalidArgument);
  EXPECT_EQ(reason(client_->Bind({}, {"ns", "a/b"}, "n")), ErrorReason::kInvalidArgument);
  EXPECT_EQ(reason(client_->DeleteCollection({}, kSecretType, {.namespace_ = ".."})),
            ErrorReason::kInvalidArgument);
  EXPECT_TRUE(transport_->requests().empty());
}

TEST_F(ClientVerbsTest, ReadsAPathThatIsNoResource) {
  Start();
  transport_->Push({.headers = {{"Content-Type", "text/x"}}, .chunks = {"o", "k"}});

  const auto got = client_->GetRaw({}, "/healthz?verbose", {.accept = "text/x"});

  ASSERT_TRUE(got.has_value()) << got.error().message;
  EXPECT_EQ(got->body, "ok");
  EXPECT_EQ(got->content_type, "text/x");
  EXPECT_EQ(Last(), "GET /healthz?verbose ");
  EXPECT_EQ(transport::FindHeader(transport_->requests().back().headers, "Accept"), "text/x");
}

TEST_F(ClientVerbsTest, LimitsTheBodyOfAPath) {
  Start();
  transport_->Push({.chunks = {"12", "345"}});
  EXPECT_EQ(client_->GetRaw({}, "/x", {.body_bytes_max = 5})->body, "12345");
  transport_->Push({.chunks = {"12", "345"}});

  const auto large = client_->GetRaw({}, "/x", {.body_bytes_max = 4});

  ASSERT_FALSE(large.has_value());
  EXPECT_EQ(large.error().message, "failed to get /x: the response has more than 4 bytes");
  EXPECT_EQ(client_->GetRaw({}, "x").error().reason, ErrorReason::kInvalidArgument);
}

}  // namespace
}  // namespace capstan::rest
