// SPDX-License-Identifier: Apache-2.0
#include "capstan/webhook/conversion.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>

#include "capstan/metrics/metrics.h"
#include "controllers/runtime/testing/kinds.h"
#include "controllers/runtime/webhook/testing/kinds.h"
#include "controllers/runtime/webhook/testing/webhook_client.h"

namespace capstan::webhook {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

std::string ReviewOf(const std::string& version, const std::string& objects) {
  return R"({"apiVersion":"apiextensions.k8s.io/v1","kind":"ConversionReview","request":{)"
         R"("uid":"u1","desiredAPIVersion":"foos.example.com/)" +
         version + R"(","objects":[)" + objects + "]}}";
}

std::string Foo(const std::string& version, const std::string& spec) {
  return R"({"apiVersion":"foos.example.com/)" + version +
         R"(","kind":"Foo","metadata":{"name":"a","namespace":"ns","uid":"7",)"
         R"("managedFields":[{"manager":"kubectl"}]},"spec":)" +
         spec + "}";
}

Expected<void> ToHub(const FooV1& foo, FooV2& hub) {
  if (foo.spec.size.empty()) return Err(ErrorReason::kInvalid, "spec.size is empty");
  if (foo.spec.size == "throw") throw std::runtime_error("secret");
  hub.spec.replicas = foo.spec.size.front() - '0';
  hub.metadata.annotations["size"] = foo.spec.size;
  return {};
}

class ConversionForTest : public testing::ManagerFixture {
 protected:
  ConversionForTest() : manager_(NewManager({.cluster = {.metrics = &metrics_}})) {
    server_ = Value(
        AddServer(*manager_, {.host = "127.0.0.1", .port = 0, .cert_dir = certificate_.dir()}));
    EXPECT_TRUE(Declare().has_value());
  }
  Expected<void> Declare() {
    return ConversionFor<FooV2>(*manager_)
        .Spoke<FooV1>(&ToHub,
                      [](const FooV2& hub, FooV1& foo) {
                        foo.spec.size = std::to_string(hub.spec.replicas.value_or(0));
                      })
        .Spoke<FooV3>(
            [](const FooV3& foo, FooV2& hub) {
              if (!foo.spec.flavors.empty()) hub.spec.flavor = foo.spec.flavors.front();
            },
            [](const FooV2& hub, FooV3& foo) {
              foo.spec.flavors = {hub.spec.flavor, "x"};
            })
        .Complete();
  }
  Answer Ask(const std::string& review) {
    EXPECT_TRUE(server_->Listen().has_value());
    return ApiServer(server_->port(), certificate_.ca().cert_pem)
        .Post("/convert?timeout=30s", review);
  }

  metrics::Metrics metrics_{{}};
  ServingCertificate certificate_;
  std::unique_ptr<Manager> manager_;
  Server* server_ = nullptr;
};

TEST_F(ConversionForTest, ConvertsToTheHubAndKeepsTheMetadata) {
  const Answer answer = Ask(ReviewOf("v2", Foo("v1", R"({"size":"3"})")));

  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(answer.body,
            R"({"kind":"ConversionReview","apiVersion":"apiextensions.k8s.io/v1","response":{)"
            R"("uid":"u1","convertedObjects":[{"apiVersion":"foos.example.com/v2","kind":"Foo",)"
            R"("metadata":{"name":"a","namespace":"ns","uid":"7","managedFields":)"
            R"([{"manager":"kubectl"}],"annotations":{"size":"3"}},"spec":{"replicas":3},)"
            R"("status":{"ready":0}}],"result":{"metadata":{},"status":"Success"}}})");
}

TEST_F(ConversionForTest, ConvertsFromTheHubAndBetweenSpokes) {
  EXPECT_THAT(Ask(ReviewOf("v1", Foo("v2", R"({"replicas":2})"))).body,
              AllOf(HasSubstr(R"("apiVersion":"foos.example.com/v1")"),
                    HasSubstr(R"("spec":{"size":"2"})"), HasSubstr("managedFields")));
  EXPECT_THAT(
      Ask(ReviewOf("v3", Foo("v1", R"({"size":"1"})") + "," + Foo("v2", R"({"flavor":"sweet"})")))
          .body,
      AllOf(HasSubstr(R"("spec":{"flavors":["","x"]})"),
            HasSubstr(R"("spec":{"flavors":["sweet","x"]})"),
            HasSubstr(R"("annotations":{"size":"1"})")));
}

TEST_F(ConversionForTest, ConvertsAListThatIsLargerThanAnyObject) {
  std::string objects = Foo("v1", R"({"size":"1"})");
  const std::string large = Foo("v1", R"({"size":"2)" + std::string(1U << 20U, 'x') + "\"}");
  for (int i = 0; i < 8; ++i) objects += "," + large;

  const Answer answer = Ask(ReviewOf("v2", objects));

  EXPECT_EQ(answer.status, 200);
  EXPECT_THAT(answer.body, HasSubstr(R"("result":{"metadata":{},"status":"Success"})"));
}

TEST_F(ConversionForTest, ConvertsObjectsBesideOneThatIsNestedAsDeepAsTheApiServerAllows) {
  std::string deep;
  for (int i = 0; i < 4'999; ++i) deep += R"({"a":[)";
  for (int i = 0; i < 4'999; ++i) deep += "]}";
  const std::string objects =
      Foo("v1", R"({"size":"1"})") + "," + Foo("v1", R"({"size":"2","free":)" + deep + "}");

  const Answer answer = Ask(ReviewOf("v2", objects));

  EXPECT_EQ(answer.status, 200);
  EXPECT_THAT(answer.body,
              AllOf(HasSubstr(R"("spec":{"replicas":1})"), HasSubstr(R"("spec":{"replicas":2})"),
                    HasSubstr(R"("status":"Success")")));
}

TEST_F(ConversionForTest, AnswersInTheVersionOfTheReview) {
  std::string review = ReviewOf("v2", Foo("v1", R"({"size":"3"})"));
  const std::string_view version = "k8s.io/v1";
  review.replace(review.find(version), version.size(), "k8s.io/v1beta1");

  const Answer answer = Ask(review);

  EXPECT_EQ(answer.status, 200);
  EXPECT_THAT(answer.body,
              AllOf(HasSubstr(R"("apiVersion":"apiextensions.k8s.io/v1beta1")"),
                    HasSubstr(R"("spec":{"replicas":3})"), HasSubstr(R"("status":"Success")")));
}

TEST_F(ConversionForTest, OneObjectThatCannotBeConvertedFailsTheReview) {
  const struct {
    std::string objects;
    std::string version;
    std::string message;
  } cases[] = {
      {Foo("v1", R"({"size":"1"})") + "," + Foo("v1", "{}"), "v2", "spec.size is empty"},
      {Foo("v1", R"({"size":1})"), "v2", "Foo ns/a: spec.size: not a string"},
      {Foo("v2", "{}"), "v2", "conversion is not allowed between same type"},
      {Foo("v2", "{}"), "v9",
       R"(no kind \"Foo\" is registered for version \"foos.example.com/v9\")"},
      {Foo("v8", "{}"), "v2",
       R"(no kind \"Foo\" is registered for version \"foos.example.com/v8\")"},
      {R"({"apiVersion":"v1","kind":"Pod"})", "v2", R"(no conversion of kind \"Pod\")"},
      {Foo("v1", R"({"size":"throw"})"), "v2", "internal error occurred during conversion"}};
  for (const auto& test_case : cases) {
    const Answer answer = Ask(ReviewOf(test_case.version, test_case.objects));
    EXPECT_EQ(answer.status, 200);
    EXPECT_THAT(answer.body,
                AllOf(HasSubstr(R"("uid":"u1","convertedObjects":[])"),
                      HasSubstr(R"("status":"Failure")"), HasSubstr(test_case.message)));
  }
  EXPECT_THAT(metrics_.Serialize(),
              HasSubstr("\ncontroller_runtime_conversion_webhook_panics_total 1\n"));
}

TEST_F(ConversionForTest, RejectsRequestsThatAreNoReview) {
  EXPECT_EQ(Ask("").status, 400);
  EXPECT_EQ(Ask("{").status, 400);
  EXPECT_EQ(Ask("{}").status, 400);
  const Answer other =
      Ask(R"({"apiVersion":"apiextensions.k8s.io/v2","kind":"ConversionReview","request":{}})");
  EXPECT_EQ(other.status, 400);
  EXPECT_THAT(other.body, HasSubstr("expected ConversionReview in apiextensions.k8s.io/v1 or "
                                    "apiextensions.k8s.io/v1beta1"));
  EXPECT_THAT(Ask(R"({"request":{"uid":"u1"}})").body, HasSubstr("no desiredAPIVersion"));
}

TEST_F(ConversionForTest, RejectsWhatIsDeclaredTwice) {
  EXPECT_THAT(Declare().error().message, HasSubstr("conversion of Foo: declare it once"));
  const auto twice = ConversionFor<FooV2>(*manager_)
                         .Spoke<FooV2>([](const FooV2&, FooV2&) {}, [](const FooV2&, FooV2&) {})
                         .Complete();
  EXPECT_EQ(twice.error().message, "conversion of Foo: foos.example.com/v2 is declared twice");
}

}  // namespace
}  // namespace capstan::webhook
