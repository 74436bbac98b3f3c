// SPDX-License-Identifier: Apache-2.0
#include "capstan/webhook/builder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "controllers/runtime/testing/kinds.h"
#include "controllers/runtime/webhook/testing/kinds.h"
#include "controllers/runtime/webhook/testing/webhook_client.h"

namespace capstan::webhook {
namespace {

using ::testing::HasSubstr;

constexpr char kMutate[] = "/mutate-foos-example-com-v2-foo";
constexpr char kValidate[] = "/validate-foos-example-com-v2-foo";

// Returns a Foo with this spec. It has a field that FooV2 does not declare, and no name.
std::string Foo(const std::string& spec) {
  return R"({"apiVersion":"foos.example.com/v2","kind":"Foo","metadata":{"generateName":"f-",)"
         R"("managedFields":[{"manager":"kubectl"}]},"spec":)" +
         spec + R"(,"extra":{"kept":true}})";
}

class WebhookForTest : public testing::ManagerFixture {
 protected:
  WebhookForTest() : manager_(NewManager()) {
    server_ = Value(
        AddServer(*manager_, {.host = "127.0.0.1", .port = 0, .cert_dir = certificate_.dir()}));
  }
  Response Ask(const std::string& path, const std::string& review) {
    EXPECT_TRUE(server_->Listen().has_value());
    const auto answer = ApiServer(server_->port(), certificate_.ca().cert_pem).Post(path, review);
    EXPECT_EQ(answer.status, 200) << answer.body;
    return Response(answer.body);
  }

  ServingCertificate certificate_;
  std::unique_ptr<Manager> manager_;
  Server* server_ = nullptr;
};

TEST_F(WebhookForTest, PathsAreThoseOfControllerRuntime) {
  EXPECT_EQ(WebhookPath("/mutate", kKind<FooV2>.info()), kMutate);
  EXPECT_EQ(WebhookPath("/validate", kKind<Pod>.info()), "/validate--v1-pod");
}

TEST_F(WebhookForTest, DefaultPatchesWhatTheFunctionChanges) {
  ASSERT_TRUE(WebhookFor<FooV2>(*manager_)
                  .Default([](FooV2& foo) {
                    if (!foo.spec.replicas) foo.spec.replicas = 1;
                    foo.metadata.labels["a/b"] = "c";
                  })
                  .Complete()
                  .has_value());

  const Response missing = Ask(kMutate, Review("CREATE", R"("object":)" + Foo("{}")));
  EXPECT_TRUE(missing.allowed);
  EXPECT_EQ(missing.patch_type, "JSONPatch");
  EXPECT_EQ(missing.patch, R"([{"op":"add","path":"/metadata/labels","value":{"a/b":"c"}},)"
                           R"({"op":"add","path":"/spec/replicas","value":1}])");
  const Response set = Ask(kMutate, Review("UPDATE", R"("object":)" + Foo(R"({"replicas":0})")));
  EXPECT_EQ(set.patch, R"([{"op":"add","path":"/metadata/labels","value":{"a/b":"c"}}])");
}

TEST_F(WebhookForTest, DefaultWithoutAChangeHasNoPatch) {
  ASSERT_TRUE(WebhookFor<FooV2>(*manager_).Default([](FooV2&) {}).Complete().has_value());

  const Response response = Ask(kMutate, Review("CREATE", R"("object":)" + Foo("{}")));

  EXPECT_TRUE(response.allowed);
  EXPECT_EQ(response.code, 200);
  EXPECT_EQ(response.patch_type, "");
}

TEST_F(WebhookForTest, DefaultKeepsFieldsThatTheKindDoesNotDeclare) {
  ASSERT_TRUE(WebhookFor<Pod>(*manager_)
                  .Default([](Pod& pod) {
                    for (auto& container : pod.spec.containers) {
                      container.image = "registry.example.com/" + container.image;
                    }
                    pod.spec.containers.insert(pod.spec.containers.begin(),
                                               {.name = "proxy", .image = "proxy"});
                  })
                  .Complete()
                  .has_value());

  const Response response =
      Ask("/mutate--v1-pod",
          Review("CREATE",
                 R"("object":{"apiVersion":"v1","kind":"Pod","metadata":{"name":"p"},)"
                 R"("spec":{"containers":[{"name":"app","image":"app","env":[{"name":"A"}]}]}})"));

  EXPECT_EQ(response.patch,
            R"([{"op":"add","path":"/spec/containers/0","value":{"name":"proxy","image":"proxy"}},)"
            R"({"op":"replace","path":"/spec/containers/1/image",)"
            R"("value":"registry.example.com/app"}])");
}

TEST_F(WebhookForTest, DefaultIsNotCalledForADelete) {
  ASSERT_TRUE(WebhookFor<FooV2>(*manager_)
                  .Default([](FooV2&) -> Expected<void> {
                    return Err(ErrorReason::kUnknown, "must not be called");
                  })
                  .Complete()
                  .has_value());

  EXPECT_TRUE(Ask(kMutate, Review("DELETE", R"("oldObject":)" + Foo("{}"))).allowed);
  const Response denied = Ask(kMutate, Review("CREATE", R"("object":)" + Foo("{}")));
  EXPECT_EQ(denied.code, 403);
  EXPECT_EQ(denied.message, "must not be called");
}

TEST_F(WebhookForTest, ValidatesEachOperation) {
  ASSERT_TRUE(WebhookFor<FooV2>(*manager_)
                  .ValidateCreate([](const FooV2& foo) -> Expected<void> {
                    if (foo.spec.replicas.value_or(0) >= 0) return {};
                    return Err(ErrorReason::kInvalid, "spec.replicas: must not be negative");
                  })
                  .ValidateUpdate([](const FooV2& old, const FooV2& foo) -> Expected<void> {
                    if (old.spec.flavor == foo.spec.flavor) return {};
                    return Err(ErrorReason::kUnknown, "the flavor cannot change");
                  })
                  .ValidateDelete([](const FooV2& foo, AdmissionContext& context) {
                    context.Warn("deleted " + foo.spec.flavor + " by " +
                                 context.request().user_info.username);
                  })
                  .Complete()
                  .has_value());

  EXPECT_TRUE(Ask(kValidate, Review("CREATE", R"("object":)" + Foo("{}"))).allowed);
  const Response created =
      Ask(kValidate, Review("CREATE", R"("object":)" + Foo(R"({"replicas":-1})")));
  EXPECT_FALSE(created.allowed);
  EXPECT_EQ(created.code, 422);
  EXPECT_EQ(created.reason, "Invalid");
  EXPECT_EQ(created.message, "spec.replicas: must not be negative");
  const Response updated =
      Ask(kValidate, Review("UPDATE", R"("oldObject":)" + Foo(R"({"flavor":"a"})") +
                                          R"(,"object":)" + Foo(R"({"flavor":"b"})")));
  EXPECT_EQ(updated.code, 403);
  EXPECT_EQ(updated.reason, "Forbidden");
  EXPECT_EQ(updated.message, "the flavor cannot change");
  const Response deleted =
      Ask(kValidate, Review("DELETE", R"("oldObject":)" + Foo(R"({"flavor":"a"})")));
  EXPECT_TRUE(deleted.allowed);
  const auto* const warnings = runtime::FindPath(deleted.json.root(), {"response", "warnings"});
  ASSERT_NE(warnings, nullptr);
  EXPECT_EQ(runtime::ToJson(*warnings), R"(["deleted a by alice"])");
}

TEST_F(WebhookForTest, ValidatesCreateAndUpdateWithOneFunction) {
  ASSERT_TRUE(WebhookFor<FooV2>(*manager_)
                  .ValidateCreateAndUpdate(
                      [](const FooV2& foo, const AdmissionContext& context) -> Expected<void> {
                        if (foo.spec.replicas.value_or(0) >= 0) return {};
                        return Err(ErrorReason::kInvalid,
                                   context.request().name + ": replicas must not be negative");
                      })
                  .Complete()
                  .has_value());
  const std::string good = Foo(R"({"replicas":1})");
  const std::string bad = Foo(R"({"replicas":-1})");

  EXPECT_TRUE(Ask(kValidate, Review("CREATE", R"("object":)" + good)).allowed);
  const Response created = Ask(kValidate, Review("CREATE", R"("object":)" + bad));
  EXPECT_FALSE(created.allowed);
  EXPECT_EQ(created.code, 422);
  const Response updated =
      Ask(kValidate, Review("UPDATE", R"("oldObject":)" + good + R"(,"object":)" + bad));
  EXPECT_FALSE(updated.allowed);
  EXPECT_EQ(updated.code, 422);
  // Only the new object counts.
  EXPECT_TRUE(
      Ask(kValidate, Review("UPDATE", R"("oldObject":)" + bad + R"(,"object":)" + good)).allowed);
  EXPECT_TRUE(Ask(kValidate, Review("DELETE", R"("oldObject":)" + bad)).allowed);
}

TEST_F(WebhookForTest, AllowsOperationsWithoutAFunction) {
  ASSERT_TRUE(
      WebhookFor<FooV2>(*manager_).ValidateCreate([](const FooV2&) {}).Complete().has_value());

  EXPECT_TRUE(Ask(kValidate, Review("DELETE", R"("oldObject":)" + Foo("{}"))).allowed);
  EXPECT_TRUE(Ask(kValidate, Review("CONNECT")).allowed);
}

TEST_F(WebhookForTest, AnswersBadRequestForObjectsThatItCannotRead) {
  ASSERT_TRUE(WebhookFor<FooV2>(*manager_)
                  .ValidateCreate([](const FooV2&) {})
                  .ValidateUpdate([](const FooV2&, const FooV2&) {})
                  .Complete()
                  .has_value());
  const struct {
    std::string review;
    std::string message;
  } cases[] = {
      {Review("CREATE"), "object: there is no content to decode"},
      {Review("UPDATE", R"("object":)" + Foo("{}")), "oldObject: there is no content to decode"},
      {Review("CREATE", R"("object":)" + Foo(R"({"replicas":"x"})")),
       "object.spec.replicas: not an integer"},
      {Review("CREATE", R"("object":{"apiVersion":"foos.example.com/v3","kind":"Foo"})"),
       "object: Foo in foos.example.com/v3 is sent to the webhook of Foo in foos.example.com/v2"}};
  for (const auto& test_case : cases) {
    const Response response = Ask(kValidate, test_case.review);
    EXPECT_FALSE(response.allowed);
    EXPECT_EQ(response.code, 400);
    EXPECT_THAT(response.message, HasSubstr(test_case.message));
  }
}

TEST_F(WebhookForTest, RejectsADeclarationWithoutAFunctionOrTwice) {
  const auto none = WebhookFor<FooV2>(*manager_).Complete();
  EXPECT_THAT(none.error().message, HasSubstr("webhook of Foo: no function is declared"));
  const auto declare = [&] {
    return WebhookFor<FooV2>(*manager_).ValidateCreate([](const FooV2&) {}).Complete();
  };
  EXPECT_TRUE(declare().has_value());
  EXPECT_THAT(declare().error().message, HasSubstr("the path is in use"));
}

}  // namespace
}  // namespace capstan::webhook
