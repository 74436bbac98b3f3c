// SPDX-License-Identifier: Apache-2.0
// Tests of API Priority and Fairness: which FlowSchema and PriorityLevelConfiguration a request
// belongs to, as the headers of the response say.
#include <string>
#include <string_view>
#include <vector>

#include "e2e/contract/access_fixture.h"

namespace capstan::testing::apiserver::contract {
namespace {

constexpr std::string_view kVersion = "/apis/flowcontrol.apiserver.k8s.io/v1/";

std::string Schemas(const std::string& name = {}) {
  return std::string(kVersion) + "flowschemas" + (name.empty() ? "" : "/" + name);
}

std::string Levels(const std::string& name = {}) {
  return std::string(kVersion) + "prioritylevelconfigurations" + (name.empty() ? "" : "/" + name);
}

// Returns the value of a header, or "".
std::string HeaderOf(const Answer& answer, const std::string& name) {
  const std::size_t at = answer.head.find(name + ": ");
  if (at == std::string::npos) return "";
  const std::size_t begin = at + name.size() + 2;
  return answer.head.substr(begin, answer.head.find("\r\n", begin) - begin);
}

class FlowControlTest : public AccessContractTest {
 protected:
  // Returns the names of the FlowSchema and the PriorityLevelConfiguration that the headers of the
  // response name: "probes exempt", or "" without these headers.
  std::string FlowOf(const Answer& answer) const {
    const std::string schema = HeaderOf(answer, "x-kubernetes-pf-flowschema-uid");
    const std::string level = HeaderOf(answer, "x-kubernetes-pf-prioritylevel-uid");
    if (schema.empty() && level.empty()) return "";
    return NameOf(Schemas(), schema) + " " + NameOf(Levels(), level);
  }
  // Returns what the headers of a GET by this user name.
  std::string FlowFor(const std::string& user, std::string_view target,
                      const std::string& group = {}) const {
    std::vector<std::string> headers = {"Impersonate-User: " + user};
    if (!group.empty()) headers.push_back("Impersonate-Group: " + group);
    return FlowOf(Get(target, headers));
  }
  std::string FlowForUser(std::string_view target) const { return FlowFor(User(), target); }

  // Returns the status of the condition Dangling, and its reason.
  std::string Dangling(const std::string& schema) const {
    const Answer answer = Get(Schemas(schema));
    for (const auto& one : ListAt(ObjectAt(answer.json, "status"), "conditions").GetArray()) {
      if (runtime::GetString(one, "type") != "Dangling") continue;
      return std::string(runtime::GetString(one, "status")) + " " +
             std::string(runtime::GetString(one, "reason")) + ": " +
             std::string(runtime::GetString(one, "message"));
    }
    return "";
  }

  // Creates a level of this test's name.
  void CreateLevel() {
    DeleteLater(Levels(ns()));
    const Answer created = Post(Levels(), R"({"metadata":{"name":")" + ns() +
                                              R"("},"spec":{"type":"Limited","limited":{)"
                                              R"("nominalConcurrencyShares":1,"limitResponse":)"
                                              R"({"type":"Reject"}}}})");
    ASSERT_EQ(created.code, 201) << created.body;
  }
  // Creates a FlowSchema of this test's name for that level.
  void CreateSchema(const std::string& rule) {
    DeleteLater(Schemas(ns()));
    const Answer created =
        Post(Schemas(), R"({"metadata":{"name":")" + ns() +
                            R"("},"spec":{"matchingPrecedence":50,"priorityLevelConfiguration":)" +
                            R"({"name":")" + ns() + R"("},"rules":[)" + rule + "]}}");
    ASSERT_EQ(created.code, 201) << created.body;
  }
  std::string Reference() const {
    return "This FlowSchema references the PriorityLevelConfiguration object named \"" + ns() +
           "\"";
  }

 private:
  std::string NameOf(const std::string& collection, const std::string& uid) const {
    const Answer all = Get(collection);
    for (const auto& one : ListAt(all.json, "items").GetArray()) {
      if (Metadata(one, "uid") == uid) return std::string(Metadata(one, "name"));
    }
    return "unknown:" + uid;
  }
};

TEST_F(FlowControlTest, ExemptsAdministrators) {
  const std::string exempt = "exempt exempt";
  EXPECT_EQ(FlowOf(Get("/livez/ping")), exempt);
  EXPECT_EQ(FlowOf(Get("/api")), exempt);
  EXPECT_EQ(FlowOf(Get("/openapi/v2")), exempt);
  EXPECT_EQ(FlowOf(Get("/no-such-path")), exempt);
  EXPECT_EQ(FlowOf(Get(ConfigMaps())), exempt);
  EXPECT_EQ(FlowOf(Get(ConfigMaps("none"))), exempt);
  EXPECT_EQ(FlowOf(Post(ConfigMaps(), R"({"metadata":{"name":"a"}})")), exempt);
  EXPECT_EQ(FlowOf(Post(ConfigMaps(), "{")), exempt);
  EXPECT_EQ(FlowOf(Delete(ConfigMaps("a"))), exempt);
  EXPECT_EQ(FlowOf(Get(ConfigMaps() + "?watch=1&timeoutSeconds=1")), exempt);
}

TEST_F(FlowControlTest, ClassifiesUsersByBootstrapObjects) {
  EXPECT_EQ(FlowForUser("/livez/ping"), "probes exempt");
  EXPECT_EQ(FlowForUser("/healthz"), "probes exempt");
  EXPECT_EQ(FlowForUser("/api"), "global-default global-default");
  EXPECT_EQ(FlowForUser(ConfigMaps()), "global-default global-default");
  EXPECT_EQ(FlowFor("system:anonymous", ConfigMaps()), "global-default global-default");
  EXPECT_EQ(FlowFor("system:serviceaccount:x:a", ConfigMaps()), "service-accounts workload-low");
  EXPECT_EQ(FlowFor("system:serviceaccount:kube-system:a", Secrets()),
            "kube-system-service-accounts workload-high");
  EXPECT_EQ(FlowFor("system:serviceaccount:kube-system:a", Leases("a")),
            "system-leader-election leader-election");
  EXPECT_EQ(FlowFor("system:kube-scheduler", Leases("a")),
            "system-leader-election leader-election");
  EXPECT_EQ(FlowFor("system:kube-scheduler", Leases()), "kube-scheduler workload-high");
  EXPECT_EQ(FlowFor("system:kube-controller-manager", Secrets()),
            "kube-controller-manager workload-high");
  EXPECT_EQ(FlowFor("n", "/api/v1/nodes/n", "system:nodes"), "system-node-high node-high");
  EXPECT_EQ(FlowFor("n", Secrets(), "system:nodes"), "system-nodes system");
}

TEST_F(FlowControlTest, OmitsHeadersOfRequestsThatAreNotClassified) {
  EXPECT_EQ(FlowOf(Get(ConfigMaps() + "?timeout=x")), "");
  EXPECT_EQ(FlowOf(Get(Core("pods", "a") + "/log")), "");
  EXPECT_EQ(FlowOf(Get(ConfigMaps(), {"Impersonate-Group: x"})), "");
}

TEST_F(FlowControlTest, HasBootstrapObjects) {
  const auto spec = [&](const std::string& target) { return JsonAt(Get(target), {"spec"}); };
  EXPECT_EQ(spec(Levels("exempt")),
            Sorted(R"({"type":"Exempt","exempt":{)"
                   R"("lendablePercent":0,"nominalConcurrencyShares":0}})"));
  EXPECT_EQ(spec(Levels("catch-all")),
            Sorted(R"({"type":"Limited","limited":{"lendablePercent":0,)"
                   R"("limitResponse":{"type":"Reject"},"nominalConcurrencyShares":5}})"));
  EXPECT_EQ(spec(Levels("workload-low")),
            Sorted(R"({"type":"Limited","limited":{"lendablePercent":90,"limitResponse":)"
                   R"({"type":"Queue","queuing":{"handSize":6,"queueLengthLimit":50,)"
                   R"("queues":128}},"nominalConcurrencyShares":100}})"));
  EXPECT_EQ(spec(Schemas("probes")),
            Sorted(R"({"matchingPrecedence":2,"priorityLevelConfiguration":{"name":"exempt"},)"
                   R"("rules":[{"nonResourceRules":[{"verbs":["get"],"nonResourceURLs":)"
                   R"(["/healthz","/readyz","/livez"]}],"subjects":[)"
                   R"({"kind":"Group","group":{"name":"system:unauthenticated"}},)"
                   R"({"kind":"Group","group":{"name":"system:authenticated"}}]}]})"));
  EXPECT_EQ(spec(Schemas("system-node-high")),
            Sorted(R"({"distinguisherMethod":{"type":"ByUser"},"matchingPrecedence":400,)"
                   R"("priorityLevelConfiguration":{"name":"node-high"},"rules":[)"
                   R"({"resourceRules":[{"verbs":["*"],"apiGroups":[""],"clusterScope":true,)"
                   R"("namespaces":["*"],"resources":["nodes","nodes/status"]},)"
                   R"({"verbs":["*"],"apiGroups":["coordination.k8s.io"],"namespaces":["*"],)"
                   R"("resources":["leases"]}],)"
                   R"("subjects":[{"kind":"Group","group":{"name":"system:nodes"}}]}]})"));
  const std::string producer = "api-priority-and-fairness-config-producer-v1";
  const std::string consumer = "api-priority-and-fairness-config-consumer-v1";
  const std::string metadata =
      R"("f:metadata":{"f:annotations":{".":{},"f:apf.kubernetes.io/autoupdate-spec":{}}})";
  EXPECT_EQ(FieldsOf(Get(Levels("catch-all")), producer),
            Sorted("{" + metadata +
                   R"(,"f:spec":{"f:limited":{".":{},"f:lendablePercent":{},"f:limitResponse":)"
                   R"({".":{},"f:type":{}},"f:nominalConcurrencyShares":{}},"f:type":{}}})"));
  EXPECT_EQ(FieldsOf(Get(Schemas("probes")), producer),
            Sorted("{" + metadata +
                   R"(,"f:spec":{"f:matchingPrecedence":{},)"
                   R"("f:priorityLevelConfiguration":{"f:name":{}},"f:rules":{}}})"));
  EXPECT_EQ(FieldsOf(Get(Schemas("probes")), consumer, "status"),
            Sorted(R"({"f:status":{"f:conditions":{"k:{\"type\":\"Dangling\"}":{".":{},)"
                   R"("f:lastTransitionTime":{},"f:message":{},"f:reason":{},"f:status":{},)"
                   R"("f:type":{}}}}})"));
  EXPECT_EQ(Dangling("exempt"),
            "False Found: This FlowSchema references the PriorityLevelConfiguration object named "
            "\"exempt\" and it exists");
}

TEST_F(FlowControlTest, ClassifiesRequestsByRulesOfFlowSchema) {
  CreateLevel();
  CreateSchema(R"({"subjects":[{"kind":"User","user":{"name":")" + User() +
               R"("}}],"resourceRules":[{"verbs":["get"],"apiGroups":[""],"resources":)"
               R"(["configmaps","secrets/status"],"namespaces":[")" +
               ns() +
               R"("]}],"nonResourceRules":[{"verbs":["get"],)"
               R"("nonResourceURLs":["/version","/a/*"]}]})");
  const std::string own = ns() + " " + ns();
  const std::string other = "global-default global-default";
  ASSERT_TRUE(Eventually([&] { return FlowForUser(ConfigMaps("a")) == own; }));

  EXPECT_EQ(FlowFor("somebody-else", ConfigMaps("a")), other);
  EXPECT_EQ(FlowForUser(ConfigMaps()), other);
  EXPECT_EQ(FlowForUser("/api/v1/namespaces/default/configmaps/a"), other);
  EXPECT_EQ(FlowForUser("/api/v1/configmaps"), other);
  EXPECT_EQ(FlowForUser(Secrets("a")), other);
  EXPECT_EQ(FlowForUser(Secrets("a") + "/status"), own);
  EXPECT_EQ(FlowForUser("/version"), own);
  EXPECT_EQ(FlowForUser("/version/a"), own);
  EXPECT_EQ(FlowForUser("/versions"), other);
  EXPECT_EQ(FlowForUser("/a/b"), own);
  EXPECT_EQ(FlowForUser("/a"), other);
  EXPECT_EQ(FlowOf(AsUser("POST", "/version")), other);
}

TEST_F(FlowControlTest, IgnoresFlowSchemaWithoutPriorityLevel) {
  CreateSchema(R"({"subjects":[{"kind":"Group","group":{"name":")" + ns() +
               R"("}}],"nonResourceRules":[{"verbs":["*"],"nonResourceURLs":["*"]}]})");
  const auto flow = [&] { return FlowFor(User(), "/version", ns()); };
  EXPECT_TRUE(Eventually([&] {
    return Dangling(ns()) == "True NotFound: " + Reference() + " but there is no such object";
  }));
  EXPECT_EQ(flow(), "global-default global-default");

  CreateLevel();
  EXPECT_TRUE(Eventually(
      [&] { return Dangling(ns()) == "False Found: " + Reference() + " and it exists"; }));
  EXPECT_TRUE(Eventually([&] { return flow() == ns() + " " + ns(); }));

  EXPECT_EQ(Delete(Schemas(ns())).code, 200);
  EXPECT_TRUE(Eventually([&] { return flow() == "global-default global-default"; }));
}

}  // namespace
}  // namespace capstan::testing::apiserver::contract
