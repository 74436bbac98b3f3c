// SPDX-License-Identifier: Apache-2.0
// The program from the outside: stopped while it writes, with few files and a full disk, and with
// the test in place of the broker.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "capstan/testing/eventually.h"
#include "clientgo/testing/apiserver/testing/api_client.h"
#include "controllers/readinessgate/testing/runtime_event_sender.h"
#include "controllers/runtime/program/testing/program_fixture.h"

namespace capstan::cmd::node_agent {
namespace {

using ::testing::HasSubstr;

class ProgramTest : public ProgramFixture {
 protected:
  ProgramTest() : ProgramFixture({.tls = false}) {
    http_.emplace(server_.port());
    CreatePod("p");
  }

  void CreatePod(const std::string& name) {
    EXPECT_TRUE(server_
                    .CreateObjects(
                        {R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":")" + name +
                         R"(","namespace":"ns","annotations":{"x":"y"}},"spec":{)"
                         R"("nodeName":"a","containers":[{"name":"c","image":"i"}],)"
                         R"("volumes":[{"name":"tls","csi":{"driver":"csi.cert-manager.io"}}]}})"})
                    .has_value());
  }
  std::vector<std::string> Arguments(const std::vector<std::string>& more) const {
    std::vector<std::string> arguments =
        With({"--node-id=a", "--pod-readiness-gate=pod-annotation:x",
              "--runtime-events-socket=" + socket_});
    arguments.insert(arguments.end(), more.begin(), more.end());
    return arguments;
  }
  std::unique_ptr<Process> Start(const std::vector<std::string>& more = {}) const {
    return std::make_unique<Process>(PROGRAM_PATH, Arguments(more));
  }
  // Starts the program from a shell that runs `before` first. `redirected` ends the command line.
  std::unique_ptr<Process> StartInShell(const std::string& before,
                                        const std::string& redirected = "") const {
    std::string line = before + "; exec " + PROGRAM_PATH;
    for (const std::string& argument : Arguments({})) line += " '" + argument + "'";
    return std::make_unique<Process>("/bin/sh",
                                     std::vector<std::string>{"-c", line + " " + redirected});
  }
  // Mirrors csi-driver's pod-annotation gate.
  bool IsOpen(const std::string& name) {
    const std::string body = http_->Get("/api/v1/namespaces/ns/pods/" + name).body;
    return body.find(R"("readiness.capstan.dev/ready":"v1.)") != std::string::npos;
  }

  std::optional<testing::apiserver::ApiClient> http_;
  const std::string socket_ = dir_.Path("events.sock");
};

TEST_F(ProgramTest, SigtermEndsPatchAndTheNextRunWritesIt) {
  server_.InjectFault({.match = {.verb = "patch", .resource = "pods"},
                       .action = testing::apiserver::FaultAction::kHang,
                       .count = -1});
  const auto agent = Start();
  ASSERT_TRUE(testing::Eventually([&] {
    return server_.CountRequests({.verb = "patch", .resource = "pods"}) > 0;
  })) << agent->Stderr();

  agent->Signal(SIGTERM);

  EXPECT_EQ(agent->ExitCode(), 0) << agent->Stderr();
  EXPECT_FALSE(IsOpen("p"));
  server_.ClearFaults();
  const auto next = Start();
  EXPECT_TRUE(testing::Eventually([&] { return IsOpen("p"); })) << next->Stderr();
}

TEST_F(ProgramTest, ReceivesRuntimeEventsAndRemovesSocketWhenFeatureIsOn) {
  const auto agent = Start({"--feature-gates=CRIContainerEvents=true"});
  ASSERT_TRUE(testing::Eventually([&] { return IsOpen("p"); })) << agent->Stderr();
  ASSERT_EQ(access(socket_.c_str(), F_OK), 0);

  const readinessgate::RuntimeEventSender broker(socket_);
  EXPECT_TRUE(broker.Send(readinessgate::RuntimeEventType::kStreamUp));
  EXPECT_TRUE(broker.Send(readinessgate::RuntimeEventType::kDeleted));

  EXPECT_TRUE(testing::Eventually([&] {
    const std::string metrics = agent->Get("/metrics");
    const std::string events = "\ncapstan_cri_events_total{type=";
    return metrics.find(events + "\"deleted\"} 1\n") != std::string::npos &&
           metrics.find(events + "\"heartbeat\"} 1\n") != std::string::npos;
  })) << agent->Stderr();
  agent->Signal(SIGTERM);
  EXPECT_EQ(agent->ExitCode(), 0) << agent->Stderr();
  EXPECT_NE(access(socket_.c_str(), F_OK), 0);
}

TEST_F(ProgramTest, OpensNoSocketWhenFeatureIsOff) {
  const auto agent = Start();

  ASSERT_TRUE(testing::Eventually([&] { return IsOpen("p"); })) << agent->Stderr();

  EXPECT_NE(access(socket_.c_str(), F_OK), 0);
}

TEST_F(ProgramTest, InvalidSocketPathIsOneErrorLine) {
  Process agent(PROGRAM_PATH, Arguments({"--feature-gates=CRIContainerEvents=true",
                                         "--runtime-events-socket=/nonexistent/socket"}));

  EXPECT_EQ(agent.ExitCode(), 1);
  EXPECT_THAT(agent.Stderr(), HasSubstr("/nonexistent/socket"));
}

TEST_F(ProgramTest, RunsWith64OpenFiles) {
  const auto agent = StartInShell("ulimit -n 64");

  EXPECT_TRUE(testing::Eventually([&] { return IsOpen("p"); })) << agent->Stderr();
  agent->Signal(SIGTERM);
  EXPECT_EQ(agent->ExitCode(), 0) << agent->Stderr();
}

TEST_F(ProgramTest, RunsWhenDiskOfItsLogIsFull) {
  const auto agent = StartInShell(":", "2>/dev/full");

  EXPECT_TRUE(testing::Eventually([&] { return IsOpen("p"); }));
  agent->Signal(SIGTERM);
  EXPECT_EQ(agent->ExitCode(), 0);
}

}  // namespace
}  // namespace capstan::cmd::node_agent
