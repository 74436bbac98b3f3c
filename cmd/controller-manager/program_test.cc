// SPDX-License-Identifier: Apache-2.0
// Tests the program as operators use it: exit codes, errors in one line, and how it stops.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <string>
#include <vector>

#include "capstan/api/lease.h"
#include "capstan/base64.h"
#include "capstan/client.h"
#include "capstan/clientcmd/config.h"
#include "capstan/httpserver/server.h"
#include "capstan/rest/client.h"
#include "capstan/testing/certificates.h"
#include "capstan/testing/eventually.h"
#include "cmd/controller-manager/app.h"
#include "controllers/runtime/program/testing/program_fixture.h"

namespace capstan::cmd::controller_manager {
namespace {

using ::testing::ContainsRegex;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::StartsWith;

std::size_t Lines(const std::string& text) {
  return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}

TEST(ProgramTest, PrintsHelpAndVersionToStdout) {
  Process help(PROGRAM_PATH, {"--help"});
  EXPECT_EQ(help.ExitCode(), 0);
  EXPECT_THAT(help.Stdout(), HasSubstr("Leader election flags:\n"));
  EXPECT_EQ(help.Stderr(), "");

  Process version(PROGRAM_PATH, {"--version"});
  EXPECT_EQ(version.ExitCode(), 0);
  EXPECT_THAT(version.Stdout(), ContainsRegex("^capstan-controller-manager 0\\.2\\.0 \\(.+\\)\n$"));
}

TEST(ProgramTest, ExitsWith1AfterInvalidInput) {
  const testing::TempDir dir;
  const std::string no_yaml = dir.Write("bad-kubeconfig", "clusters: [");
  struct Case {
    std::vector<std::string> arguments;
    std::string message;
  };
  const std::vector<Case> cases = {
      {{"--no-such-flag"}, "unknown flag: --no-such-flag"},
      {{"--feature-gates=NoSuch=true"}, "unrecognized feature gate: NoSuch"},
      {{"--feature-gates=InformerResourceVersion=false"}, "feature is locked to true"},
      {{"--leader-election-retry-period=soon"}, "expected a duration"},
      {{"--kubeconfig=/nonexistent/config"}, "/nonexistent/config"},
      {{"--kubeconfig=" + no_yaml}, no_yaml},
      {{}, "no configuration has been provided"},
  };
  for (const Case& c : cases) {
    Process process(PROGRAM_PATH, c.arguments);
    EXPECT_EQ(process.ExitCode(), 1) << c.message;
    EXPECT_THAT(process.Stderr(), StartsWith("capstan-controller-manager: "));
    EXPECT_THAT(process.Stderr(), HasSubstr(c.message));
    EXPECT_EQ(Lines(process.Stderr()), 1U) << process.Stderr();
  }
}

using ProgramWithServerTest = ProgramFixture;

TEST_F(ProgramWithServerTest, ReportsAPortInUseInOneLine) {
  httpserver::Server taken({.name = "taken"}, [](const auto&, const auto&) {});
  ASSERT_TRUE(taken.Start().has_value());

  Process process(PROGRAM_PATH,
                  {"--kubeconfig=" + kubeconfig_,
                   "--metrics-listen-address=127.0.0.1:" + std::to_string(taken.port())});

  EXPECT_EQ(process.ExitCode(), 1);
  EXPECT_THAT(process.Stderr(), HasSubstr("address already in use"));
  EXPECT_EQ(Lines(process.Stderr()), 1U) << process.Stderr();
}

TEST_F(ProgramWithServerTest, ExitsWithAnUntrustedCa) {
  std::string text = server_.Kubeconfig("");
  const std::string right = Base64Encode(server_.ca_pem());
  const std::size_t at = text.find(right);
  ASSERT_NE(at, std::string::npos);
  const auto other = testing::MakeCa({.common_name = "other"});
  text.replace(at, right.size(), Base64Encode(other->cert_pem));

  Process process(PROGRAM_PATH,
                  {"--kubeconfig=" + dir_.Write("wrong-ca", text), "--metrics-listen-address=0"});

  EXPECT_EQ(process.ExitCode(), 1);
  EXPECT_THAT(process.Stderr(),
              ContainsRegex("capstan-controller-manager: the API server https://.* is "
                            "not trusted: .*failed to verify certificate"));
  EXPECT_THAT(process.Stderr(), EndsWith("\n"));
  EXPECT_EQ(server_.CountRequests({}), 0U);
}

TEST_F(ProgramWithServerTest, ReleasesTheLeaseAndExitsWith0AfterSigterm) {
  auto config = clientcmd::LoadConfig({.kubeconfig = kubeconfig_});
  ASSERT_TRUE(config.has_value()) << config.error().message;
  config->user_agent = "observer";
  const auto client = rest::Client::New(*std::move(config));
  ASSERT_TRUE(client.has_value());
  const auto holder = [&]() -> std::string {
    const auto lease = Client<api::Lease>(**client).Get({}, {"kube-system", kLeaseName});
    return lease ? (*lease)->spec.holder_identity : lease.error().message;
  };
  Process process(PROGRAM_PATH, With({}));
  std::array<char, 256> host{};
  gethostname(host.data(), host.size() - 1);
  EXPECT_TRUE(
      testing::Eventually([&] { return holder().starts_with(host.data() + std::string("_")); }));

  process.Signal(SIGTERM);

  EXPECT_EQ(process.ExitCode(), 0);
  EXPECT_EQ(holder(), "");
  EXPECT_GT(
      server_.CountRequests(
          {.verb = "update", .resource = "leases", .user_agent = "capstan-controller-manager/"}),
      0U);
}

}  // namespace
}  // namespace capstan::cmd::controller_manager
