// SPDX-License-Identifier: Apache-2.0
// Each kind of credential against a real TLS server, which says whom it saw.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <optional>
#include <string>

#include "clientgo/rest/client_fixture_for_test.h"
#include "clientgo/rest/requester.h"
#include "clientgo/rest/response_decoder.h"
#include "clientgo/runtime/json.h"
#include "clientgo/testing/apiserver/server.h"
#include "clientgo/testing/fake_clock.h"
#include "clientgo/testing/temp_dir.h"
#include "clientgo/util/time_format.h"

namespace clientgo::rest {
namespace {

using std::chrono::minutes;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr char kExecVersion[] = "client.authentication.k8s.io/v1";

class CredentialsServerTest : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto started = server_.Start();
    ASSERT_TRUE(started.has_value()) << started.error().message;
    config_.host = server_.url();
    config_.tls.ca_data = server_.ca_pem();
    config_.source = "test";
  }
  void Connect() {
    auto requester = Requester::New(config_, {.clock = clock_, .metrics = &metrics_});
    ASSERT_TRUE(requester.has_value()) << requester.error().message;
    requester_ = std::move(*requester);
  }
  // The server's SelfSubjectReview, or the error.
  std::string WhoAmI() {
    const auto response = requester_->DoOnce(
        {}, {.method = "POST",
             .target = "/apis/authentication.k8s.io/v1/selfsubjectreviews",
             .headers = {{"Content-Type", "application/json"}},
             .body = R"({"apiVersion":"authentication.k8s.io/v1","kind":"SelfSubjectReview"})"});
    if (!response) return response.error().message;
    std::string body;
    for (auto bytes = (*response)->Read(); bytes && !bytes->empty(); bytes = (*response)->Read()) {
      body += *bytes;
    }
    return body;
  }
  // A plugin that prints what SetAnswer says.
  void UsePlugin() {
    const std::string script = dir_.Write("plugin", "#!/bin/sh\ncat " + dir_.Path("answer") + "\n");
    std::filesystem::permissions(script, std::filesystem::perms::owner_all);
    config_.exec = auth::ExecConfig{.api_version = kExecVersion, .command = script};
  }
  void SetAnswer(const std::string& status) {
    dir_.Write("answer", std::string(R"({"apiVersion":")") + kExecVersion +
                             R"(","kind":"ExecCredential","status":)" + status + "}");
  }
  // As the status of an ExecCredential.
  std::string CertificateOf(const std::string& user) {
    const auto pair = server_.NewClientCertificate(user, {"plugins"});
    runtime::JsonBuffer buffer;
    runtime::JsonWriter writer(buffer);
    writer.StartObject();
    writer.Key("clientCertificateData");
    runtime::WriteString(writer, pair->cert_pem);
    writer.Key("clientKeyData");
    runtime::WriteString(writer, pair->key_pem);
    writer.EndObject();
    return buffer.GetString();
  }

  const testing::TempDir dir_;
  testing::FakeClock clock_;
  clientgo::testing::apiserver::Server server_{
      {.tokens = {{"one", "jane"}, {"two", "joe"}}, .passwords = {{"admin", "pa:ss"}}}};
  Config config_;
  RecordingMetrics metrics_;
  std::unique_ptr<Requester> requester_;
};

TEST_F(CredentialsServerTest, Token) {
  config_.bearer_token = "one";
  Connect();
  EXPECT_THAT(WhoAmI(), HasSubstr(R"("username":"jane")"));

  config_.bearer_token = "s3cret";
  Connect();
  EXPECT_THAT(WhoAmI(), AllOf(HasSubstr("the server does not accept the token (test)"),
                              Not(HasSubstr("s3cret"))));
}

TEST_F(CredentialsServerTest, UsernameAndPassword) {
  config_.username = "admin";
  config_.password = "pa:ss";
  Connect();
  EXPECT_THAT(WhoAmI(), HasSubstr(R"("username":"admin")"));

  config_.password = "s3cret";
  Connect();
  EXPECT_THAT(WhoAmI(), AllOf(HasSubstr("does not accept the username and password (test)"),
                              Not(HasSubstr("s3cret"))));
}

TEST_F(CredentialsServerTest, NoCredentialsAreAnonymous) {
  Connect();

  EXPECT_THAT(WhoAmI(), HasSubstr("forbidden: User \"system:anonymous\" cannot"));
}

TEST_F(CredentialsServerTest, RotatedTokenFileIsReadAfterA401) {
  config_.bearer_token_file = dir_.Write("token", "one");
  Connect();
  EXPECT_THAT(WhoAmI(), HasSubstr(R"("username":"jane")"));

  dir_.Write("token", "two");
  server_.SetTokens({{"two", "joe"}});
  EXPECT_THAT(WhoAmI(), HasSubstr("does not accept the token in the file " + dir_.Path("token")));
  EXPECT_THAT(WhoAmI(), HasSubstr(R"("username":"joe")"));
}

TEST_F(CredentialsServerTest, RotatedTokenFileIsReadWithinAMinute) {
  config_.bearer_token_file = dir_.Write("token", "one");
  Connect();
  EXPECT_THAT(WhoAmI(), HasSubstr(R"("username":"jane")"));

  dir_.Write("token", "two");
  clock_.Step(minutes(1));

  EXPECT_THAT(WhoAmI(), HasSubstr(R"("username":"joe")"));
}

TEST_F(CredentialsServerTest, AWatchSurvivesItsToken) {
  config_.bearer_token_file = dir_.Write("token", "one");
  const auto client = Client::New(config_, {.clock = clock_});
  ASSERT_TRUE(client.has_value()) << client.error().message;
  const auto watcher = (*client)->Watch({}, kMetadataType, {});
  ASSERT_TRUE(watcher.has_value()) << watcher.error().message;

  server_.SetTokens({{"two", "joe"}});
  ASSERT_TRUE(server_
                  .CreateObjects({R"({"apiVersion":"v1","kind":"Secret",)"
                                  R"("metadata":{"namespace":"ns","name":"late"}})"})
                  .has_value());
  const auto event = (*watcher)->Next();

  ASSERT_TRUE(event.has_value()) << event.error().message;
  ASSERT_TRUE(event->has_value());
  EXPECT_EQ((*event)->object->key(), "ns/late");
}

TEST_F(CredentialsServerTest, ClientCertificate) {
  const auto pair = server_.NewClientCertificate("system:node:a", {"system:nodes", "more"});
  ASSERT_TRUE(pair.has_value()) << pair.error().message;
  config_.tls.cert_file = dir_.Write("tls.crt", pair->cert_pem);
  config_.tls.key_file = dir_.Write("tls.key", pair->key_pem);
  Connect();

  EXPECT_THAT(WhoAmI(), AllOf(HasSubstr(R"("username":"system:node:a")"),
                              HasSubstr(R"("groups":["system:nodes","more",)")));
}

TEST_F(CredentialsServerTest, ClientCertificateOfAnotherCaIsNamed) {
  clientgo::testing::apiserver::Server other;
  ASSERT_TRUE(other.Start().has_value());
  const auto pair = other.NewClientCertificate("jane", {});
  config_.tls.cert_file = dir_.Write("tls.crt", pair->cert_pem);
  config_.tls.key_data = pair->key_pem;
  Connect();

  EXPECT_THAT(WhoAmI(), HasSubstr("the server does not accept the client certificate in the file " +
                                  dir_.Path("tls.crt")));
}

TEST_F(CredentialsServerTest, PluginsToken) {
  UsePlugin();
  SetAnswer(R"({"token":"one","expirationTimestamp":")" +
            util::FormatTime(clock_.WallNow() + minutes(10)) + R"("})");
  Connect();
  EXPECT_THAT(WhoAmI(), HasSubstr(R"("username":"jane")"));

  SetAnswer(R"({"token":"two"})");
  EXPECT_THAT(WhoAmI(), HasSubstr(R"("username":"jane")")) << "not expired yet";
  clock_.Step(minutes(10));
  EXPECT_THAT(WhoAmI(), HasSubstr(R"("username":"joe")"));
}

TEST_F(CredentialsServerTest, PluginRunsAgainAfterA401) {
  UsePlugin();
  SetAnswer(R"({"token":"one"})");
  Connect();
  EXPECT_THAT(WhoAmI(), HasSubstr(R"("username":"jane")"));

  SetAnswer(R"({"token":"two"})");
  server_.SetTokens({{"two", "joe"}});

  EXPECT_THAT(WhoAmI(), HasSubstr("does not accept exec plugin " + dir_.Path("plugin")));
  EXPECT_THAT(WhoAmI(), HasSubstr(R"("username":"joe")"));
  EXPECT_THAT(metrics_.plugin_calls(), ::testing::ElementsAre("0 no_error", "0 no_error"));
}

TEST_F(CredentialsServerTest, PluginsCertificate) {
  UsePlugin();
  SetAnswer(CertificateOf("plugin-one"));
  Connect();
  EXPECT_THAT(WhoAmI(), AllOf(HasSubstr(R"("username":"plugin-one")"), HasSubstr("plugins")));
}

TEST_F(CredentialsServerTest, PluginsNewCertificateNeedsANewConnection) {
  UsePlugin();
  std::string status = CertificateOf("plugin-one");
  status.insert(
      1, R"("expirationTimestamp":")" + util::FormatTime(clock_.WallNow() + minutes(10)) + R"(",)");
  SetAnswer(status);
  Connect();
  EXPECT_THAT(WhoAmI(), HasSubstr(R"("username":"plugin-one")"));

  SetAnswer(CertificateOf("plugin-two"));
  clock_.Step(minutes(10));

  EXPECT_THAT(WhoAmI(), HasSubstr(R"("username":"plugin-two")"));
}

TEST_F(CredentialsServerTest, PluginsGarbageForACertificateIsNamedAndNotShown) {
  UsePlugin();
  SetAnswer(R"({"clientCertificateData":"s3cret","clientKeyData":"s3cret"})");
  Connect();

  EXPECT_THAT(WhoAmI(), AllOf(HasSubstr("exec plugin " + dir_.Path("plugin")),
                              HasSubstr("no PEM-encoded certificate"), Not(HasSubstr("s3cret"))));
}

TEST_F(CredentialsServerTest, ActsAsSomebodyElse) {
  config_.bearer_token = "one";
  config_.impersonate = {.user_name = "system:serviceaccount:ns:robot",
                         .uid = "42",
                         .groups = {"g1", "g2"},
                         .extra = {{"acme.com/Why not", {"x", "y"}}}};
  Connect();

  EXPECT_THAT(WhoAmI(), HasSubstr(R"("userInfo":{"username":"system:serviceaccount:ns:robot",)"
                                  R"("uid":"42","groups":["g1","g2","system:authenticated"],)"
                                  R"("extra":{"acme.com/why not":["x","y"]}})"));
}

TEST_F(CredentialsServerTest, TlsServerNameIsWhatTheCertificateIsCheckedFor) {
  config_.bearer_token = "one";
  config_.tls.server_name = "localhost";
  Connect();
  EXPECT_THAT(WhoAmI(), HasSubstr("jane"));

  config_.tls.server_name = "elsewhere";
  Connect();
  EXPECT_THAT(WhoAmI(), HasSubstr("certificate is valid for localhost, 127.0.0.1, ::1, not "
                                  "elsewhere"));
}

TEST_F(CredentialsServerTest, InsecureSkipTlsVerifyTrustsAnybody) {
  config_.bearer_token = "one";
  config_.tls.ca_data.clear();
  Connect();
  EXPECT_THAT(WhoAmI(), HasSubstr("certificate signed by unknown authority"));

  config_.tls.insecure_skip_verify = true;
  Connect();
  EXPECT_THAT(WhoAmI(), HasSubstr("jane"));
}

}  // namespace
}  // namespace clientgo::rest
