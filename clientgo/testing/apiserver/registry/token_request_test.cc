// SPDX-License-Identifier: Apache-2.0
// Tests of the tokens of service accounts over HTTP.
#include "clientgo/testing/apiserver/testing/access_fixture.h"

namespace capstan::testing::apiserver {
namespace {

using ::testing::HasSubstr;

constexpr std::string_view kAccounts = "/api/v1/namespaces/default/serviceaccounts";

class TokenRequestTest : public AccessTest {
 protected:
  void SetUp() override {
    AccessTest::SetUp();
    Make(kAccounts, R"({"metadata":{"name":"robot"}})");
  }
  Answer Request(const std::string& spec) {
    return As("admin", "POST", Path(kAccounts, "/robot/token"), R"({"spec":)" + spec + "}");
  }
  // Returns a token with this spec.
  std::string Token(const std::string& spec = "{}") {
    const Answer answer = Request(spec);
    EXPECT_EQ(answer.code, 201) << answer.body;
    return std::string(runtime::GetString(ObjectAt(answer.json, "status"), "token"));
  }
  Answer With(const std::string& token, std::string_view method, std::string_view target,
              std::string_view body = {}) {
    return client_->Do(method, target, body, "Authorization: Bearer " + token + "\r\n");
  }
  std::string WhoIs(const std::string& token) {
    return With(token, "POST", "/apis/authentication.k8s.io/v1/selfsubjectreviews", "{}").body;
  }
  std::string ReviewOf(const std::string& token, const std::string& audiences) {
    const Answer answer =
        As("admin", "POST", "/apis/authentication.k8s.io/v1/tokenreviews",
           R"({"spec":{"token":")" + token + R"(","audiences":[)" + audiences + "]}}");
    return runtime::ToJson(ObjectAt(answer.json, "status"));
  }
};

TEST_F(TokenRequestTest, ReturnsTokenThatAuthenticates) {
  const Answer answer = Request("{}");
  EXPECT_EQ(answer.code, 201);
  EXPECT_EQ(runtime::GetString(answer.json, "kind"), "TokenRequest");
  EXPECT_EQ(answer.meta("name"), "robot");
  EXPECT_THAT(answer.body, HasSubstr(R"("audiences":["https://kubernetes.default.svc"])"));
  EXPECT_THAT(answer.body, HasSubstr(R"("expirationSeconds":3600)"));

  const std::string who = WhoIs(Token());
  EXPECT_THAT(who, HasSubstr(R"("username":"system:serviceaccount:default:robot")"));
  EXPECT_THAT(who, HasSubstr(R"("groups":["system:serviceaccounts",)"
                             R"("system:serviceaccounts:default","system:authenticated"])"));
  EXPECT_THAT(who, HasSubstr(R"("authentication.kubernetes.io/credential-id":["JTI=)"));
}

TEST_F(TokenRequestTest, GivesTheRightsOfTheServiceAccount) {
  Grant("r", kReadConfigMaps, R"("kind":"ServiceAccount","name":"robot","namespace":"default")");

  const std::string token = Token();
  EXPECT_EQ(With(token, "GET", kConfigMaps).code, 200);
  EXPECT_EQ(With(token, "GET", kSecrets).message(),
            "secrets is forbidden: User \"system:serviceaccount:default:robot\" cannot list "
            "resource \"secrets\" in API group \"\" in the namespace \"default\"");
}

TEST_F(TokenRequestTest, EndsWithTheServiceAccount) {
  const std::string token = Token();
  EXPECT_EQ(As("admin", "DELETE", Path(kAccounts, "/robot")).code, 200);

  EXPECT_EQ(With(token, "GET", "/version").code, 401);
  Make(kAccounts, R"({"metadata":{"name":"robot"}})");
  EXPECT_EQ(With(token, "GET", "/version").code, 401);
  EXPECT_THAT(ReviewOf(token, ""), HasSubstr("service account UID ("));
}

TEST_F(TokenRequestTest, EndsWithTheObjectThatItIsBoundTo) {
  const std::string_view pods = "/api/v1/namespaces/default/pods";
  Make(pods, R"({"metadata":{"name":"p"},"spec":{"serviceAccountName":"robot","nodeName":"n",)"
             R"("containers":[{"name":"c","image":"i"}]}})");
  const std::string token =
      Token(R"({"boundObjectRef":{"apiVersion":"v1","kind":"Pod","name":"p"}})");

  EXPECT_THAT(WhoIs(token), HasSubstr(R"("authentication.kubernetes.io/node-name":["n"])"));
  EXPECT_THAT(WhoIs(token), HasSubstr(R"("authentication.kubernetes.io/pod-name":["p"])"));
  As("admin", "DELETE", Path(pods, "/p?gracePeriodSeconds=0"));
  EXPECT_EQ(With(token, "GET", "/version").code, 401);
  EXPECT_EQ(ReviewOf(token, ""), R"({"user":{},"error":"[invalid bearer token, )"
                                 R"(service account token has been invalidated]"})");
}

TEST_F(TokenRequestTest, IsForItsAudiencesOnly) {
  const std::string token = Token(R"({"audiences":["vault","other"]})");

  EXPECT_EQ(With(token, "GET", "/version").code, 401);
  EXPECT_THAT(ReviewOf(token, "\"vault\""), HasSubstr(R"("audiences":["vault"])"));
  EXPECT_EQ(ReviewOf(token, ""),
            R"({"user":{},"error":"[invalid bearer token, token audiences [\"vault\" )"
            R"(\"other\"] is invalid for the target audiences )"
            R"([\"https://kubernetes.default.svc\"]]"})");
}

TEST_F(TokenRequestTest, RejectsBadRequests) {
  EXPECT_EQ(Request(R"({"expirationSeconds":599})").message(),
            "TokenRequest.authentication.k8s.io \"\" is invalid: spec.expirationSeconds: Invalid "
            "value: 599: may not specify a duration less than 10 minutes");
  EXPECT_EQ(Request(R"({"boundObjectRef":{"apiVersion":"v1","kind":"Pod","name":"p"}})").message(),
            "pods \"p\" not found");
  EXPECT_EQ(
      Request(R"({"boundObjectRef":{"apiVersion":"v1","kind":"Lease","name":"p"}})").message(),
      "cannot bind token to object of type /v1, Kind=Lease");
  EXPECT_EQ(As("admin", "POST", Path(kAccounts, "/none/token"), "{}").message(),
            "serviceaccounts \"none\" not found");
  EXPECT_EQ(As("admin", "GET", Path(kAccounts, "/robot/token")).code, 405);
}

TEST_F(TokenRequestTest, OutlivesARestart) {
  const std::string token = Token();
  server_->Stop();
  ASSERT_TRUE(server_->Start().has_value());

  EXPECT_EQ(With(token, "GET", "/version").code, 200);
}

// Without RBAC, everybody is the administrator, except who proves to be somebody else.
TEST_F(TokenRequestTest, AuthenticatesWhenEverythingIsAllowed) {
  Start({});
  EXPECT_EQ(client_->Post(kAccounts, R"({"metadata":{"name":"robot"}})").code, 201);

  EXPECT_THAT(WhoIs(Token()), HasSubstr("system:serviceaccount:default:robot"));
  EXPECT_THAT(WhoIs("any"), HasSubstr("\"system:admin\""));
}

}  // namespace
}  // namespace capstan::testing::apiserver
