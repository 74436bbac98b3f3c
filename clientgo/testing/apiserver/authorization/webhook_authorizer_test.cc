// SPDX-License-Identifier: Apache-2.0
// Requests that a webhook authorizes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "capstan/httpserver/server.h"
#include "capstan/mutex.h"
#include "capstan/testing/temp_dir.h"
#include "clientgo/testing/apiserver/testing/access_fixture.h"

namespace capstan::testing::apiserver {
namespace {

using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::SizeIs;
using ::testing::StartsWith;

// ReviewServer answers SubjectAccessReviews. It allows those that contain a text.
class ReviewServer {
 public:
  ReviewServer()
      : server_({.name = "reviews"}, [this](const httpserver::Request& request,
                                            std::shared_ptr<httpserver::Exchange> exchange) {
          Answer(request, std::move(exchange));
        }) {
    started_ = server_.Start().has_value();
  }
  ~ReviewServer() { server_.Stop(); }
  ReviewServer(const ReviewServer&) = delete;
  ReviewServer& operator=(const ReviewServer&) = delete;

  bool started() const { return started_; }
  std::string url() const { return "http://127.0.0.1:" + std::to_string(server_.port()) + "/a/b"; }
  // Answers reviews that contain `text` with this status, and all others with `{}`.
  void Answer(const std::string& text, const std::string& status) {
    const MutexLock lock(mu_);
    text_ = text;
    status_ = status;
  }
  // Answers all reviews with this body.
  void AnswerBody(const std::string& body) {
    const MutexLock lock(mu_);
    body_ = body;
  }
  void Fail(int code) {
    const MutexLock lock(mu_);
    code_ = code;
  }
  // Returns the reviews that contain a text.
  std::vector<std::string> Reviews(const std::string& text) const {
    const MutexLock lock(mu_);
    std::vector<std::string> found;
    for (const std::string& review : reviews_) {
      if (review.find(text) != std::string::npos) found.push_back(review);
    }
    return found;
  }
  std::string target() const {
    const MutexLock lock(mu_);
    return target_;
  }

 private:
  void Answer(const httpserver::Request& request, std::shared_ptr<httpserver::Exchange> exchange) {
    const MutexLock lock(mu_);
    reviews_.push_back(request.body);
    target_ = request.target;
    if (code_ != 200) return exchange->Respond(code_, "text/plain", "broken");
    if (!body_.empty()) return exchange->Respond(200, "application/json", body_);
    const bool v1 = request.body.find("authorization.k8s.io/v1\"") != std::string::npos;
    const bool matches = request.body.find(text_) != std::string::npos;
    exchange->Respond(200, "application/json",
                      R"({"kind":"SubjectAccessReview","apiVersion":"authorization.k8s.io/v1)" +
                          std::string(v1 ? "" : "beta1") + R"(","status":)" +
                          (matches ? status_ : R"({"allowed":false})") + "}");
  }

  mutable Mutex mu_;
  std::string text_ CAPSTAN_GUARDED_BY(mu_);
  std::string body_ CAPSTAN_GUARDED_BY(mu_);
  std::string status_ CAPSTAN_GUARDED_BY(mu_) = R"({"allowed":true})";
  int code_ CAPSTAN_GUARDED_BY(mu_) = 200;
  std::vector<std::string> reviews_ CAPSTAN_GUARDED_BY(mu_);
  std::string target_ CAPSTAN_GUARDED_BY(mu_);
  bool started_ = false;
  httpserver::Server server_;  // last: its thread uses all of the above
};

class WebhookAuthorizerTest : public AccessTest {
 protected:
  void SetUp() override {}

  // Starts the server with the webhook as the first authorizer. `members` are those of its
  // configuration, besides the common ones.
  void StartWith(const std::string& members, const std::string& others = "",
                 const std::string& version = "v1") {
    ASSERT_TRUE(reviews_.started());
    const std::string kubeconfig =
        dir_.Write("kubeconfig",
                   "apiVersion: v1\nkind: Config\ncurrent-context: c\n"
                   "contexts: [{name: c, context: {cluster: c, user: u}}]\n"
                   "clusters: [{name: c, cluster: {server: '" +
                       (url_.empty() ? reviews_.url() : url_) +
                       "'}}]\nusers: [{name: u, user: {token: t}}]\n");
    Options options = RbacOptions();
    options.authorization_config =
        "apiVersion: apiserver.config.k8s.io/v1\nkind: AuthorizationConfiguration\nauthorizers:\n"
        "- {type: Webhook, name: w, webhook: {timeout: 3s, subjectAccessReviewVersion: " +
        version +
        ", matchConditionSubjectAccessReviewVersion: v1, connectionInfo: "
        "{type: KubeConfigFile, kubeConfigFile: " +
        kubeconfig + "}, " + members + "}}\n" + others;
    Start(options);
  }
  Answer ReviewOf(const std::string& user, const std::string& verb) {
    return As("admin", "POST", "/apis/authorization.k8s.io/v1/subjectaccessreviews",
              R"({"spec":{"user":")" + user + R"(","resourceAttributes":{"verb":")" + verb +
                  R"(","resource":"pods"}}})");
  }

  TempDir dir_;
  ReviewServer reviews_;
  std::string url_;  // of the webhook; empty: that of reviews_
};

TEST_F(WebhookAuthorizerTest, AllowsWhatWebhookAllows) {
  reviews_.Answer("\"jane\"", R"({"allowed":true,"reason":"it is jane"})");
  StartWith("failurePolicy: Deny");

  const Answer jane = As("jane", "GET", kPods);
  const Answer joe = As("joe", "GET", kPods);
  const Answer path = As("joe", "GET", "/version");

  EXPECT_EQ(jane.code, 200) << jane.body;
  EXPECT_EQ(joe.code, 403);
  EXPECT_EQ(joe.message(),
            "pods is forbidden: User \"joe\" cannot list resource \"pods\" in API "
            "group \"\" in the namespace \"default\"");
  EXPECT_EQ(path.code, 403);
  EXPECT_EQ(reviews_.target(), "/a/b?timeout=3s");
  EXPECT_THAT(
      reviews_.Reviews("\"jane\""),
      ElementsAre(R"({"kind":"SubjectAccessReview","apiVersion":"authorization.k8s.io/v1",)"
                  R"("metadata":{},"spec":{"resourceAttributes":{"namespace":"default",)"
                  R"("verb":"list","version":"v1","resource":"pods"},"user":"jane",)"
                  R"("groups":["devs","system:authenticated"]},"status":{"allowed":false}})"));
  EXPECT_THAT(
      reviews_.Reviews("/version"),
      ElementsAre(HasSubstr(R"("nonResourceAttributes":{"path":"/version","verb":"get"})")));
}

TEST_F(WebhookAuthorizerTest, AnswerNeedsNoKind) {
  reviews_.AnswerBody(R"({"status":{"allowed":true}})");
  StartWith("failurePolicy: Deny");

  EXPECT_EQ(As("jane", "GET", kPods).code, 200);
}

TEST_F(WebhookAuthorizerTest, AnswerWithWrongTypesIsAFailure) {
  StartWith("failurePolicy: Deny, authorizedTTL: 0s, unauthorizedTTL: 0s",
            "- {type: AlwaysAllow, name: alwaysallow}\n");
  for (const char* const body :
       {R"({"status":"x"})", R"({"status":{"allowed":true,"denied":"true"}})",
        R"({"status":{"allowed":true,"reason":1}})", R"({"kind":"Pod","status":{"allowed":true}})",
        "[]"}) {
    reviews_.AnswerBody(body);
    EXPECT_NE(As("jane", "GET", kPods).code, 200) << body;
  }
}

// A request may have any bytes in its path.
TEST_F(WebhookAuthorizerTest, PathWithInvalidUtf8IsReviewed) {
  reviews_.Answer("jane", R"({"allowed":true})");
  StartWith("failurePolicy: Deny, matchConditions: [{expression: \"request.user != 'x'\"}]");

  EXPECT_EQ(As("jane", "GET", "/%ff").code, 404);
  EXPECT_EQ(As("jane", "GET", std::string(kPods) + "/%ff").code, 404);
  EXPECT_THAT(reviews_.Reviews("\xef\xbf\xbd"), SizeIs(2));
}

TEST_F(WebhookAuthorizerTest, AdministratorsNeedNoReview) {
  StartWith("failurePolicy: Deny");

  EXPECT_EQ(As("admin", "GET", kPods).code, 200);
  EXPECT_THAT(reviews_.Reviews(""), SizeIs(0));
}

TEST_F(WebhookAuthorizerTest, NextAuthorizerDecidesUnlessWebhookDenies) {
  reviews_.Answer("\"joe\"", R"({"allowed":false,"denied":true,"reason":"not joe"})");
  StartWith("failurePolicy: Deny", "- {type: RBAC, name: rbac}\n");
  Grant("read", kReadConfigMaps, kDevs);

  const Answer jane = As("jane", "GET", kConfigMaps);
  const Answer joe = As("joe", "GET", kConfigMaps);

  EXPECT_EQ(jane.code, 200) << jane.body;
  EXPECT_EQ(joe.code, 403);
  EXPECT_THAT(joe.message(), EndsWith("in the namespace \"default\": not joe"));
}

TEST_F(WebhookAuthorizerTest, ReasonsOfAllAuthorizersAreInError) {
  reviews_.Answer("\"joe\"", R"({"allowed":false,"reason":"no opinion on joe"})");
  StartWith("failurePolicy: Deny", "- {type: AlwaysDeny, name: alwaysdeny}\n");

  EXPECT_THAT(As("joe", "GET", kPods).message(),
              EndsWith("\"default\": no opinion on joe\nEverything is forbidden."));
}

TEST_F(WebhookAuthorizerTest, RemembersAnswersUnlessConfigurationSaysNo) {
  reviews_.Answer("\"jane\"", R"({"allowed":true})");
  StartWith("failurePolicy: Deny, cacheUnauthorizedRequests: false");

  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(As("jane", "GET", kPods).code, 200);
    EXPECT_EQ(As("joe", "GET", kPods).code, 403);
  }

  EXPECT_THAT(reviews_.Reviews("\"jane\""), SizeIs(1));
  EXPECT_THAT(reviews_.Reviews("\"joe\""), SizeIs(2));
}

TEST_F(WebhookAuthorizerTest, CallsOnlyForMatchingRequests) {
  reviews_.Answer("", R"({"allowed":true})");
  StartWith(
      "failurePolicy: Deny, matchConditions: [{expression: \"request.user == 'jane'\"}, "
      "{expression: has(request.resourceAttributes)}, "
      "{expression: \"request.resourceAttributes.resource != 'secrets'\"}]");

  EXPECT_EQ(As("jane", "GET", kPods).code, 200);
  EXPECT_EQ(As("jane", "GET", kSecrets).code, 403);
  EXPECT_EQ(As("joe", "GET", kPods).code, 403);
  EXPECT_EQ(As("jane", "GET", "/version").code, 403);
  EXPECT_THAT(reviews_.Reviews(""), SizeIs(1));
}

TEST_F(WebhookAuthorizerTest, ErrorOfConditionIsFailure) {
  StartWith(
      "failurePolicy: Deny, matchConditions: [{expression: "
      "\"request.resourceAttributes.resource != ''\"}]",
      "- {type: AlwaysAllow, name: alwaysallow}\n");

  const Answer answer = As("jane", "GET", "/version");

  EXPECT_EQ(answer.code, 500);
  EXPECT_EQ(answer.body,
            "Internal Server Error: \"/version\": cel evaluation error: expression "
            "'request.resourceAttributes.resource != ''' resulted in error: no such key: "
            "resourceAttributes\n");
}

TEST_F(WebhookAuthorizerTest, DeniesOnFailure) {
  url_ = "http://127.0.0.1:1/a";
  StartWith("failurePolicy: Deny", "- {type: AlwaysAllow, name: alwaysallow}\n");

  const Answer answer = As("jane", "GET", kPods);

  EXPECT_EQ(answer.code, 500);
  EXPECT_THAT(answer.head, HasSubstr("text/plain"));
  EXPECT_EQ(answer.body,
            "Internal Server Error: \"/api/v1/namespaces/default/pods\": Post "
            "\"http://127.0.0.1:1/a?timeout=3s\": dial tcp 127.0.0.1:1: connect: connection "
            "refused\n");
}

TEST_F(WebhookAuthorizerTest, HasNoOpinionOnFailure) {
  url_ = "http://127.0.0.1:1/a";
  StartWith("failurePolicy: NoOpinion", "- {type: AlwaysAllow, name: alwaysallow}\n");

  EXPECT_EQ(As("jane", "GET", kPods).code, 200);
  EXPECT_EQ(ReviewOf("jane", "get").body.find("evaluationError"), std::string::npos);
}

TEST_F(WebhookAuthorizerTest, FailureWithoutOtherOpinionIsAnError) {
  reviews_.Fail(404);
  StartWith("failurePolicy: NoOpinion");

  EXPECT_EQ(As("jane", "GET", "/version").body,
            "Internal Server Error: \"/version\": the server could not find the requested "
            "resource\n");
  EXPECT_THAT(ReviewOf("jane", "get").body,
              HasSubstr(R"("status":{"allowed":false,"evaluationError":"the server could not find )"
                        R"(the requested resource"})"));
}

TEST_F(WebhookAuthorizerTest, SendsOldVersionOfReview) {
  reviews_.Answer("\"group\":[\"devs\"", R"({"allowed":true})");
  StartWith("failurePolicy: Deny", "", "v1beta1");

  EXPECT_EQ(As("jane", "GET", kPods).code, 200);
  EXPECT_THAT(reviews_.Reviews("authorization.k8s.io/v1beta1"), SizeIs(1));
}

TEST_F(WebhookAuthorizerTest, DecidesOnReviewsAndImpersonation) {
  reviews_.Answer(R"("user":"jane")", R"({"allowed":true})");
  StartWith("failurePolicy: Deny");

  EXPECT_THAT(ReviewOf("jane", "get").body, HasSubstr(R"("status":{"allowed":true})"));
  EXPECT_THAT(ReviewOf("joe", "get").body, HasSubstr(R"("status":{"allowed":false})"));
  EXPECT_EQ(As("jane", "GET", kPods, "", "Impersonate-User: jane\r\n").code, 200);
  EXPECT_EQ(As("jane", "GET", kPods, "", "Impersonate-User: joe\r\n").code, 403);
  EXPECT_EQ(As("joe", "GET", kPods, "", "Impersonate-User: jane\r\n").code, 403);
}

TEST_F(WebhookAuthorizerTest, DecidesOnEscalation) {
  reviews_.Answer("\"jane\"", R"({"allowed":true})");
  StartWith("failurePolicy: Deny");
  const std::string role =
      R"({"metadata":{"name":"r"},"rules":[{)" + std::string(kReadConfigMaps) + "}]}";

  EXPECT_EQ(As("jane", "POST", kRoles, role).code, 201);
  EXPECT_THAT(reviews_.Reviews(R"("verb":"escalate")"), SizeIs(1));

  reviews_.Answer(R"("verb":"create")", R"({"allowed":true})");
  const Answer joe = As("joe", "POST", kClusterRoles, role);
  EXPECT_EQ(joe.code, 403);
  EXPECT_THAT(joe.message(), HasSubstr("attempting to grant RBAC permissions not currently held"));
}

TEST_F(WebhookAuthorizerTest, AnswersPoliciesThatCheckAccess) {
  reviews_.Answer("\"jane\"", R"({"allowed":true})");
  StartWith("failurePolicy: Deny", "- {type: RBAC, name: rbac}\n");
  Grant("write", R"("apiGroups":[""],"resources":["configmaps"],"verbs":["create"])", kDevs);
  const std::string api = "/apis/admissionregistration.k8s.io/v1/";
  Make(api + "validatingadmissionpolicies",
       R"({"metadata":{"name":"p"},"spec":{"matchConstraints":{"resourceRules":[{"apiGroups":[""],)"
       R"("apiVersions":["v1"],"operations":["CREATE"],"resources":["configmaps"]}]},)"
       R"("validations":[{"expression":)"
       R"~("!authorizer.group('').resource('secrets').check('get').allowed()"}]}})~");
  Make(api + "validatingadmissionpolicybindings",
       R"({"metadata":{"name":"p"},"spec":{"policyName":"p","validationActions":["Deny"]}})");

  const Answer jane = As("jane", "POST", kConfigMaps, R"({"metadata":{"name":"a"}})");
  const Answer joe = As("joe", "POST", kConfigMaps, R"({"metadata":{"name":"b"}})");

  EXPECT_EQ(jane.code, 422) << jane.body;
  EXPECT_EQ(joe.code, 201) << joe.body;
  EXPECT_THAT(reviews_.Reviews(R"("resource":"secrets")"), SizeIs(2));
}

TEST_F(WebhookAuthorizerTest, RulesOfUsersAreIncomplete) {
  reviews_.Answer("", R"({"allowed":true})");
  StartWith("failurePolicy: Deny", "- {type: RBAC, name: rbac}\n");

  const Answer rules = As("jane", "POST", "/apis/authorization.k8s.io/v1/selfsubjectrulesreviews",
                          R"({"spec":{"namespace":"default"}})");

  EXPECT_THAT(rules.body, HasSubstr(R"("incomplete":true,"evaluationError":"webhook authorizer )"
                                    R"(does not support user rule resolution")"));
}

TEST_F(WebhookAuthorizerTest, ServerDoesNotStartWithWrongConfiguration) {
  Server server({.authorization_config = "kind: AuthorizationConfiguration"});

  const auto started = server.Start();

  ASSERT_FALSE(started);
  EXPECT_THAT(started.error().message,
              StartsWith("failed to load AuthorizationConfiguration from file: Object"));
}

}  // namespace
}  // namespace capstan::testing::apiserver
