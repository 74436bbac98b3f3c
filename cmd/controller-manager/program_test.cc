// SPDX-License-Identifier: Apache-2.0
// Tests the program as operators use it: exit codes, errors in one line, and how it stops.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <optional>
#include <string>
#include <vector>

#include "capstan/api/lease.h"
#include "capstan/base64.h"
#include "capstan/client.h"
#include "capstan/clientcmd/config.h"
#include "capstan/httpserver/server.h"
#include "capstan/rest/client.h"
#include "capstan/testing/apiserver/server.h"
#include "capstan/testing/certificates.h"
#include "capstan/testing/eventually.h"
#include "cmd/controller-manager/app.h"

namespace capstan::cmd::controller_manager {
namespace {

using ::testing::ContainsRegex;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::StartsWith;

struct Output {
  int exit_code = -1;
  std::string text;
};

// Runs a shell command until it exits.
Output Shell(const std::string& command) {
  Output output;
  FILE* pipe = popen(command.c_str(), "r");
  if (pipe == nullptr) return output;
  for (int c = std::fgetc(pipe); c != EOF; c = std::fgetc(pipe)) {
    output.text += static_cast<char>(c);
  }
  output.exit_code = WEXITSTATUS(pclose(pipe));
  return output;
}

// Runs the program with `arguments` and returns its stderr (Stderr) or its stdout (Stdout).
Output Stderr(const std::string& arguments) {
  return Shell(std::string("HOME=/nonexistent timeout 30 ") + PROGRAM_PATH + " " + arguments +
               " 2>&1 >/dev/null");
}
Output Stdout(const std::string& arguments) {
  return Shell(std::string(PROGRAM_PATH) + " " + arguments + " 2>/dev/null");
}

std::size_t Lines(const std::string& text) {
  return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}

class TempFile {
 public:
  TempFile(const std::string& name, const std::string& text)
      : path_(::testing::TempDir() + "/" + std::to_string(getpid()) + "-" + name) {
    std::ofstream(path_) << text;
  }
  ~TempFile() { std::remove(path_.c_str()); }
  TempFile(const TempFile&) = delete;
  TempFile& operator=(const TempFile&) = delete;
  const std::string& path() const { return path_; }

 private:
  const std::string path_;
};

TEST(ProgramTest, PrintsHelpAndVersionToStdout) {
  const Output help = Stdout("--help");
  EXPECT_EQ(help.exit_code, 0);
  EXPECT_THAT(help.text, HasSubstr("Leader election flags:\n"));
  EXPECT_EQ(Stderr("--help").text, "");

  const Output version = Stdout("--version");
  EXPECT_EQ(version.exit_code, 0);
  EXPECT_THAT(version.text, ContainsRegex("^capstan-controller-manager 0\\.2\\.0 \\(.+\\)\n$"));
}

TEST(ProgramTest, ExitsWith1AfterInvalidInput) {
  const TempFile no_yaml("bad-kubeconfig", "clusters: [");
  struct Case {
    std::string arguments;
    std::string message;
  };
  const std::vector<Case> cases = {
      {"--no-such-flag", "unknown flag: --no-such-flag"},
      {"--feature-gates=NoSuch=true", "unrecognized feature gate: NoSuch"},
      {"--feature-gates=InformerResourceVersion=false", "feature is locked to true"},
      {"--leader-election-retry-period=soon", "expected a duration"},
      {"--kubeconfig=/nonexistent/config", "/nonexistent/config"},
      {"--kubeconfig=" + no_yaml.path(), no_yaml.path()},
      {"", "no configuration has been provided"},
  };
  for (const Case& c : cases) {
    const Output output = Stderr(c.arguments);
    EXPECT_EQ(output.exit_code, 1) << c.arguments;
    EXPECT_THAT(output.text, StartsWith("capstan-controller-manager: "));
    EXPECT_THAT(output.text, HasSubstr(c.message));
    EXPECT_EQ(Lines(output.text), 1U) << output.text;
  }
}

class ProgramWithServerTest : public ::testing::Test {
 protected:
  ProgramWithServerTest() {
    EXPECT_TRUE(server_.Start().has_value());
    kubeconfig_.emplace("kubeconfig", server_.Kubeconfig(""));
  }

  testing::apiserver::Server server_;
  std::optional<TempFile> kubeconfig_;
};

TEST_F(ProgramWithServerTest, ReportsAPortInUseInOneLine) {
  httpserver::Server taken({.name = "taken"}, [](const auto&, const auto&) {});
  ASSERT_TRUE(taken.Start().has_value());

  const Output output =
      Stderr("--kubeconfig=" + kubeconfig_->path() +
             " --metrics-listen-address=127.0.0.1:" + std::to_string(taken.port()));

  EXPECT_EQ(output.exit_code, 1);
  EXPECT_THAT(output.text, HasSubstr("address already in use"));
  EXPECT_EQ(Lines(output.text), 1U) << output.text;
}

TEST_F(ProgramWithServerTest, ExitsWithAnUntrustedCa) {
  std::string text = server_.Kubeconfig("");
  const std::string right = Base64Encode(server_.ca_pem());
  const std::size_t at = text.find(right);
  ASSERT_NE(at, std::string::npos);
  const auto other = testing::MakeCa({.common_name = "other"});
  text.replace(at, right.size(), Base64Encode(other->cert_pem));
  const TempFile kubeconfig("wrong-ca", text);

  const Output output = Stderr("--kubeconfig=" + kubeconfig.path() + " --metrics-listen-address=0");

  EXPECT_EQ(output.exit_code, 1);
  EXPECT_THAT(output.text, ContainsRegex("capstan-controller-manager: the API server https://.* is "
                                         "not trusted: .*failed to verify certificate"));
  EXPECT_THAT(output.text, EndsWith("\n"));
  EXPECT_EQ(server_.CountRequests({}), 0U);
}

TEST_F(ProgramWithServerTest, ReleasesTheLeaseAndExitsWith0AfterSigterm) {
  auto config = clientcmd::LoadConfig({.kubeconfig = kubeconfig_->path()});
  ASSERT_TRUE(config.has_value()) << config.error().message;
  config->user_agent = "observer";
  const auto client = rest::Client::New(*std::move(config));
  ASSERT_TRUE(client.has_value());
  const auto holder = [&]() -> std::string {
    const auto lease = Client<api::Lease>(**client).Get({}, {"kube-system", kLeaseName});
    return lease ? (*lease)->spec.holder_identity : lease.error().message;
  };
  const std::string flag = "--kubeconfig=" + kubeconfig_->path();
  const pid_t child = fork();  // the child must not allocate: another thread may have held the lock
  if (child == 0) {
    execl(PROGRAM_PATH, PROGRAM_PATH, flag.c_str(), "--metrics-listen-address=0", nullptr);
    std::_Exit(127);
  }
  std::array<char, 256> host{};
  gethostname(host.data(), host.size() - 1);
  EXPECT_TRUE(
      testing::Eventually([&] { return holder().starts_with(host.data() + std::string("_")); }));

  kill(child, SIGTERM);
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);

  EXPECT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 0);
  EXPECT_EQ(holder(), "");
  EXPECT_GT(
      server_.CountRequests(
          {.verb = "update", .resource = "leases", .user_agent = "capstan-controller-manager/"}),
      0U);
}

}  // namespace
}  // namespace capstan::cmd::controller_manager
