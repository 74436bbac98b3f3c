// SPDX-License-Identifier: Apache-2.0
// Runs testing/example_manager.cc on the embedded API server.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>

#include "capstan/program/testing/process.h"
#include "capstan/testing/apiserver/server.h"
#include "capstan/testing/temp_dir.h"

namespace capstan::program {
namespace {

using ::testing::HasSubstr;

class ManagerProgramTest : public ::testing::Test {
 protected:
  ManagerProgramTest() {
    EXPECT_TRUE(server_.Start().has_value());
    kubeconfig_ = dir_.Write("kubeconfig", server_.Kubeconfig(""));
  }
  std::vector<std::string> With(std::vector<std::string> more) const {
    more.push_back("--kubeconfig=" + kubeconfig_);
    more.emplace_back("--metrics-listen-address=127.0.0.1:0");
    return more;
  }

  const capstan::testing::TempDir dir_;
  capstan::testing::apiserver::Server server_;
  std::string kubeconfig_;
};

TEST_F(ManagerProgramTest, ReconcilesAsLeaderUntilItIsStopped) {
  Process program(EXAMPLE_MANAGER_PATH, With({"--leader-election-namespace=kube-system"}));
  ASSERT_TRUE(program.EventuallyLogs("Successfully acquired lease")) << program.Stderr();
  ASSERT_TRUE(server_
                  .CreateObjects({R"({"apiVersion":"v1","kind":"ConfigMap",)"
                                  R"("metadata":{"namespace":"ns","name":"a"}})"})
                  .has_value());

  EXPECT_TRUE(program.EventuallyLogs("Reconciled ns/a")) << program.Stderr();

  program.Signal(SIGTERM);
  EXPECT_EQ(program.ExitCode(), 0) << program.Stderr();
}

TEST_F(ManagerProgramTest, RunsWithoutElection) {
  Process program(EXAMPLE_MANAGER_PATH, With({"--leader-elect=false"}));

  EXPECT_TRUE(program.EventuallyLogs("Starting workers")) << program.Stderr();
  EXPECT_EQ(server_.CountRequests({.resource = "leases"}), 0U);
  program.Signal(SIGTERM);
  EXPECT_EQ(program.ExitCode(), 0);
}

TEST_F(ManagerProgramTest, NeedsANamespaceForTheLeaseOutsideACluster) {
  Process program(EXAMPLE_MANAGER_PATH, With({}));

  EXPECT_EQ(program.ExitCode(), 1);
  EXPECT_EQ(program.Stderr(),
            "example-manager: --leader-election-namespace is required outside a cluster; set it, "
            "or use --leader-elect=false\n");
}

TEST_F(ManagerProgramTest, RejectsUnknownFlag) {
  Process program(EXAMPLE_MANAGER_PATH, {"--leader-elekt"});

  EXPECT_EQ(program.ExitCode(), 1);
  EXPECT_THAT(program.Stderr(), HasSubstr("--leader-elekt"));
}

}  // namespace
}  // namespace capstan::program
