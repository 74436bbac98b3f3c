// SPDX-License-Identifier: Apache-2.0
#include "capstan/webhook/admission.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "controllers/runtime/webhook/admission_review.h"
#include "controllers/runtime/webhook/testing/webhook_client.h"

namespace capstan::webhook {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;

TEST(AdmissionReviewTest, DecodesRequestFields) {
  const auto request = DecodeAdmissionReview(Review(
      "UPDATE",
      R"("subResource":"status","requestKind":{"group":"example.com","version":"v2","kind":"Foo"},)"
      R"("requestResource":{"group":"example.com","version":"v2","resource":"foos"},)"
      R"("requestSubResource":"status","object":{"a": 1},"oldObject":{"a": 2},"dryRun":true,)"
      R"("options":{"kind":"UpdateOptions"})"));

  ASSERT_TRUE(request.has_value()) << request.error().message;
  EXPECT_EQ(request->uid, "u1");
  EXPECT_EQ(request->kind, (runtime::GroupVersionKind{"example.com", "v1", "Foo"}));
  EXPECT_EQ(request->resource.resource, "foos");
  EXPECT_EQ(request->sub_resource, "status");
  EXPECT_EQ(request->request_kind->version, "v2");
  EXPECT_EQ(request->request_resource->version, "v2");
  EXPECT_EQ(request->request_sub_resource, "status");
  EXPECT_EQ(request->name, "a");
  EXPECT_EQ(request->namespace_, "ns");
  EXPECT_EQ(request->operation, Operation::kUpdate);
  EXPECT_EQ(request->object, R"({"a":1})");
  EXPECT_EQ(request->old_object, R"({"a":2})");
  EXPECT_TRUE(request->dry_run);
  EXPECT_EQ(request->options, R"({"kind":"UpdateOptions"})");
}

TEST(AdmissionReviewTest, DecodesUserInfo) {
  const auto request = DecodeAdmissionReview(
      R"({"request":{"uid":"u","operation":"DELETE","object":null,"userInfo":{"username":"alice",)"
      R"("uid":"7","groups":["a","b"],"extra":{"scopes":["x"]}}}})");

  ASSERT_TRUE(request.has_value()) << request.error().message;
  EXPECT_EQ(request->user_info.username, "alice");
  EXPECT_EQ(request->user_info.uid, "7");
  EXPECT_THAT(request->user_info.groups, ElementsAre("a", "b"));
  EXPECT_THAT(request->user_info.extra, ElementsAre(Pair("scopes", ElementsAre("x"))));
  EXPECT_EQ(request->object, "");
  EXPECT_FALSE(request->request_kind.has_value());
}

TEST(AdmissionReviewTest, RejectsInvalidReviews) {
  const struct {
    std::string body;
    std::string message;
  } cases[] = {
      {"{", ""},
      {"[]", "the review is not a JSON object"},
      {R"({"apiVersion":"admission.k8s.io/v2","kind":"AdmissionReview"})",
       R"(no kind "AdmissionReview" is registered for version "admission.k8s.io/v2")"},
      {R"({"apiVersion":"v1","kind":"Pod"})", R"(no kind "Pod" is registered for version "v1")"},
      {R"({"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview"})",
       "the AdmissionReview has no request"},
      {Review("PATCH"), "request.operation: unknown operation"},
      {Review("CREATE", R"("object":"text")"), "request.object: not an object"},
      {Review("CREATE", R"("dryRun":"yes")"), "request.dryRun: not a boolean"}};
  for (const auto& test_case : cases) {
    const auto request = DecodeAdmissionReview(test_case.body);
    ASSERT_FALSE(request.has_value()) << test_case.body;
    EXPECT_THAT(request.error().message, HasSubstr(test_case.message));
  }
}

TEST(AdmissionReviewTest, DecodesObjectThatIsNestedAsDeepAsTheApiServerAllows) {
  const std::string object =
      R"({"free":)" + std::string(9'999, '[') + std::string(9'999, ']') + "}";

  const auto request = DecodeAdmissionReview(
      R"({"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","request":{"uid":"u",)"
      R"("operation":"CREATE","object":)" +
      object + "}}");

  ASSERT_TRUE(request.has_value()) << request.error().message;
  EXPECT_EQ(request->object, object);
}

TEST(AdmissionReviewTest, RejectsEmptyBodyAndOtherContentTypes) {
  EXPECT_EQ(CheckReviewBody("application/json", "").error().message, "request body is empty");
  EXPECT_EQ(CheckReviewBody("text/plain", "{}").error().message,
            "contentType=text/plain, expected application/json");
  EXPECT_EQ(CheckReviewBody("", "{}").error().message, "contentType=, expected application/json");
  EXPECT_TRUE(CheckReviewBody("application/json", "{}").has_value());
  EXPECT_TRUE(CheckReviewBody("application/json; charset=utf-8", "{}").has_value());
}

TEST(AdmissionReviewTest, EncodesAPatchWithItsType) {
  const Response response(EncodeAdmissionReview("u1", Patched(R"([{"op":"remove","path":"/a"}])")));

  EXPECT_EQ(response.uid, "u1");
  EXPECT_TRUE(response.allowed);
  EXPECT_EQ(response.code, 200);
  EXPECT_EQ(response.patch_type, "JSONPatch");
  EXPECT_EQ(response.patch, R"([{"op":"remove","path":"/a"}])");
}

TEST(AdmissionReviewTest, EncodesWarningsAndAuditAnnotations) {
  AdmissionResponse denied = Denied("no");
  denied.warnings = {"one", "two"};
  denied.audit_annotations = {{"key", "value"}};

  EXPECT_EQ(
      EncodeAdmissionReview("u1", denied),
      R"({"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1","response":{"uid":"u1",)"
      R"("allowed":false,"status":{"metadata":{},"message":"no","reason":"Forbidden",)"
      R"("code":403},"auditAnnotations":{"key":"value"},"warnings":["one","two"]}})");
}

TEST(AdmissionResponseTest, MatchesCodesAndReasonsOfControllerRuntime) {
  EXPECT_TRUE(Allowed().allowed);
  EXPECT_EQ(Allowed("why").message, "why");
  EXPECT_EQ(Denied("why").code, 403);
  EXPECT_EQ(Denied("why").reason, "Forbidden");
  const AdmissionResponse errored = Errored(400, Error{.message = "bad"});
  EXPECT_FALSE(errored.allowed);
  EXPECT_EQ(errored.code, 400);
  EXPECT_EQ(errored.message, "bad");
  EXPECT_EQ(errored.reason, "");
}

TEST(AdmissionResponseTest, KeepsOnlyKubernetesReasons) {
  const struct {
    Error error;
    int code;
    std::string reason;
  } cases[] = {{{.reason = ErrorReason::kInvalid}, 422, "Invalid"},
               {{.reason = ErrorReason::kConflict}, 409, "Conflict"},
               {{.reason = ErrorReason::kAlreadyExists}, 409, "AlreadyExists"},
               {{.reason = ErrorReason::kTooManyRequests}, 429, "TooManyRequests"},
               {{.reason = ErrorReason::kServerTimeout}, 500, "ServerTimeout"},
               {{.reason = ErrorReason::kNotFound, .http_code = 404}, 404, "NotFound"},
               {{.reason = ErrorReason::kUnknown}, 403, "Forbidden"},
               {{.reason = ErrorReason::kDeadlineExceeded}, 403, "Forbidden"},
               {{.reason = ErrorReason::kInvalidArgument}, 403, "Forbidden"}};
  for (const auto& test_case : cases) {
    Error error = test_case.error;
    error.message = "why";
    const AdmissionResponse response = DeniedBy(error);
    EXPECT_FALSE(response.allowed);
    EXPECT_EQ(response.code, test_case.code) << test_case.reason;
    EXPECT_EQ(response.reason, test_case.reason);
    EXPECT_EQ(response.message, "why");
  }
}

TEST(AdmissionResponseTest, BuildsPatchFromDifferenceBetweenObjects) {
  EXPECT_EQ(PatchResponseFromRaw(R"({"a":1})", R"({"a":2})").patch,
            R"([{"op":"replace","path":"/a","value":2}])");
  EXPECT_TRUE(PatchResponseFromRaw(R"({"a":1})", R"({"a":2})").allowed);
  const Response unchanged(EncodeAdmissionReview("u", PatchResponseFromRaw("{}", "{}")));
  EXPECT_EQ(unchanged.patch_type, "");
  EXPECT_EQ(PatchResponseFromRaw("{}", "not JSON").code, 500);
}

}  // namespace
}  // namespace capstan::webhook
