// SPDX-License-Identifier: Apache-2.0
// Tests of the tokens of service accounts: TokenRequest, TokenReview and bearer tokens.
#include "e2e/contract/access_fixture.h"

namespace capstan::testing::apiserver::contract {
namespace {

using ::testing::HasSubstr;
using ::testing::MatchesRegex;

constexpr const char* kAudience = "https://kubernetes.default.svc";

class TokensTest : public AccessContractTest {
 protected:
  void SetUp() override {
    AccessContractTest::SetUp();
    MakeAccount();
  }
  void MakeAccount() const {
    const Answer made = Post(Core("serviceaccounts", ""), R"({"metadata":{"name":"robot"}})");
    EXPECT_EQ(made.code, 201) << made.body;
  }
  Answer Request(std::string_view spec, std::string_view metadata = "{}") const {
    return Post(Core("serviceaccounts", "robot") + "/token",
                R"({"apiVersion":"authentication.k8s.io/v1","kind":"TokenRequest","metadata":)" +
                    std::string(metadata) + R"(,"spec":)" + std::string(spec) + "}");
  }
  // Returns a token with this spec.
  std::string Token(std::string_view spec = "{}") const {
    const Answer answer = Request(spec);
    EXPECT_EQ(answer.code, 201) << answer.body;
    const runtime::JsonValue* const status = runtime::Find(answer.json, "status");
    return status == nullptr ? "" : std::string(runtime::GetString(*status, "token"));
  }
  Answer With(const std::string& token, std::string_view target) const {
    return Get(target, {"Authorization: Bearer " + token});
  }
  // Returns the status of a TokenReview. `audiences` are quoted, with ',' between them.
  Answer Review(const std::string& token, const std::string& audiences = {}) const {
    return Post("/apis/authentication.k8s.io/v1/tokenreviews",
                R"({"apiVersion":"authentication.k8s.io/v1","kind":"TokenReview","spec":{)"
                R"("token":")" +
                    token + R"(","audiences":[)" + audiences + "]}}");
  }
  static std::string StatusText(const Answer& answer) {
    const runtime::JsonValue* const status = runtime::Find(answer.json, "status");
    return status == nullptr ? answer.body : Sorted(runtime::ToJson(*status));
  }
  std::string Robot() const { return "system:serviceaccount:" + ns() + ":robot"; }
  void MakePod(std::string_view account) const {
    const Answer made =
        Post(Core("pods", ""), R"({"metadata":{"name":"p"},"spec":{"serviceAccountName":")" +
                                   std::string(account) +
                                   R"(","containers":[{"name":"c","image":"i"}]}})");
    EXPECT_EQ(made.code, 201) << made.body;
  }
};

TEST_F(TokensTest, AreReturnedForARequest) {
  const Answer answer = Request("{}");

  EXPECT_EQ(answer.code, 201);
  EXPECT_EQ(runtime::GetString(answer.json, "kind"), "TokenRequest");
  EXPECT_EQ(answer.meta("name"), "robot");
  EXPECT_EQ(answer.meta("namespace"), ns());
  const runtime::JsonValue& spec = *runtime::Find(answer.json, "spec");
  EXPECT_EQ(spec["expirationSeconds"].GetInt(), 3600);
  EXPECT_EQ(runtime::ToJson(spec["audiences"]), "[\"" + std::string(kAudience) + "\"]");
  EXPECT_TRUE(spec["boundObjectRef"].IsNull());
  const runtime::JsonValue& status = *runtime::Find(answer.json, "status");
  EXPECT_THAT(std::string(runtime::GetString(status, "token")),
              MatchesRegex("[A-Za-z0-9_-]+\\.[A-Za-z0-9_-]+\\.[A-Za-z0-9_-]+"));
  EXPECT_THAT(std::string(runtime::GetString(status, "expirationTimestamp")),
              MatchesRegex("....-..-..T..:..:..Z"));
}

TEST_F(TokensTest, Authenticate) {
  const std::string token = Token();
  const Answer who = Do("POST", "/apis/authentication.k8s.io/v1/selfsubjectreviews",
                        R"({"apiVersion":"authentication.k8s.io/v1","kind":"SelfSubjectReview"})",
                        {"Authorization: Bearer " + token});

  const runtime::JsonValue& user = *runtime::FindPath(who.json, {"status", "userInfo"});
  EXPECT_EQ(runtime::GetString(user, "username"), Robot());
  EXPECT_EQ(runtime::ToJson(user["groups"]), R"(["system:serviceaccounts",)"
                                             R"("system:serviceaccounts:)" +
                                                 ns() + R"(","system:authenticated"])");
  EXPECT_THAT(runtime::ToJson(user["extra"]),
              HasSubstr(R"("authentication.kubernetes.io/credential-id":["JTI=)"));
  EXPECT_EQ(With(token, ConfigMaps()).message(),
            "configmaps is forbidden: User \"" + Robot() +
                "\" cannot list resource \"configmaps\" in API group \"\" in the namespace \"" +
                ns() + "\"");
}

TEST_F(TokensTest, HaveTheRightsOfTheServiceAccount) {
  Post(Roles(), RoleJson("r", R"("apiGroups":[""],"resources":["configmaps"],"verbs":["list"])"));
  // A subject without a namespace is in that of the binding.
  Post(RoleBindings(), BindingJson("r", "Role", R"("kind":"ServiceAccount","name":"robot")"));
  const std::string token = Token();

  EXPECT_TRUE(Eventually([&] { return With(token, ConfigMaps()).code == 200; }));
}

TEST_F(TokensTest, EndWithTheServiceAccount) {
  const std::string token = Token();
  EXPECT_EQ(With(token, "/version").code, 200);

  Delete(Core("serviceaccounts", "robot"));

  EXPECT_TRUE(Eventually([&] { return With(token, "/version").code == 401; }));
  EXPECT_TRUE(Eventually([&] {
    return StatusText(Review(token)) ==
           R"({"error":"[invalid bearer token, serviceaccounts \"robot\" not found]",)"
           R"("user":{}})";
  }));
}

TEST_F(TokensTest, EndWithTheObjectThatTheyAreBoundTo) {
  MakePod("robot");
  const std::string token =
      Token(R"({"boundObjectRef":{"apiVersion":"v1","kind":"Pod","name":"p"}})");
  const Answer review = Review(token);
  EXPECT_THAT(StatusText(review), HasSubstr(R"("authentication.kubernetes.io/pod-name":["p"])"));

  Delete(Core("pods", "p") + "?gracePeriodSeconds=0");

  EXPECT_TRUE(Eventually([&] { return With(token, "/version").code == 401; }));
  EXPECT_TRUE(Eventually([&] {
    return StatusText(Review(token)) ==
           R"({"error":"[invalid bearer token, service account token has been )"
           R"(invalidated]","user":{}})";
  }));
}

TEST_F(TokensTest, AreForTheirAudiencesOnly) {
  const std::string token = Token(R"({"audiences":["vault","other"]})");

  EXPECT_EQ(With(token, "/version").code, 401);
  const Answer review = Review(token, "\"vault\",\"x\"");
  const runtime::JsonValue& status = *runtime::Find(review.json, "status");
  EXPECT_TRUE(status["authenticated"].IsTrue());
  EXPECT_EQ(runtime::ToJson(status["audiences"]), R"(["vault"])");
  EXPECT_EQ(StatusText(Review(token)),
            R"({"error":"[invalid bearer token, token audiences [\"vault\" \"other\"] is )"
            R"(invalid for the target audiences [\")" +
                std::string(kAudience) + R"(\"]]","user":{}})");
}

TEST_F(TokensTest, AreRejectedWhenTheyAreNone) {
  EXPECT_EQ(StatusText(Review("x")), R"({"error":"invalid bearer token","user":{}})");
  EXPECT_REFUSED(Review(""), BadRequest("token is required for TokenReview in authentication"));
  EXPECT_EQ(With("x.y.z", "/version").code, 401);
  std::string changed = Token();
  char& digit = changed[changed.find('.') + 10];
  digit = digit == 'A' ? 'B' : 'A';
  EXPECT_EQ(With(changed, "/version").code, 401);
}

TEST_F(TokensTest, OfOthersAreReviewed) {
  const Answer review = Review(config().bearer_token);

  const runtime::JsonValue& status = *runtime::Find(review.json, "status");
  EXPECT_TRUE(status["authenticated"].IsTrue());
  EXPECT_EQ(runtime::GetString(status["user"], "username"), "admin");
  EXPECT_EQ(runtime::ToJson(status["user"]["groups"]),
            R"(["system:masters","system:authenticated"])");
  EXPECT_EQ(runtime::ToJson(status["audiences"]), "[\"" + std::string(kAudience) + "\"]");
}

TEST_F(TokensTest, NeedAValidRequest) {
  const std::string kind = "TokenRequest.authentication.k8s.io";
  EXPECT_REFUSED(Request(R"({"expirationSeconds":599})"),
                 Invalid(kind, "", "spec.expirationSeconds", "FieldValueInvalid",
                         "Invalid value: 599: may not specify a duration less than 10 minutes"));
  EXPECT_REFUSED(Request("{}", R"({"name":"other"})"),
                 Invalid(kind, "robot", "metadata.name", "FieldValueInvalid",
                         "Invalid value: \"other\": must match the service account name if "
                         "specified"));
  EXPECT_REFUSED(Request(R"({"boundObjectRef":{"apiVersion":"v1","kind":"Pod","name":"p"}})"),
                 {.code = 404,
                  .reason = "NotFound",
                  .message = "pods \"p\" not found",
                  .details = R"({"name":"p","kind":"pods"})"});
  EXPECT_REFUSED(Request(R"({"boundObjectRef":{"apiVersion":"v1","kind":"Lease","name":"p"}})"),
                 BadRequest("cannot bind token to object of type /v1, Kind=Lease"));
  EXPECT_EQ(Post(Core("serviceaccounts", "none") + "/token",
                 R"({"apiVersion":"authentication.k8s.io/v1","kind":"TokenRequest","spec":{}})")
                .message(),
            "serviceaccounts \"none\" not found");
}

TEST_F(TokensTest, AreBoundToPodsOfTheServiceAccountOnly) {
  MakePod("default");

  EXPECT_REFUSED(Request(R"({"boundObjectRef":{"apiVersion":"v1","kind":"Pod","name":"p"}})"),
                 BadRequest("cannot bind token for serviceaccount \"robot\" to pod running with "
                            "different serviceaccount name."));
}

TEST_F(TokensTest, AreInDiscovery) {
  const Answer core = Get("/api/v1");
  std::string found;
  for (const runtime::JsonValue& resource : core.json["resources"].GetArray()) {
    if (runtime::GetString(resource, "name") == "serviceaccounts/token") {
      found = Sorted(runtime::ToJson(resource));
    }
  }
  EXPECT_EQ(found, R"({"group":"authentication.k8s.io","kind":"TokenRequest",)"
                   R"("name":"serviceaccounts/token","namespaced":true,"singularName":"",)"
                   R"("verbs":["create"],"version":"v1"})");
}

}  // namespace
}  // namespace capstan::testing::apiserver::contract
