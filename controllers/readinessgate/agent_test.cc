// SPDX-License-Identifier: Apache-2.0
// The agent as a whole against the embedded API server, which counts what is asked of it.
#include "controllers/readinessgate/agent.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "apiserver/api_client_testing.h"
#include "apiserver/server.h"
#include "clientgo/util/thread.h"
#include "controllers/readinessgate/agent_fakes_for_test.h"

namespace controllers::readinessgate {
namespace {

using namespace std::chrono_literals;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr char kPods[] = "/api/v1/namespaces/ns/pods";
constexpr char kSets[] = "/api/v1/namespaces/ns/configmaps";

// An agent that runs until it is destroyed.
struct RunningAgent {
  RunningAgent(clientgo::rest::Client& client, AgentOptions options)
      : agent({.client = client, .events = events, .metrics = metrics}, std::move(options)),
        thread(clientgo::util::StartThread("agent", [this](std::stop_token stop) {
          EXPECT_TRUE(agent.Start(std::move(stop)).has_value());
        })) {}

  EventLog events;
  metrics::Metrics metrics{{.version = "0", .commit = "0"}};
  Agent agent;
  std::jthread thread;
};

class AgentTest : public ::testing::Test {
 protected:
  AgentTest() {
    EXPECT_TRUE(server_.Start().has_value());
    EXPECT_TRUE(server_
                    .CreateObjects({R"({"apiVersion":"v1","kind":"Namespace",)"
                                    R"("metadata":{"name":"ns"}})"})
                    .has_value());
    client_ = clientgo::rest::Client::New({.host = server_.url(), .user_agent = "agent"}).value();
    http_ = std::make_unique<apiserver::ApiClient>(server_.port());
  }

  static AgentOptions Gates(const std::vector<std::string>& specs) {
    AgentOptions options{.node_name = "a", .field_manager = "agent", .version = "1"};
    if (!specs.empty()) options.default_gates = ParseGateSet("", specs).value();
    return options;
  }
  // `more`: members of metadata.
  void CreatePod(const std::string& name, const std::string& more = "",
                 const std::string& driver = "csi.cert-manager.io", const std::string& node = "a") {
    const auto answer = http_->Post(
        kPods, R"({"metadata":{"name":")" + name + '"' + more + R"(},"spec":{"nodeName":")" + node +
                   R"(","containers":[{"name":"c","image":"i"}],"volumes":[{"name":"tls","csi":)" +
                   R"({"driver":")" + driver + R"(","readOnly":true}}]}})");
    ASSERT_EQ(answer.code, 201) << answer.body;
  }
  void Annotate(const std::string& name, const std::string& annotations) {
    const auto answer = http_->Patch(Path(name), "merge-patch+json",
                                     R"({"metadata":{"annotations":{)" + annotations + "}}}");
    ASSERT_EQ(answer.code, 200) << answer.body;
  }
  void Delete(const std::string& name) {
    ASSERT_EQ(http_->Delete(Path(name), R"({"gracePeriodSeconds":0})").code, 200);
  }
  void WriteSets(const std::string& data) {
    const std::string body = R"({"metadata":{"name":"sets"},"data":)" + data + "}";
    if (http_->Post(kSets, body).code == 409) {
      ASSERT_EQ(http_->Put(std::string(kSets) + "/sets", body).code, 200);
    }
  }
  static std::string Path(const std::string& name) { return std::string(kPods) + "/" + name; }
  std::string Annotation(const std::string& name, std::string_view key) {
    const auto answer = http_->Get(Path(name));
    const auto* annotations = clientgo::runtime::FindPath(answer.json, {"metadata", "annotations"});
    if (annotations == nullptr) return {};
    return std::string(clientgo::runtime::GetString(*annotations, key));
  }
  // As csi-driver's pod-annotation gate: any value that is not empty.
  bool IsOpen(const std::string& name) { return !Annotation(name, kReadyKey).empty(); }
  bool HasStatus(const std::string& name, const std::string& text) {
    return Annotation(name, kStatusKey).find(text) != std::string::npos;
  }
  // In real time: the agent's threads are its own.
  static bool Eventually(const std::function<bool()>& condition) {
    auto& clock = clientgo::util::Clock::Real();
    const auto deadline = clock.Now() + 20s;
    while (!condition()) {
      if (clock.Now() > deadline) return false;
      clock.SleepFor({}, 5ms);
    }
    return true;
  }
  std::uint64_t Patches() const {
    return server_.CountRequests({.verb = "patch", .resource = "pods"});
  }
  std::uint64_t AllRequests() const { return server_.CountRequests({.user_agent = "agent"}); }

  apiserver::Server server_{{.tls = false}};
  std::unique_ptr<clientgo::rest::Client> client_;
  std::unique_ptr<apiserver::ApiClient> http_;
};

TEST_F(AgentTest, OpensOnceTheGateIs) {
  CreatePod("p");
  RunningAgent agent(*client_, Gates({"pod-annotation:x"}));
  ASSERT_TRUE(Eventually([&] { return HasStatus("p", "Pending"); }));
  EXPECT_FALSE(IsOpen("p"));

  Annotate("p", R"("x":"y")");

  ASSERT_TRUE(Eventually([&] { return IsOpen("p"); }));
  EXPECT_THAT(Annotation("p", kReadyKey), StartsWith("v1."));
  EXPECT_TRUE(HasStatus("p", "Open")) << "in the same patch";
  EXPECT_TRUE(Eventually([&] { return agent.agent.Ready().has_value(); }));
  EXPECT_EQ(Patches(), 3U) << "one of them is the test's";
}

TEST_F(AgentTest, WithoutGatesNothingIsAsked) {
  CreatePod("p", R"(,"annotations":{"x":"y"})");
  server_.ResetRequests();
  {
    const RunningAgent agent(*client_, Gates({}));
    EXPECT_TRUE(agent.agent.Ready().has_value());
    clientgo::util::Clock::Real().SleepFor({}, 300ms);
  }

  EXPECT_EQ(AllRequests(), 0U);
}

TEST_F(AgentTest, EvaluationAsksNobody) {
  constexpr int kPodCount = 200;
  for (int i = 0; i < kPodCount; ++i) CreatePod("p" + std::to_string(i));
  RunningAgent agent(*client_,
                     Gates({"pod-annotation:x", "node-condition:Ready", "configmap:ns/c"}));
  const auto evaluations = [&] {
    const std::string text = agent.metrics.Serialize();
    const std::string line = "capstan_gate_evaluations_total{result=\"closed\"} ";
    const auto at = text.find(line);
    return at == std::string::npos ? 0 : std::stoi(text.substr(at + line.size()));
  };
  ASSERT_TRUE(Eventually([&] { return Patches() == kPodCount; }))
      << "each is told what it waits for";
  const auto before = AllRequests();
  const int first = evaluations();

  for (int i = 0; evaluations() < first + 10000; ++i) {
    ASSERT_LT(i, 100000);
    Annotate("p0", "\"other\":\"" + std::to_string(i) + "\"");  // wakes the loop
  }

  EXPECT_EQ(AllRequests(), before) << "10,000 evaluations and no request";
}

TEST_F(AgentTest, OtherPodsAreLeftAlone) {
  CreatePod("elsewhere", R"(,"annotations":{"x":"y"})", "csi.cert-manager.io", "b");
  CreatePod("other-driver", R"(,"annotations":{"x":"y"})", "disk.example.com");
  CreatePod("mirror", R"(,"annotations":{"x":"y","kubernetes.io/config.mirror":"h"})");
  CreatePod("finished", R"(,"annotations":{"x":"y"})");
  http_->Patch(Path("finished") + "/status", "merge-patch+json",
               R"({"status":{"phase":"Succeeded"}})");
  CreatePod("ours", R"(,"annotations":{"x":"y"})");

  const RunningAgent agent(*client_, Gates({"pod-annotation:x"}));

  ASSERT_TRUE(Eventually([&] { return IsOpen("ours"); }));
  for (const char* name : {"elsewhere", "other-driver", "mirror", "finished"}) {
    EXPECT_EQ(Annotation(name, kReadyKey) + Annotation(name, kStatusKey), "") << name;
  }
}

TEST_F(AgentTest, RestartWritesNothing) {
  CreatePod("open", R"(,"annotations":{"x":"y"})");
  CreatePod("closed");
  {
    const RunningAgent agent(*client_, Gates({"pod-annotation:x"}));
    ASSERT_TRUE(Eventually([&] { return IsOpen("open") && HasStatus("closed", "Pending"); }));
  }
  Annotate("open", R"("x":null)");  // its gate would be closed now
  const auto before = Patches();

  RunningAgent again(*client_, Gates({"pod-annotation:x"}));
  ASSERT_TRUE(Eventually([&] { return again.agent.Ready().has_value(); }));
  CreatePod("marker");
  ASSERT_TRUE(Eventually([&] { return HasStatus("marker", "Pending"); }));

  EXPECT_TRUE(IsOpen("open"));
  EXPECT_EQ(Patches(), before + 1) << "that of the marker";
}

TEST_F(AgentTest, SuccessorOfTheSameNameIsClosed) {
  CreatePod("p", R"(,"annotations":{"x":"y"})");
  const RunningAgent agent(*client_, Gates({"pod-annotation:x"}));
  ASSERT_TRUE(Eventually([&] { return IsOpen("p"); }));
  const std::string value = Annotation("p", kReadyKey);

  Delete("p");
  CreatePod("p", R"(,"annotations":{"readiness.capstan.dev/ready":")" + value + "\"}");

  EXPECT_TRUE(Eventually([&] { return !IsOpen("p") && HasStatus("p", "Pending"); }));
}

TEST_F(AgentTest, GateSetsAreReadAgainAndABadEditChangesNothing) {
  WriteSets(R"({"mesh":"pod-annotation:y\n"})");
  CreatePod("p", R"(,"annotations":{"readiness.capstan.dev/gate-set":"mesh","z":"1"})");
  AgentOptions options = Gates({});
  options.gate_sets = {.namespace_ = "ns", .name = "sets"};
  const RunningAgent agent(*client_, options);
  ASSERT_TRUE(Eventually([&] { return HasStatus("p", "pod-annotation:y"); }));

  WriteSets(R"({"mesh":"pod-anotation:z\n"})");
  ASSERT_TRUE(Eventually([&] { return !agent.events.events().empty(); }));
  EXPECT_THAT(agent.events.events(), Contains(HasSubstr("InvalidGateSets ConfigMap/sets")));
  EXPECT_FALSE(IsOpen("p"));
  EXPECT_TRUE(HasStatus("p", "pod-annotation:y")) << "the last good set stays";

  // Needs an annotation that was not cached so far.
  WriteSets(R"({"mesh":"pod-annotation:z\n"})");
  EXPECT_TRUE(Eventually([&] { return IsOpen("p"); }));
}

TEST_F(AgentTest, ConfigMapGateOpensWhenTheConfigMapComes) {
  CreatePod("p");
  const RunningAgent agent(*client_, Gates({"configmap:ns/bundle:ca.crt"}));
  ASSERT_TRUE(Eventually([&] { return HasStatus("p", "Pending"); }));

  http_->Post(kSets, R"({"metadata":{"name":"bundle"},"data":{"ca.crt":"pem"}})");

  EXPECT_TRUE(Eventually([&] { return IsOpen("p"); }));
  EXPECT_EQ(server_.CountRequests({.verb = "get", .resource = "configmaps", .user_agent = "agent"}),
            0U);
}

TEST_F(AgentTest, ConditionLeavesThoseOfOthersAlone) {
  CreatePod("p", R"(,"annotations":{"x":"y"})");
  http_->Patch(Path("p") + "/status", "strategic-merge-patch+json",
               R"({"status":{"conditions":[{"type":"Initialized","status":"True"}]}})");
  AgentOptions options = Gates({"pod-annotation:x"});
  options.outputs = {.annotation = true, .condition = true};
  const RunningAgent agent(*client_, options);

  ASSERT_TRUE(Eventually([&] {
    const std::string body = http_->Get(Path("p")).body;
    return body.find("readiness.capstan.dev/CertGates") != std::string::npos;
  }));
  EXPECT_THAT(http_->Get(Path("p")).body, HasSubstr("Initialized"));
  EXPECT_TRUE(IsOpen("p"));
}

TEST_F(AgentTest, WritesAgainAfterTheServerFailed) {
  server_.InjectFault({.match = {.verb = "patch", .resource = "pods"}, .code = 500, .count = 2});
  CreatePod("p", R"(,"annotations":{"x":"y"})");

  const RunningAgent agent(*client_, Gates({"pod-annotation:x"}));

  EXPECT_TRUE(Eventually([&] { return IsOpen("p"); }));
}

TEST_F(AgentTest, PatchWhoseAnswerIsLostIsNotWrittenTwice) {
  server_.InjectFault({.match = {.verb = "patch", .resource = "pods"},
                       .action = apiserver::FaultAction::kCut,
                       .bytes = 10});
  CreatePod("p", R"(,"annotations":{"x":"y"})");
  const RunningAgent agent(*client_, Gates({"pod-annotation:x"}));
  ASSERT_TRUE(Eventually([&] { return IsOpen("p"); }));

  CreatePod("marker", R"(,"annotations":{"x":"y"})");
  ASSERT_TRUE(Eventually([&] { return IsOpen("marker"); }));
  clientgo::util::Clock::Real().SleepFor({}, 600ms);  // longer than the first retry

  EXPECT_EQ(Patches(), 2U);
}

TEST_F(AgentTest, GoesOnAfterTheApiServerRestarted) {
  CreatePod("p");
  const RunningAgent agent(*client_, Gates({"pod-annotation:x"}));
  ASSERT_TRUE(Eventually([&] { return HasStatus("p", "Pending"); }));

  server_.Stop();
  ASSERT_TRUE(server_.Start().has_value());
  Annotate("p", R"("x":"y")");

  EXPECT_TRUE(Eventually([&] { return IsOpen("p"); }));
}

}  // namespace
}  // namespace controllers::readinessgate
