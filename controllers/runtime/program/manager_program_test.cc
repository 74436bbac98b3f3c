// SPDX-License-Identifier: Apache-2.0
// Runs testing/example_manager.cc on the embedded API server.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <charconv>
#include <csignal>
#include <memory>

#include "capstan/file.h"
#include "capstan/manager_program.h"
#include "capstan/testing/eventually.h"
#include "capstan/testing/temp_dir.h"
#include "controllers/runtime/program/testing/program_fixture.h"
#include "controllers/runtime/webhook/testing/webhook_client.h"

namespace capstan {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

class ManagerProgramTest : public ProgramFixture {
 protected:
  // Waits for a ConfigMap that the program reconciles.
  void AwaitReconciled(const Process& program, const std::string& line) {
    ASSERT_TRUE(server_
                    .CreateObjects({R"({"apiVersion":"v1","kind":"ConfigMap",)"
                                    R"("metadata":{"namespace":"ns","name":"a"}})"})
                    .has_value());
    EXPECT_TRUE(program.EventuallyLogs(line)) << program.Stderr();
  }
};

TEST_F(ManagerProgramTest, ReconcilesAsLeaderUntilItIsStopped) {
  Process program(EXAMPLE_MANAGER_PATH, With({"--leader-election-namespace=kube-system"}));
  ASSERT_TRUE(program.EventuallyLogs("Successfully acquired lease")) << program.Stderr();

  AwaitReconciled(program, "Reconciled ns/a");

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

TEST_F(ManagerProgramTest, ListsWithoutTheGateWatchListClient) {
  const auto lists = [&] {
    return server_.CountRequests({.verb = "list", .resource = "configmaps"});
  };
  {
    const Process program(EXAMPLE_MANAGER_PATH, With({"--leader-elect=false"}));
    EXPECT_TRUE(program.EventuallyLogs("Starting workers")) << program.Stderr();
    EXPECT_EQ(lists(), 0U);
  }
  const Process program(EXAMPLE_MANAGER_PATH,
                        With({"--leader-elect=false", "--feature-gates=WatchListClient=false"}));
  EXPECT_TRUE(program.EventuallyLogs("Starting workers")) << program.Stderr();
  EXPECT_EQ(lists(), 1U);
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

TEST_F(ManagerProgramTest, HasItsOwnFlags) {
  Process program(EXAMPLE_MANAGER_PATH, With({"--leader-elect=false", "--verb=Saw"}));

  AwaitReconciled(program, "Saw ns/a");

  EXPECT_THAT(program.Get("/flagz"), HasSubstr("--verb=Saw\n"));
}

TEST_F(ManagerProgramTest, ConfiguresItsManagerByItsFlags) {
  ASSERT_TRUE(server_
                  .CreateObjects({R"({"apiVersion":"v1","kind":"ConfigMap",)"
                                  R"("metadata":{"namespace":"other","name":"a"}})"})
                  .has_value());
  Process program(EXAMPLE_MANAGER_PATH,
                  With({"--leader-election-namespace=kube-system", "--namespaces=ns"}));

  AwaitReconciled(program, "Reconciled ns/a");

  EXPECT_THAT(program.Stderr(), ::testing::Not(HasSubstr("other/a")));
  program.Signal(SIGTERM);
  EXPECT_EQ(program.ExitCode(), 0) << program.Stderr();
}

TEST_F(ManagerProgramTest, EndsWhenItsFlagsCannotBeUsed) {
  Process program(EXAMPLE_MANAGER_PATH, With({"--leader-elect=false", "--verb="}));

  EXPECT_EQ(program.ExitCode(), 1);
  EXPECT_EQ(program.Stderr(), "example-manager: --verb is empty\n");
  EXPECT_EQ(server_.CountRequests({}), 0U);
}

TEST_F(ManagerProgramTest, HasItsOwnMetrics) {
  const Process program(EXAMPLE_MANAGER_PATH, With({"--leader-elect=false"}));

  AwaitReconciled(program, "Reconciled ns/a");

  EXPECT_THAT(program.Get("/metrics"), HasSubstr("example_reconciled_total{namespace=\"ns\"} 1"));
}

TEST_F(ManagerProgramTest, ServesItsWebhooksWithTheCertificateOfItsFlags) {
  const webhook::ServingCertificate certificate;
  certificate.files().Write("my.crt", ReadFile(certificate.dir() + "tls.crt").value());
  const std::vector<std::string> flags = {
      "--leader-elect=false",       "--webhooks",
      "--webhook-port=0",           "--webhook-cert-path=" + certificate.dir(),
      "--webhook-cert-name=my.crt", "--webhook-cert-key=tls.key"};
  Process program(EXAMPLE_MANAGER_PATH, With(flags));
  const std::string line = "Serving webhooks\" host=\"127.0.0.1\" port=";
  ASSERT_TRUE(program.EventuallyLogs(line)) << program.Stderr();
  const std::string log = program.Stderr();
  const std::size_t at = log.find(line) + line.size();
  std::uint16_t port = 0;
  std::from_chars(log.data() + at, log.data() + log.size(), port);

  const webhook::Response response(
      webhook::ApiServer(port, certificate.ca().cert_pem)
          .Post("/validate-x-io-v1-foo",
                webhook::Review("CREATE",
                                R"("object":{"apiVersion":"x.io/v1","kind":"Foo","metadata":{}})"))
          .body);

  EXPECT_TRUE(response.allowed);
  EXPECT_TRUE(testing::Eventually(
      [&] { return program.Get("/readyz?verbose").find("[+]webhook ok") != std::string::npos; }));
  program.Signal(SIGTERM);
  EXPECT_EQ(program.ExitCode(), 0) << program.Stderr();
}

TEST_F(ManagerProgramTest, NamesTheMissingCertificateOfItsWebhooks) {
  Process program(EXAMPLE_MANAGER_PATH, With({"--leader-elect=false", "--webhooks",
                                              "--webhook-port=0", "--webhook-cert-path=/none"}));

  EXPECT_EQ(program.ExitCode(), 1);
  EXPECT_EQ(program.Stderr(),
            "example-manager: webhook server: TLS certificate: open /none/tls.crt: No such file or "
            "directory; mount the certificate there, or set --webhook-cert-path "
            "(ServerOptions::cert_dir)\n");
}

TEST_F(ManagerProgramTest, NamesAWebhookPortInUseBeforeTheFirstRequest) {
  const webhook::ServingCertificate certificate;
  Process program(EXAMPLE_MANAGER_PATH, With({"--leader-election-namespace=ns", "--webhooks",
                                              "--webhook-port=" + std::to_string(server_.port()),
                                              "--webhook-cert-path=" + certificate.dir()}));

  EXPECT_EQ(program.ExitCode(), 1);
  EXPECT_THAT(program.Stderr(), HasSubstr("webhook server: cannot listen on "));
  EXPECT_EQ(server_.CountRequests({}), 0U);
}

TEST_F(ManagerProgramTest, RejectsAnInvalidWebhookPort) {
  Process program(EXAMPLE_MANAGER_PATH, With({"--leader-elect=false", "--webhook-port=65536"}));

  EXPECT_EQ(program.ExitCode(), 1);
  EXPECT_THAT(program.Stderr(), HasSubstr("--webhook-port"));
}

TEST_F(ManagerProgramTest, HelpListsItsOwnFlagsFirst) {
  Process program(EXAMPLE_MANAGER_PATH, {"--help"});

  EXPECT_EQ(program.ExitCode(), 0);
  EXPECT_THAT(program.Stdout(), StartsWith(R"(example-manager logs ConfigMaps.

Usage:
  example-manager [flags]

Example flags:

      --verb string
                The first word of each log line. (default "Reconciled")
      --namespaces strings
                The namespaces of the ConfigMaps. Empty: all.
      --webhooks
                Validate objects of the kind Foo.

Generic flags:
)"));
  EXPECT_THAT(program.Stdout(), HasSubstr(R"(
      --leader-election-retry-period duration
                Time between two attempts to acquire or renew the Lease. (default 2s)
)"));
}

TEST_F(ManagerProgramTest, HasItsOwnVersion) {
  Process version(EXAMPLE_MANAGER_PATH, {"--version"});
  EXPECT_EQ(version.ExitCode(), 0);
  EXPECT_EQ(version.Stdout(), "example-manager 1.2.3\n");

  const Process program(EXAMPLE_MANAGER_PATH, With({"--leader-elect=false"}));
  EXPECT_THAT(program.Get("/metrics"), HasSubstr("git_version=\"1.2.3\""));
  EXPECT_THAT(program.Get("/statusz?format=json"), HasSubstr("\"1.2.3\""));
}

TEST_F(ManagerProgramTest, PrintsItsCrdsWithoutACluster) {
  Process program(EXAMPLE_MANAGER_PATH, {"--print-crds", "--kubeconfig=/nonexistent"});

  EXPECT_EQ(program.ExitCode(), 0);
  EXPECT_EQ(program.Stderr(), "");
  std::vector<std::string> crds;
  const std::string out = program.Stdout();
  for (std::size_t begin = 0; begin < out.size();) {
    const std::size_t end = out.find('\n', begin);
    crds.push_back(out.substr(begin, end - begin));
    begin = end + 1;
  }
  ASSERT_EQ(crds.size(), 2U);
  EXPECT_THAT(crds[1], HasSubstr("\"bars.x.io\""));
  EXPECT_TRUE(server_.CreateObjects(crds).has_value());
}

TEST_F(ManagerProgramTest, PrintsItsRightsAndWebhooksWithoutACluster) {
  Process program(EXAMPLE_MANAGER_PATH, {"--print-rbac", "--print-webhooks"});

  EXPECT_EQ(program.ExitCode(), 0);
  EXPECT_EQ(program.Stderr(), "");
  EXPECT_THAT(program.Stdout(), HasSubstr("resources: [configmaps]\n    verbs: [list, watch]\n"));
  EXPECT_THAT(program.Stdout(), HasSubstr("resourceNames: [example-manager]"));
  EXPECT_THAT(program.Stdout(), HasSubstr("path: /validate-x-io-v1-foo\n"));
}

// set_up may return what a builder returns, and take the metrics or not.
TEST(SetUpTest, TakesFunctionsWithDifferentArgumentsAndResults) {
  const auto manager = Manager::New({.host = "http://127.0.0.1:1"}, {.name = "t"});
  ASSERT_TRUE(manager.has_value()) << manager.error().message;
  metrics::Metrics metrics({});
  int number = 0;
  const capstan::SetUp nothing;
  const capstan::SetUp fails = [](Manager&) { return Err(ErrorReason::kInvalid, "no"); };
  const capstan::SetUp returns_void = [](Manager&) -> Expected<void> { return {}; };
  const capstan::SetUp returns_pointer = [&](Manager&) -> Expected<int*> { return &number; };
  const capstan::SetUp fails_with_pointer = [](Manager&) -> Expected<int*> {
    return Err(ErrorReason::kInvalid, "no pointer");
  };
  const capstan::SetUp takes_metrics = [&](Manager&, metrics::Metrics& given) -> Expected<void> {
    number = &given == &metrics ? 1 : 2;
    return {};
  };

  EXPECT_FALSE(nothing);
  EXPECT_TRUE(fails);
  EXPECT_EQ(fails(**manager, metrics).error().message, "no");
  EXPECT_TRUE(returns_void(**manager, metrics).has_value());
  EXPECT_TRUE(returns_pointer(**manager, metrics).has_value());
  EXPECT_EQ(fails_with_pointer(**manager, metrics).error().message, "no pointer");
  EXPECT_TRUE(takes_metrics(**manager, metrics).has_value());
  EXPECT_EQ(number, 1);
}

}  // namespace
}  // namespace capstan
