// SPDX-License-Identifier: Apache-2.0
// The plugins are shell scripts. Each execution adds a line to the file "runs".
#include "clientgo/auth/exec_plugin.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <optional>
#include <utility>
#include <vector>

#include "capstan/runtime/json_writer.h"
#include "capstan/testing/certificates.h"
#include "capstan/testing/fake_clock.h"
#include "capstan/testing/temp_dir.h"
#include "capstan/time.h"

namespace capstan::auth {
namespace {

using std::chrono::milliseconds;
using std::chrono::minutes;
using ::testing::AllOf;
using ::testing::Each;
using ::testing::HasSubstr;
using ::testing::Not;

const char kVersion[] = "client.authentication.k8s.io/v1";

std::string PluginOutput(const std::string& status) {
  return std::string(R"({"apiVersion":")") + kVersion + R"(","kind":"ExecCredential","status":)" +
         status + "}";
}
std::string Token(const std::string& token) {
  return PluginOutput(R"({"token":")" + token + R"("})");
}

class RecordingMetrics final : public MetricsProvider {
 public:
  void OnExecPluginCall(int code, std::string_view call_status) override {
    MutexLock lock(mu_);
    last_call_ = std::to_string(code) + " " + std::string(call_status);
  }
  void SetClientCertificateExpiry(const void*,
                                  std::optional<std::chrono::sys_seconds> expiry) override {
    MutexLock lock(mu_);
    expiry_ = expiry;
  }
  void OnClientCertificateRotation(std::chrono::seconds age) override {
    MutexLock lock(mu_);
    ages_.push_back(age);
  }
  std::string last_call() const {
    MutexLock lock(mu_);
    return last_call_;
  }
  std::optional<std::chrono::sys_seconds> expiry() const {
    MutexLock lock(mu_);
    return expiry_;
  }
  std::vector<std::chrono::seconds> ages() const {
    MutexLock lock(mu_);
    return ages_;
  }

 private:
  mutable Mutex mu_;
  std::string last_call_ CAPSTAN_GUARDED_BY(mu_);
  std::optional<std::chrono::sys_seconds> expiry_ CAPSTAN_GUARDED_BY(mu_);
  std::vector<std::chrono::seconds> ages_ CAPSTAN_GUARDED_BY(mu_);
};

class ExecPluginTest : public ::testing::Test {
 protected:
  std::string Script(const std::string& name, const std::string& body) {
    std::string path =
        dir_.Write(name, "#!/bin/sh\necho run >> " + dir_.Path("runs") + "\n" + body + "\n");
    std::filesystem::permissions(path, std::filesystem::perms::owner_all);
    return path;
  }
  // Starts a plugin that prints the file "output".
  void StartPlugin() { StartPlugin("cat " + dir_.Path("output")); }
  void StartPlugin(const std::string& body, milliseconds timeout = minutes(1)) {
    plugin_.emplace(
        ExecConfig{
            .api_version = kVersion, .command = Script("plugin", body), .origin = "user \"u\""},
        ExecPlugin::Options{.clock = clock_, .timeout = timeout, .metrics = &metrics_});
  }
  void SetOutput(const std::string& output) { dir_.Write("output", output); }
  std::string Expiring(const std::string& token, Clock::Duration in) {
    return PluginOutput(
        R"({"token":")" + token + R"(","expirationTimestamp":")" +
        FormatTime(
            ToTime(clock_.WallNow() + std::chrono::duration_cast<std::chrono::microseconds>(in))) +
        R"("})");
  }
  // Returns the Authorization header, or the error.
  std::string Sent() {
    const auto current = plugin_->Current({});
    return current ? (*current)->authorization : current.error().message;
  }
  int Runs() const {
    std::ifstream file(dir_.Path("runs"));
    return static_cast<int>(std::count(std::istreambuf_iterator<char>(file), {}, '\n'));
  }

  const testing::TempDir dir_;
  testing::FakeClock clock_;
  RecordingMetrics metrics_;
  std::optional<ExecPlugin> plugin_;
};

TEST_F(ExecPluginTest, RunsOnceForTokenThatDoesNotExpire) {
  SetOutput(Token("one"));
  StartPlugin();

  EXPECT_EQ(Sent(), "Bearer one");
  clock_.Step(std::chrono::hours(1000));
  EXPECT_EQ(Sent(), "Bearer one");

  EXPECT_EQ(Runs(), 1);
  EXPECT_EQ(plugin_->Certificate(), nullptr);
}

TEST_F(ExecPluginTest, DeadlineEndsWaitAndPluginContinues) {
  StartPlugin("while [ ! -e " + dir_.Path("go") + " ]; do sleep 0.01; done; echo '" + Token("one") +
              "'");

  const auto late = plugin_->Current({}, clock_.Now());
  dir_.Write("go", "");

  ASSERT_FALSE(late.has_value());
  EXPECT_EQ(late.error().reason, ErrorReason::kDeadlineExceeded);
  EXPECT_EQ(Sent(), "Bearer one");
  EXPECT_EQ(Runs(), 1);
}

TEST_F(ExecPluginTest, RunsAgainWhenTokenExpires) {
  SetOutput(Expiring("one", minutes(10)));
  StartPlugin();
  EXPECT_EQ(Sent(), "Bearer one");
  SetOutput(Expiring("two", minutes(20)));

  clock_.Step(minutes(10) - std::chrono::seconds(1));
  EXPECT_EQ(Sent(), "Bearer one");
  clock_.Step(std::chrono::seconds(1));
  EXPECT_EQ(Sent(), "Bearer two");

  EXPECT_EQ(Runs(), 2);
}

TEST_F(ExecPluginTest, RunsOnceAfterSeveral401s) {
  SetOutput(Token("one"));
  StartPlugin();
  const CredentialPtr one = plugin_->Current({}).value();
  SetOutput(Token("two"));

  plugin_->OnUnauthorized(one);
  EXPECT_EQ(Sent(), "Bearer two");
  plugin_->OnUnauthorized(one);
  EXPECT_EQ(Sent(), "Bearer two");

  EXPECT_EQ(Runs(), 2);
}

// Returns a new key pair as the status of an ExecCredential.
std::string NewPair(std::string& cert_pem) {
  const auto pair = testing::MakeCa({.common_name = "client"}).value();
  cert_pem = pair.cert_pem;
  runtime::JsonWriter writer;
  writer.StartObject();
  writer.Key("clientCertificateData");
  writer.String(pair.cert_pem);
  writer.Key("clientKeyData");
  writer.String(pair.key_pem);
  writer.EndObject();
  return std::move(writer).Take();
}

TEST_F(ExecPluginTest, KeepsObjectOfUnchangedCertificate) {
  std::string cert_pem;
  SetOutput(PluginOutput(NewPair(cert_pem)));
  StartPlugin();
  const CredentialPtr first = plugin_->Current({}).value();
  EXPECT_EQ(first->authorization, "");
  ASSERT_NE(plugin_->Certificate(), nullptr);
  EXPECT_EQ(plugin_->Certificate(), first->certificate);
  EXPECT_EQ(first->certificate->cert_pem, cert_pem);

  plugin_->OnUnauthorized(first);
  EXPECT_EQ(plugin_->Certificate(), first->certificate) << "dropped before there is another";
  const CredentialPtr second = plugin_->Current({}).value();
  EXPECT_EQ(second->certificate, first->certificate);

  SetOutput(PluginOutput(NewPair(cert_pem)));
  plugin_->OnUnauthorized(second);
  EXPECT_EQ(plugin_->Current({}).value()->certificate->cert_pem, cert_pem);
  EXPECT_EQ(plugin_->Certificate()->cert_pem, cert_pem);
}

TEST_F(ExecPluginTest, CountsRunsByResult) {
  const std::pair<std::string, std::string> cases[] = {
      {"echo '" + Token("t") + "'", "0 no_error"},
      {"echo no credential", "0 no_error"},
      {"exit 7", "7 plugin_execution_error"},
      {"kill -9 $$", "-1 plugin_execution_error"},
      {"head -c 2000000 /dev/zero", "1 client_internal_error"},
  };
  for (const auto& [body, counted] : cases) {
    StartPlugin(body);
    Sent();
    EXPECT_EQ(metrics_.last_call(), counted) << body;
  }
  StartPlugin("exec sleep 1000", milliseconds(50));
  Sent();
  EXPECT_EQ(metrics_.last_call(), "-1 plugin_execution_error");
  plugin_.emplace(ExecConfig{.api_version = kVersion, .command = "no-such-plugin"},
                  ExecPlugin::Options{.clock = clock_, .metrics = &metrics_});
  Sent();
  EXPECT_EQ(metrics_.last_call(), "1 plugin_not_found_error");
}

TEST_F(ExecPluginTest, ReportsCertificateExpiryAndRotationAge) {
  using std::chrono::hours;
  const auto near = [](auto expected) {  // the pairs are made by the real clock
    return AllOf(::testing::Gt(expected - hours(1)), ::testing::Lt(expected + hours(1)));
  };
  const auto now = std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now());
  const auto fake = std::chrono::floor<std::chrono::seconds>(clock_.WallNow());
  std::string cert_pem;
  SetOutput(PluginOutput(NewPair(cert_pem)));
  StartPlugin();

  const CredentialPtr first = plugin_->Current({}).value();
  EXPECT_THAT(metrics_.expiry(), ::testing::Optional(near(now + hours(24))));
  plugin_->OnUnauthorized(first);
  const CredentialPtr second = plugin_->Current({}).value();
  EXPECT_THAT(metrics_.ages(), ::testing::IsEmpty()) << "it is the same certificate";

  SetOutput(Token("t"));
  plugin_->OnUnauthorized(second);
  EXPECT_EQ(Sent(), "Bearer t");
  EXPECT_THAT(metrics_.ages(), ::testing::ElementsAre(near(fake - now)));
  EXPECT_EQ(metrics_.expiry(), std::nullopt);
}

TEST_F(ExecPluginTest, ClearsCertificateExpiryWhenDestroyed) {
  std::string cert_pem;
  SetOutput(PluginOutput(NewPair(cert_pem)));
  StartPlugin();
  ASSERT_TRUE(plugin_->Current({}).has_value());
  ASSERT_TRUE(metrics_.expiry().has_value());

  plugin_.reset();

  EXPECT_EQ(metrics_.expiry(), std::nullopt);
}

TEST_F(ExecPluginTest, PassesConfiguredArgumentsAndEnvironment) {
  const std::string seen = dir_.Path("seen");
  plugin_.emplace(
      ExecConfig{.api_version = kVersion,
                 .command = Script("plugin", "echo \"$1|$2|$NAME|$KUBERNETES_EXEC_INFO\" > " +
                                                 seen + "\necho '" + Token("t") + "'"),
                 .args = {"get-token", "a b"},
                 .env = {{"NAME", "value"}, {"KUBERNETES_EXEC_INFO", "overwritten"}}},
      ExecPlugin::Options{.clock = clock_});

  EXPECT_EQ(Sent(), "Bearer t");

  std::string line;
  std::getline(std::ifstream(seen) >> std::ws, line);
  EXPECT_EQ(line,
            std::string("get-token|a b|value|{\"kind\":\"ExecCredential\",\"apiVersion\":\"") +
                kVersion + "\",\"spec\":{\"interactive\":false}}");
}

TEST_F(ExecPluginTest, WaitingRequestsShareOneExecution) {
  // Runs until the test writes "go", so that all requests wait for one execution.
  StartPlugin("while [ ! -e " + dir_.Path("go") + " ]; do sleep 0.01; done; cat " +
              dir_.Path("output"));
  SetOutput(Token("shared"));
  std::vector<std::string> sent(8);
  {
    std::vector<std::jthread> threads;
    threads.reserve(sent.size());
    for (std::string& result : sent) threads.emplace_back([&] { result = Sent(); });
    dir_.Write("go", "");
  }

  EXPECT_THAT(sent, Each("Bearer shared"));
  EXPECT_EQ(Runs(), 1);
}

TEST_F(ExecPluginTest, ExecutionContinuesAfterRequestIsStopped) {
  StartPlugin("while [ ! -e " + dir_.Path("go") + " ]; do sleep 0.01; done; echo '" +
              Token("late") + "'");
  std::stop_source stop;
  stop.request_stop();

  const auto stopped = plugin_->Current(stop.get_token());
  dir_.Write("go", "");

  ASSERT_FALSE(stopped.has_value());
  EXPECT_TRUE(IsCanceled(stopped.error()));
  EXPECT_EQ(Sent(), "Bearer late");
  EXPECT_EQ(Runs(), 1);
}

TEST_F(ExecPluginTest, EndsHungPluginWhenDestroyed) {
  StartPlugin("exec sleep 1000");
  std::stop_source stop;
  stop.request_stop();
  EXPECT_FALSE(plugin_->Current(stop.get_token()).has_value());

  plugin_.reset();  // hangs when the plugin is not killed
}

TEST_F(ExecPluginTest, EndsHungPluginAfterTimeout) {
  StartPlugin("exec sleep 1000", milliseconds(50));

  EXPECT_THAT(Sent(), AllOf(HasSubstr("plugin (user \"u\"): "), HasSubstr("did not end within")));
}

TEST_F(ExecPluginTest, ExplainsFailureInOneLineWithoutToken) {
  const struct {
    std::string body;
    std::string message;
  } cases[] = {
      {"exit 7", "plugin (user \"u\"): exit code 7, and its stderr is empty"},
      {"echo 'not logged in:' >&2; echo 'run x login' >&2; exit 1",
       "plugin (user \"u\"): exit code 1: not logged in: run x login"},
      {"echo '" + Token("s3cret") + "'; echo 'refused s3cret' >&2; exit 2",
       "exit code 2: refused <hidden>"},
      {"kill -9 $$", "ended by signal 9"},
      {"echo s3cret", "not an ExecCredential in JSON or YAML"},
      {"true", "its output is empty"},
      {"echo '" + PluginOutput(R"({"clientCertificateData":"s3cret","clientKeyData":"s3cret"})") +
           "'",
       "clientCertificateData: it contains no PEM-encoded certificate"},
      {"echo '" + PluginOutput("{}") + "'", "neither a token nor a certificate"},
      {"echo '" + Expiring("s3cret", std::chrono::seconds(-1)) + "'", "expired at "},
  };
  for (const auto& [body, message] : cases) {
    StartPlugin(body);
    EXPECT_THAT(Sent(), AllOf(HasSubstr(message), Not(HasSubstr("s3cret")))) << body;
  }
}

TEST_F(ExecPluginTest, ConvertsOutputThatIsNotJson) {
  plugin_.emplace(ExecConfig{.api_version = kVersion,
                             .command = Script("plugin", "echo token: t"),
                             .yaml_to_json = [](std::string_view text) -> Expected<std::string> {
                               EXPECT_EQ(text, "token: t\n");
                               return Token("t");
                             }},
                  ExecPlugin::Options{.clock = clock_});

  EXPECT_EQ(Sent(), "Bearer t");
}

TEST_F(ExecPluginTest, NextRequestRetriesAfterFailure) {
  StartPlugin();  // there is no file "output" yet
  EXPECT_THAT(Sent(), HasSubstr("exit code 1"));

  SetOutput(Token("t"));

  EXPECT_EQ(Sent(), "Bearer t");
}

TEST_F(ExecPluginTest, ReportsMissingCommandWithInstallHint) {
  ExecPlugin plugin({.api_version = kVersion,
                     .command = "no-such-plugin",
                     .install_hint = "Install it:\n  \x1b[1mapt install it\x1b[0m"},
                    {.clock = clock_});
  const std::string message =
      "exec plugin no-such-plugin: no-such-plugin: executable file not found in $PATH; "
      "Install it: apt install it";

  const auto checked = plugin.Check();
  const auto current = plugin.Current({});

  ASSERT_FALSE(checked.has_value());
  EXPECT_EQ(checked.error().message, message);
  ASSERT_FALSE(current.has_value());
  EXPECT_EQ(current.error().message, message);
}

}  // namespace
}  // namespace capstan::auth
