// SPDX-License-Identifier: Apache-2.0
// Tests of the reviews over HTTP. The texts are those of kube-apiserver 1.34.
#include "clientgo/testing/apiserver/testing/access_fixture.h"

namespace capstan::testing::apiserver {
namespace {

using ::testing::HasSubstr;

constexpr std::string_view kAuthorization = "/apis/authorization.k8s.io/v1/";
constexpr std::string_view kAuthentication = "/apis/authentication.k8s.io/v1/";

class ReviewsTest : public AccessTest {
 protected:
  // Returns the status of a review with this spec, or the message of the error.
  std::string Review(std::string_view user, std::string_view group, const std::string& plural,
                     const std::string& spec) {
    const Answer answer = As(user, "POST", Path(group, plural), R"({"spec":)" + spec + "}");
    if (answer.code != 201) return std::string(answer.message());
    return runtime::ToJson(ObjectAt(answer.json, "status"));
  }
  std::string Access(const std::string& spec) {
    return Review("admin", kAuthorization, "subjectaccessreviews", spec);
  }
};

TEST_F(ReviewsTest, SayWhatAUserMayDo) {
  Grant("r", kReadConfigMaps, kDevs);

  const std::string list = R"("resourceAttributes":{"verb":"list","resource":"configmaps")";
  EXPECT_EQ(Access(R"({"user":"x","groups":["devs"],)" + list + R"(,"namespace":"default"}})"),
            R"({"allowed":true,"reason":"RBAC: allowed by RoleBinding \"r/default\" of )"
            R"(ClusterRole \"r\" to Group \"devs\""})");
  EXPECT_EQ(Access(R"({"user":"x","groups":["devs"],)" + list + "}}"), R"({"allowed":false})");
  EXPECT_EQ(Access(R"({"user":"x","groups":["system:masters"],)" + list + "}}"),
            R"({"allowed":true})");
  EXPECT_EQ(Access(R"({"user":"x","nonResourceAttributes":{"verb":"get","path":"/apis"}})"),
            R"({"allowed":false})");
}

TEST_F(ReviewsTest, RejectBadSpecs) {
  EXPECT_EQ(Access(R"({"user":"x"})"),
            ".authorization.k8s.io \"\" is invalid: spec.resourceAttributes: Invalid value: null: "
            "exactly one of nonResourceAttributes or resourceAttributes must be specified");
  EXPECT_EQ(Access(R"({"resourceAttributes":{"verb":"get"}})"),
            ".authorization.k8s.io \"\" is invalid: spec.user: Invalid value: \"\": at least one "
            "of user or group must be specified");
  EXPECT_EQ(Review("admin", kAuthorization, "selfsubjectrulesreviews", "{}"),
            "no namespace on request");
  EXPECT_EQ(Review("admin", kAuthentication, "tokenreviews", "{}"),
            "token is required for TokenReview in authentication");
}

TEST_F(ReviewsTest, SayWhatIMayDo) {
  Grant("r", kReadConfigMaps, kJane);

  const std::string spec =
      R"({"resourceAttributes":{"verb":"get","resource":"configmaps","namespace":"default"}})";
  EXPECT_THAT(Review("jane", kAuthorization, "selfsubjectaccessreviews", spec),
              HasSubstr(R"("allowed":true)"));
  EXPECT_EQ(Review("joe", kAuthorization, "selfsubjectaccessreviews", spec),
            R"({"allowed":false})");
  EXPECT_THAT(
      Review("jane", kAuthorization, "selfsubjectrulesreviews", R"({"namespace":"default"})"),
      HasSubstr(R"({"verbs":["get","list","watch"],"apiGroups":[""],"resources":["configmaps"]})"));
}

TEST_F(ReviewsTest, NeedRightsThatUsersHaveByDefaultForThemselvesOnly) {
  const std::string spec = R"({"user":"x","resourceAttributes":{"verb":"get"}})";
  EXPECT_EQ(Review("jane", kAuthorization, "subjectaccessreviews", spec),
            "subjectaccessreviews.authorization.k8s.io is forbidden: User \"jane\" cannot create "
            "resource \"subjectaccessreviews\" in API group \"authorization.k8s.io\" at the "
            "cluster scope");
  EXPECT_EQ(Review("", kAuthentication, "selfsubjectreviews", "{}"),
            "selfsubjectreviews.authentication.k8s.io is forbidden: User \"system:anonymous\" "
            "cannot create resource \"selfsubjectreviews\" in API group "
            "\"authentication.k8s.io\" at the cluster scope");
}

TEST_F(ReviewsTest, AreAnsweredInANamespace) {
  Grant("r", kReadConfigMaps, kJane);

  EXPECT_THAT(Review("admin", kAuthorization, "namespaces/default/localsubjectaccessreviews",
                     R"({"user":"jane","resourceAttributes":{"verb":"get","resource":)"
                     R"("configmaps","namespace":"default"}})"),
              HasSubstr(R"("allowed":true)"));
  EXPECT_THAT(Review("admin", kAuthorization, "namespaces/default/localsubjectaccessreviews",
                     R"({"user":"jane","resourceAttributes":{"verb":"get","namespace":"x"}})"),
              HasSubstr("spec.resourceAttributes.namespace: Invalid value: \"x\": must match "
                        "metadata.namespace"));
}

TEST_F(ReviewsTest, SayWhoHasAToken) {
  EXPECT_EQ(Review("admin", kAuthentication, "tokenreviews", R"({"token":"jane-token"})"),
            R"({"authenticated":true,"user":{"username":"jane","groups":["devs",)"
            R"("system:authenticated"]},"audiences":["https://kubernetes.default.svc"]})");
  EXPECT_EQ(Review("admin", kAuthentication, "tokenreviews", R"({"token":"x"})"),
            R"({"user":{},"error":"invalid bearer token"})");
  EXPECT_EQ(Review("admin", kAuthentication, "tokenreviews",
                   R"({"token":"jane-token","audiences":["other"]})"),
            R"({"user":{},"error":"invalid bearer token"})");
}

TEST_F(ReviewsTest, SayWhoIAm) {
  EXPECT_EQ(Review("jane", kAuthentication, "selfsubjectreviews", "{}"),
            R"({"userInfo":{"username":"jane","groups":["devs","system:authenticated"]}})");
}

TEST_F(ReviewsTest, AreOnlyCreated) {
  const std::string target = Path(kAuthentication, "tokenreviews");
  EXPECT_EQ(As("admin", "GET", target).code, 405);
  EXPECT_EQ(As("admin", "DELETE", target).code, 405);
  EXPECT_EQ(As("admin", "GET", target + "/x").code, 404);
  EXPECT_THAT(As("admin", "GET", "/apis/authentication.k8s.io/v1").body,
              HasSubstr(R"({"name":"tokenreviews","singularName":"tokenreview",)"
                        R"("namespaced":false,"kind":"TokenReview","verbs":["create"]})"));
}

}  // namespace
}  // namespace capstan::testing::apiserver
