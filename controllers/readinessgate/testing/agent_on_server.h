// SPDX-License-Identifier: Apache-2.0
// AgentOnServer runs an agent against the embedded API server, which counts requests.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "clientgo/record/testing/event_lines.h"
#include "clientgo/testing/apiserver/testing/api_client.h"
#include "clientgo/testing/apiserver/testing/rest_fixture.h"
#include "controllers/readinessgate/agent.h"
#include "controllers/readinessgate/testing/fakes.h"
#include "controllers/runtime/testing/running.h"

namespace capstan::readinessgate {

inline constexpr char kPods[] = "/api/v1/namespaces/ns/pods";
inline constexpr char kSets[] = "/api/v1/namespaces/ns/configmaps";

// RunningAgent runs until it is destroyed.
struct RunningAgent {
  RunningAgent(rest::Client& client, AgentOptions options)
      : agent({.client = client, .events = events, .metrics = metrics}, std::move(options)) {}

  record::EventLines events;
  mutable metrics::Metrics metrics{{.version = "0", .commit = "0"}};
  Agent agent;
  RunningRunnable running{agent};
};

class AgentOnServer : public testing::apiserver::RestFixture {
 protected:
  AgentOnServer() : RestFixture({}, {.user_agent = "agent"}) {
    CreateNamespace("ns");
    http_ = std::make_unique<testing::apiserver::ApiClient>(server_.port());
  }

  static AgentOptions Gates(const std::vector<std::string>& specs) {
    AgentOptions options{.node_name = "a", .field_manager = "agent", .version = "1"};
    if (!specs.empty()) options.default_gates = ParseGateSet("", specs).value();
    return options;
  }
  // `more` are members of metadata.
  void CreatePod(const std::string& name, const std::string& more = "",
                 const std::string& driver = "csi.cert-manager.io", const std::string& node = "a",
                 const std::string& collection = kPods) {
    const auto answer = http_->Post(
        collection,
        R"({"metadata":{"name":")" + name + '"' + more + R"(},"spec":{"nodeName":")" + node +
            R"(","containers":[{"name":"c","image":"i"}],"volumes":[{"name":"tls","csi":)" +
            R"({"driver":")" + driver + R"(","readOnly":true}}]}})");
    ASSERT_EQ(answer.code, 201) << answer.body;
  }
  // Creates many pods in one step.
  void CreatePods(int count, const std::string& more = "") {
    std::vector<std::string> objects;
    for (int i = 0; i < count; ++i) {
      objects.push_back(
          R"({"apiVersion":"v1","kind":"Pod","metadata":{"namespace":"ns","name":"p)" +
          std::to_string(i) + '"' + more +
          R"(},"spec":{"nodeName":"a","containers":[{"name":"c","image":"i"}],)"
          R"("volumes":[{"name":"tls","csi":{"driver":"csi.cert-manager.io"}}]}})");
    }
    ASSERT_TRUE(server_.CreateObjects(std::move(objects)).has_value());
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
    const auto* annotations = runtime::FindPath(answer.json, {"metadata", "annotations"});
    if (annotations == nullptr) return {};
    return std::string(runtime::GetString(*annotations, key));
  }
  // Mirrors csi-driver's pod-annotation gate: any non-empty value opens.
  bool IsOpen(const std::string& name) { return !Annotation(name, kReadyKey).empty(); }
  bool HasStatus(const std::string& name, const std::string& text) {
    return Annotation(name, kStatusKey).find(text) != std::string::npos;
  }
  std::uint64_t Patches() const {
    return server_.CountRequests({.verb = "patch", .resource = "pods"});
  }
  std::uint64_t AllRequests() const { return server_.CountRequests({.user_agent = "agent"}); }

  std::unique_ptr<testing::apiserver::ApiClient> http_;
};

}  // namespace capstan::readinessgate
