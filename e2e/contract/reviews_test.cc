// SPDX-License-Identifier: Apache-2.0
// Tests of the reviews: objects that are answered and never stored.
#include "e2e/contract/access_fixture.h"

namespace capstan::testing::apiserver::contract {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr const char* kAuthorization = "authorization.k8s.io";
constexpr const char* kAuthentication = "authentication.k8s.io";

class ReviewsTest : public AccessContractTest {
 protected:
  static std::string Collection(std::string_view group, std::string_view plural,
                                std::string_view ns = {}) {
    std::string path = "/apis/" + std::string(group) + "/v1/";
    if (!ns.empty()) path += "namespaces/" + std::string(ns) + "/";
    return path + std::string(plural);
  }
  static std::string Body(std::string_view group, std::string_view kind, std::string_view spec) {
    return R"({"apiVersion":")" + std::string(group) + R"(/v1","kind":")" + std::string(kind) +
           R"(","spec":)" + std::string(spec) + "}";
  }
  // Returns the status of the answer with sorted members, or its message if it is an error.
  static std::string StatusOf(const Answer& answer) {
    if (answer.code != 201) return std::string(answer.message());
    return Sorted(runtime::ToJson(*runtime::Find(answer.json, "status")));
  }
  std::string Access(const std::string& spec) const {
    return StatusOf(Post(Collection(kAuthorization, "subjectaccessreviews"),
                         Body(kAuthorization, "SubjectAccessReview", spec)));
  }
  // Returns the members of a spec about this verb on ConfigMaps in this test's namespace.
  std::string OnConfigMaps(const std::string& verb) const {
    return R"("resourceAttributes":{"verb":")" + verb +
           R"(","resource":"configmaps","namespace":")" + ns() + "\"}";
  }
  void GrantConfigMaps() {
    Grant("r", R"("apiGroups":[""],"resources":["configmaps"],"verbs":["get","list"])");
    EXPECT_TRUE(GetsSoon(ConfigMaps(), 200));
  }
  Refusal InvalidAccess(std::string_view field, std::string_view message) const {
    // kube-apiserver has lost the kind at this place.
    return {.code = 422,
            .reason = "Invalid",
            .message = ".authorization.k8s.io \"\" is invalid: " + std::string(field) + ": " +
                       std::string(message),
            .details = R"({"group":"authorization.k8s.io","causes":[)" +
                       Cause("FieldValueInvalid", message, field) + "]}"};
  }
};

TEST_F(ReviewsTest, SayWhatAUserMayDo) {
  GrantConfigMaps();
  const std::string user = R"("user":")" + User() + "\",";

  EXPECT_EQ(Access("{" + user + OnConfigMaps("get") + "}"),
            R"({"allowed":true,"reason":"RBAC: allowed by RoleBinding \"r/)" + ns() +
                R"(\" of Role \"r\" to User \")" + User() + R"(\""})");
  EXPECT_EQ(Access("{" + user + OnConfigMaps("delete") + "}"), R"({"allowed":false})");
  EXPECT_EQ(Access(R"({"user":"x","groups":["system:masters"],)" + OnConfigMaps("delete") + "}"),
            R"({"allowed":true})");
  EXPECT_EQ(Access("{" + user + R"("nonResourceAttributes":{"verb":"get","path":"/metrics"}})"),
            R"({"allowed":false})");
  EXPECT_EQ(Access(R"({"groups":["system:authenticated"],)"
                   R"("nonResourceAttributes":{"verb":"get","path":"/apis/apps"}})"),
            R"({"allowed":true,"reason":"RBAC: allowed by ClusterRoleBinding )"
            R"(\"system:discovery\" of ClusterRole \"system:discovery\" to Group )"
            R"(\"system:authenticated\""})");
}

TEST_F(ReviewsTest, RepeatTheQuestion) {
  const Answer answer = Post(
      Collection(kAuthorization, "subjectaccessreviews"),
      Body(kAuthorization, "SubjectAccessReview", R"({"user":"x",)" + OnConfigMaps("get") + "}"));

  EXPECT_EQ(answer.code, 201);
  EXPECT_EQ(runtime::GetString(answer.json, "kind"), "SubjectAccessReview");
  EXPECT_EQ(runtime::GetString(answer.json["spec"], "user"), "x");
  EXPECT_THAT(std::string(answer.meta("uid")), IsEmpty());
  EXPECT_EQ(FieldsOf(answer, "contract"),
            R"({"f:spec":{"f:resourceAttributes":{".":{},"f:namespace":{},"f:resource":{},)"
            R"("f:verb":{}},"f:user":{}}})");
}

TEST_F(ReviewsTest, RejectBadSpecs) {
  const std::string target = Collection(kAuthorization, "subjectaccessreviews");
  const auto post = [&](const std::string& spec) {
    return Post(target, Body(kAuthorization, "SubjectAccessReview", spec));
  };
  EXPECT_REFUSED(post("{" + OnConfigMaps("get") + "}"),
                 InvalidAccess("spec.user",
                               "Invalid value: \"\": at least one of user or group must be "
                               "specified"));
  EXPECT_THAT(std::string(post(R"({"user":"x"})").message()),
              HasSubstr("exactly one of nonResourceAttributes or resourceAttributes must be "
                        "specified"));
  EXPECT_THAT(std::string(post(R"({"user":"x","nonResourceAttributes":{"path":"/"},)" +
                               OnConfigMaps("get") + "}")
                              .message()),
              HasSubstr(Minor() < 37 ? "cannot be specified in combination with resourceAttributes"
                                     : "exactly one of nonResourceAttributes or "));
  const Answer named =
      Post(target, R"({"metadata":{"name":"a"},"spec":{"user":"x",)" + OnConfigMaps("get") + "}}");
  EXPECT_EQ(named.code, 422);
  EXPECT_THAT(std::string(named.message()), HasSubstr("must be empty"));
}

TEST_F(ReviewsTest, AreAboutOneNamespace) {
  GrantConfigMaps();
  const std::string target = Collection(kAuthorization, "localsubjectaccessreviews", ns());
  const std::string user = R"({"user":")" + User() + "\",";
  const auto post = [&](const std::string& spec) {
    return StatusOf(Post(target, Body(kAuthorization, "LocalSubjectAccessReview", spec)));
  };

  EXPECT_THAT(post(user + OnConfigMaps("get") + "}"), HasSubstr(R"("allowed":true)"));
  EXPECT_EQ(post(user + OnConfigMaps("delete") + "}"), R"({"allowed":false})");
  EXPECT_EQ(post(user + R"("resourceAttributes":{"verb":"get","namespace":"x"}})"),
            ".authorization.k8s.io \"\" is invalid: spec.resourceAttributes.namespace: Invalid "
            "value: \"x\": must match metadata.namespace");
}

TEST_F(ReviewsTest, SayWhatIMayDo) {
  GrantConfigMaps();
  const std::string target = Collection(kAuthorization, "selfsubjectaccessreviews");
  const auto may = [&](const std::string& verb) {
    return StatusOf(
        AsUser("POST", target,
               Body(kAuthorization, "SelfSubjectAccessReview", "{" + OnConfigMaps(verb) + "}")));
  };

  EXPECT_THAT(may("get"), HasSubstr(R"("allowed":true)"));
  EXPECT_EQ(may("delete"), R"({"allowed":false})");
}

TEST_F(ReviewsTest, ListMyRules) {
  GrantConfigMaps();
  const std::string target = Collection(kAuthorization, "selfsubjectrulesreviews");

  const Answer answer =
      AsUser("POST", target,
             Body(kAuthorization, "SelfSubjectRulesReview", R"({"namespace":")" + ns() + "\"}"));
  EXPECT_EQ(answer.code, 201) << answer.body;
  EXPECT_EQ(runtime::ToJson(answer.json["spec"]), "{}");
  const std::string status = StatusOf(answer);
  EXPECT_THAT(status,
              HasSubstr(R"({"apiGroups":[""],"resources":["configmaps"],"verbs":["get","list"]})"));
  EXPECT_THAT(status, HasSubstr(R"({"nonResourceURLs":["/healthz","/livez","/readyz",)"
                                R"("/version","/version/"],"verbs":["get"]})"));
  EXPECT_REFUSED(AsUser("POST", target, Body(kAuthorization, "SelfSubjectRulesReview", "{}")),
                 BadRequest("no namespace on request"));
}

TEST_F(ReviewsTest, NeedRights) {
  EXPECT_REFUSED(
      AsUser("POST", Collection(kAuthorization, "subjectaccessreviews"),
             Body(kAuthorization, "SubjectAccessReview", R"({"user":"x"})")),
      Forbids("subjectaccessreviews.authorization.k8s.io", "",
              R"(create resource "subjectaccessreviews" in API group "authorization.k8s.io" at )"
              "the cluster scope",
              R"({"group":"authorization.k8s.io","kind":"subjectaccessreviews"})"));
}

TEST_F(ReviewsTest, SayWhoIAm) {
  const Answer answer =
      AsUser("POST", Collection(kAuthentication, "selfsubjectreviews"),
             R"({"apiVersion":"authentication.k8s.io/v1","kind":"SelfSubjectReview"})");

  EXPECT_EQ(Normal(answer),
            R"({"apiVersion":"authentication.k8s.io/v1","kind":"SelfSubjectReview","metadata":)"
            R"({"creationTimestamp":"TIME"},"status":{"userInfo":{"groups":)"
            R"(["system:authenticated"],"username":")" +
                User() + "\"}}}");
}

TEST_F(ReviewsTest, AreOnlyCreated) {
  const Refusal no_such_method = {
      .code = 405,
      .reason = "MethodNotAllowed",
      .message = "the server does not allow this method on the requested resource",
      .details = "{}"};
  for (const std::string& target :
       {Collection(kAuthentication, "tokenreviews"),
        Collection(kAuthorization, "subjectaccessreviews"),
        Collection(kAuthorization, "localsubjectaccessreviews", ns())}) {
    EXPECT_REFUSED(Get(target), no_such_method) << target;
    EXPECT_REFUSED(Delete(target), no_such_method) << target;
    EXPECT_EQ(Get(target + "/x").code, 404) << target;
  }
}

TEST_F(ReviewsTest, AreNoTables) {
  const Answer table = Do(
      "POST", Collection(kAuthorization, "selfsubjectaccessreviews"),
      Body(kAuthorization, "SelfSubjectAccessReview", R"({"resourceAttributes":{"verb":"get"}})"),
      {"Accept: application/json;as=Table;g=meta.k8s.io;v=v1"});

  EXPECT_EQ(table.code, 406);
  EXPECT_EQ(table.reason(), "NotAcceptable");
}

TEST_F(ReviewsTest, AreInDiscovery) {
  const auto entry = [&](const char* group, std::string_view name) -> std::string {
    const Answer answer = Get("/apis/" + std::string(group) + "/v1");
    for (const runtime::JsonValue& resource : answer.json["resources"].GetArray()) {
      if (runtime::GetString(resource, "name") == name) return Sorted(runtime::ToJson(resource));
    }
    return answer.body;
  };
  EXPECT_EQ(entry(kAuthentication, "tokenreviews"),
            R"({"kind":"TokenReview","name":"tokenreviews","namespaced":false,)"
            R"("singularName":"tokenreview","verbs":["create"]})");
  EXPECT_EQ(entry(kAuthorization, "localsubjectaccessreviews"),
            R"({"kind":"LocalSubjectAccessReview","name":"localsubjectaccessreviews",)"
            R"("namespaced":true,"singularName":"localsubjectaccessreview","verbs":["create"]})");
}

}  // namespace
}  // namespace capstan::testing::apiserver::contract
