// SPDX-License-Identifier: Apache-2.0
// Tests the program with an operator's arguments, file and log format, and each way in which it
// ends.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidjson/document.h>

#include <regex>
#include <set>
#include <sstream>

#include "capstan/testing/certificates.h"
#include "clientgo/httpserver/testing/tls_client.h"
#include "controllers/runtime/program/testing/program_fixture.h"

namespace capstan::cmd::controller_manager {
namespace {

using ::testing::AllOf;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr char kToken[] = "s3cret-token";

class RunTest : public ProgramFixture {
 protected:
  RunTest() : ProgramFixture({.tokens = {{kToken, "admin"}}}, kToken) {}
  // Returns a kubeconfig with a server that nobody listens on.
  std::string Nowhere() const {
    return dir_.Write("nowhere",
                      "current-context: c\ncontexts: [{name: c, context: {cluster: k}}]\n"
                      "clusters: [{name: k, cluster: {server: \"https://127.0.0.1:1\"}}]\n");
  }
};

// Parses each line as JSON. Fails for a line that is not an object or has a key twice.
std::vector<rapidjson::Document> JsonLines(const std::string& text) {
  std::vector<rapidjson::Document> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) {
    rapidjson::Document document;
    document.Parse(line.data(), line.size());
    EXPECT_TRUE(!document.HasParseError() && document.IsObject()) << line;
    if (document.HasParseError() || !document.IsObject()) continue;
    std::set<std::string> keys;
    for (rapidjson::SizeType i = 0; i < document.MemberCount(); ++i) {
      const auto member = document.MemberBegin() + i;
      EXPECT_TRUE(keys.insert(member->name.GetString()).second) << line;
    }
    for (const char* key : {"ts", "severity", "caller", "msg"}) {
      EXPECT_TRUE(document.HasMember(key)) << line;
    }
    lines.push_back(std::move(document));
  }
  return lines;
}

TEST_F(RunTest, StartsWithTheArgumentsOfAnUpstreamDeployment) {
  Process process(PROGRAM_PATH,
                  With({"--v=2", "--leader-election-namespace=kube-system",
                        "--leader-election-lease-duration=60s", "--enable-profiling",
                        "--enable-certificates-data-source=false", "--logtostderr=false",
                        "--feature-gates=ServerSideApply=true", "--field-ownership=detach"}));

  ASSERT_TRUE(process.EventuallyLogs("Successfully acquired lease")) << process.Stderr();
  process.Signal(SIGTERM);

  EXPECT_EQ(process.ExitCode(), 0);
  EXPECT_THAT(process.Stderr(),
              AllOf(ContainsRegex("W[^\n]*\"Flag has no effect\" flag=\"--enable-profiling\""),
                    ContainsRegex("W[^\n]*\"Flag has no effect\" flag=\"--logtostderr\""),
                    Not(HasSubstr("flag=\"--v\"")), Not(HasSubstr("--field-ownership"))));
}

TEST_F(RunTest, LogsOnceThatTheNarrowerGateForSecretsWins) {
  Process process(PROGRAM_PATH, With({"--leader-elect=false",
                                      "--feature-gates=ReferencedSecretsOnly=true,"
                                      "SecretsFilteredCaching=true"}));
  ASSERT_TRUE(process.EventuallyLogs("Starting workers")) << process.Stderr();
  process.Signal(SIGTERM);

  EXPECT_EQ(process.ExitCode(), 0);
  const std::string log = process.Stderr();
  const std::size_t logged =
      log.find("\"Feature gate has no effect\" gate=\"SecretsFilteredCaching\"");
  ASSERT_NE(logged, std::string::npos) << log;
  EXPECT_EQ(log.find("SecretsFilteredCaching\"", logged + 60), std::string::npos) << log;
  EXPECT_EQ(server_.CountRequests({.verb = "list", .resource = "secrets"}) +
                server_.CountRequests({.verb = "watch", .resource = "secrets"}),
            0U);
}

TEST_F(RunTest, StartsWithAConfigurationFile) {
  const std::string config = dir_.Write("config.yaml",
                                        "apiVersion: cainjector.config.cert-manager.io/v1alpha1\n"
                                        "kind: CAInjectorConfiguration\n"
                                        "kubeConfig: kubeconfig\n"
                                        "metricsListenAddress: \"0\"\n"
                                        "namespace: only\n"
                                        "leaderElectionConfig: {enabled: false}\n"
                                        "logging: {format: json}\n");
  Process process(PROGRAM_PATH, {"--config=" + config});

  ASSERT_TRUE(process.EventuallyLogs("\"namespaces\":\"only\"")) << process.Stderr();
  process.Signal(SIGTERM);

  EXPECT_EQ(process.ExitCode(), 0);
  EXPECT_THAT(JsonLines(process.Stderr()), Not(::testing::IsEmpty()));
}

TEST_F(RunTest, LogsJsonWhenConfigured) {
  Process process(PROGRAM_PATH, With({"--logging-format=json", "-v=6", "--log-dir=/tmp"}));

  ASSERT_TRUE(process.EventuallyLogs("Successfully acquired lease")) << process.Stderr();
  process.Signal(SIGTERM);

  EXPECT_EQ(process.ExitCode(), 0);
  const auto lines = JsonLines(process.Stderr());
  std::set<std::string> messages;
  for (const auto& line : lines) messages.insert(line["msg"].GetString());
  EXPECT_THAT(messages, ::testing::IsSupersetOf(
                            {"Starting", "Feature gates", "Stopped", "Flag has no effect"}));
  // -v=6 logs every request, but never its credentials.
  EXPECT_THAT(process.Stderr(),
              ContainsRegex("\"msg\":\"Response\",\"verb\":\"GET\",\"url\":\"https://[^\"]*/leases/"
                            "[^\"]*\",\"status\":\"[0-9]+\",\"milliseconds\":[0-9]+}"));
  EXPECT_THAT(process.Stderr(), Not(HasSubstr(kToken)));
}

TEST_F(RunTest, LogsAFailureAsJson) {
  Process process(PROGRAM_PATH, {"--logging-format=json", "--kubeconfig=/nonexistent/\"config\""});

  EXPECT_EQ(process.ExitCode(), 1);
  const auto lines = JsonLines(process.Stderr());
  ASSERT_EQ(lines.size(), 1U);
  EXPECT_STREQ(lines[0]["severity"].GetString(), "ERROR");
  EXPECT_THAT(lines[0]["err"].GetString(), HasSubstr("/nonexistent/\"config\""));
}

TEST_F(RunTest, ServesMetricsOverTls) {
  const auto ca = testing::MakeCa({.common_name = "ca"}).value();
  const auto pair = testing::MakeLocalhostCertificate(ca).value();
  Process process(PROGRAM_PATH,
                  {"--kubeconfig=" + kubeconfig_, "--metrics-listen-address=127.0.0.1:0",
                   "--metrics-tls-cert-file=" + dir_.Write("tls.crt", pair.cert_pem),
                   "--metrics-tls-private-key-file=" + dir_.Write("tls.key", pair.key_pem),
                   "--metrics-tls-min-version=VersionTLS13"});
  ASSERT_TRUE(process.EventuallyLogs("\"Serving\"")) << process.Stderr();
  const std::string log = process.Stderr();
  std::smatch port;
  ASSERT_TRUE(std::regex_search(log, port, std::regex("\"Serving\".* port=([0-9]+) tls=true")))
      << log;

  httpserver::TlsClient client(static_cast<std::uint16_t>(std::stoi(port[1])));

  EXPECT_EQ(client.Version(), "TLSv1.3");
  EXPECT_THAT(client.Get("/metrics"), HasSubstr("process_resident_memory_bytes"));
}

TEST_F(RunTest, ExitsWith124WhenACacheMakesNoProgress) {
  Process process(PROGRAM_PATH, {"--kubeconfig=" + Nowhere(), "--metrics-listen-address=0",
                                 "--leader-elect=false", "--cache-sync-timeout=200ms",
                                 "--exit-on-cache-sync-timeout"});

  EXPECT_EQ(process.ExitCode(), 124);
  EXPECT_THAT(process.Stderr(), HasSubstr("capstan-controller-manager: failed to wait for"));
}

TEST_F(RunTest, ExitsWith130AfterASecondSignal) {
  Process process(PROGRAM_PATH, With({}));
  ASSERT_TRUE(process.EventuallyLogs("Successfully acquired lease")) << process.Stderr();

  // Both signals are pending before the first one is handled.
  process.Signal(SIGSTOP);
  process.Signal(SIGINT);
  process.Signal(SIGTERM);
  process.Signal(SIGCONT);

  EXPECT_EQ(process.ExitCode(), 130);
}

}  // namespace
}  // namespace capstan::cmd::controller_manager
