// SPDX-License-Identifier: Apache-2.0
#include "clientgo/testing/apiserver/admission/conversion_review.h"

#include <gtest/gtest.h>

#include <string>

#include "clientgo/runtime/testing/must_parse.h"

namespace capstan::testing::apiserver {
namespace {

ConversionRequest NewRequest(const std::string& version = "v1") {
  return {.review_version = version,
          .api_version = "x.io/v2",
          .objects = {R"({"apiVersion":"x.io/v1","kind":"Foo","metadata":{"name":"a",)"
                      R"("namespace":"n","uid":"u","generation":3,"labels":{"l":"1"}}})"}};
}

// Returns a review with these members of the response, besides the uid.
std::string Review(const std::string& members) {
  return R"({"apiVersion":"apiextensions.k8s.io/v1","kind":"ConversionReview","response":{)"
         R"("uid":"1",)" +
         members + "}}";
}

// Returns a review with one converted object.
std::string Converted(const std::string& object) {
  return Review(R"("result":{"status":"Success"},"convertedObjects":[)" + object + "]");
}

std::string Foo(const std::string& metadata) {
  return R"({"apiVersion":"x.io/v2","kind":"Foo","metadata":)" + metadata + R"(,"spec":{"b":1}})";
}

TEST(ConversionReviewTest, AsksForOneVersionOfAllObjects) {
  const runtime::JsonDocument review =
      runtime::MustParse(ConversionReviewJson(NewRequest(), "1").text());

  EXPECT_EQ(runtime::GetString(review, "apiVersion"), "apiextensions.k8s.io/v1");
  EXPECT_EQ(runtime::GetString(review, "kind"), "ConversionReview");
  const runtime::JsonValue& request = review["request"];
  EXPECT_EQ(runtime::GetString(request, "uid"), "1");
  EXPECT_EQ(runtime::GetString(request, "desiredAPIVersion"), "x.io/v2");
  ASSERT_EQ(request["objects"].Size(), 1U);
  EXPECT_EQ(runtime::GetString(request["objects"][0], "apiVersion"), "x.io/v1");
}

TEST(ConversionReviewTest, TakesOnlyLabelsAndAnnotationsOfTheMetadata) {
  const auto converted = ParseConversionReview(
      NewRequest(), "1",
      Converted(Foo(R"({"name":"a","namespace":"n","uid":"u","generation":9,"finalizers":["f"],)"
                    R"("labels":{"l":"2"},"annotations":{"k":"v"}})")));

  ASSERT_TRUE(converted) << converted.error();
  const runtime::JsonDocument object = runtime::MustParse(converted->front());
  EXPECT_EQ(runtime::ToJson(object["metadata"]),
            R"({"name":"a","namespace":"n","uid":"u","generation":3,"labels":{"l":"2"},)"
            R"("annotations":{"k":"v"}})");
  EXPECT_EQ(runtime::ToJson(object["spec"]), R"({"b":1})");
}

TEST(ConversionReviewTest, AcceptsAReviewV1Beta1WithoutUid) {
  const auto converted =
      ParseConversionReview(NewRequest("v1beta1"), "1",
                            R"({"response":{"result":{"status":"Success"},"convertedObjects":[)" +
                                Foo(R"({"name":"a","namespace":"n","uid":"u"})") + "]}}");

  EXPECT_TRUE(converted) << converted.error();
}

struct BadAnswer {
  std::string body;
  const char* why;
};

class BadAnswerTest : public ::testing::TestWithParam<BadAnswer> {};

TEST_P(BadAnswerTest, IsRejectedWithTheTextOfKubeApiserver) {
  const auto converted = ParseConversionReview(NewRequest(), "1", GetParam().body);

  ASSERT_FALSE(converted);
  EXPECT_EQ(converted.error(), GetParam().why);
}

INSTANTIATE_TEST_SUITE_P(
    Answers, BadAnswerTest,
    ::testing::Values(
        BadAnswer{R"({"apiVersion":"v1","kind":"Foo"})",
                  "failed: expected webhook response of apiextensions.k8s.io/v1, "
                  "Kind=ConversionReview, got /v1, Kind=Foo"},
        BadAnswer{R"({"apiVersion":"apiextensions.k8s.io/v1","kind":"ConversionReview"})",
                  "failed: no response provided"},
        BadAnswer{R"({"apiVersion":"apiextensions.k8s.io/v1","kind":"ConversionReview",)"
                  R"("response":{"uid":"2"}})",
                  R"(failed: expected response.uid="1", got "2")"},
        BadAnswer{Review(R"("result":{"status":"Failure","message":"too large"})"),
                  "failed: too large"},
        BadAnswer{Review(R"("result":{"status":"Failure"})"),
                  "failed: response.result.status was 'Failure', not 'Success'"},
        BadAnswer{Review(R"("result":{"status":"Success"},"convertedObjects":[])"),
                  "returned 0 objects, expected 1"},
        BadAnswer{Converted(R"({"apiVersion":"x.io/v3","kind":"Foo","metadata":{}})"),
                  "returned invalid object at index 0: invalid groupVersion (expected x.io/v2, "
                  "received x.io/v3)"},
        BadAnswer{Converted(R"({"apiVersion":"x.io/v2","kind":"Bar","metadata":{}})"),
                  "returned invalid object at index 0: invalid kind (expected Foo, received Bar)"},
        BadAnswer{Converted(Foo(R"({"name":"b"})")),
                  "returned invalid object: must have the same name: a != b"},
        BadAnswer{Converted(Foo(R"({"name":"a","namespace":"m"})")),
                  "returned invalid object: must have the same namespace: n != m"},
        BadAnswer{Converted(Foo(R"({"name":"a","namespace":"n","uid":"w"})")),
                  "returned invalid object: must have the same UID: u != w"},
        BadAnswer{Converted(Foo(R"({"name":"a","namespace":"n","uid":"u","labels":{"l":1}})")),
                  "returned invalid metadata: metadata.labels[l] must be a string, but is int64 in "
                  "converted object"},
        BadAnswer{Converted(Foo(R"({"name":"a","namespace":"n","uid":"u","labels":[]})")),
                  "returned invalid metadata: invalid metadata.labels of type []interface {} in "
                  "converted object"}));

TEST(ConversionFailureTest, NamesTheKindOfTheObject) {
  EXPECT_EQ(ConversionFailure(runtime::MustParse(NewRequest().objects.front()), "failed: no"),
            "conversion webhook for x.io/v1, Kind=Foo failed: no");
}

}  // namespace
}  // namespace capstan::testing::apiserver
