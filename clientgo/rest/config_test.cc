// SPDX-License-Identifier: Apache-2.0
#include "capstan/rest/config.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <filesystem>
#include <string>
#include <utility>

#include "capstan/runtime/json_writer.h"
#include "capstan/testing/apiserver/server.h"
#include "capstan/testing/fake_clock.h"
#include "capstan/testing/temp_dir.h"
#include "capstan/time.h"
#include "clientgo/rest/http_client.h"
#include "clientgo/rest/testing/client_fixture.h"

namespace capstan::rest {
namespace {

using std::chrono::minutes;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::Pair;

TEST(ImpersonationTest, SendsOneHeaderForEachValue) {
  const auto headers =
      ImpersonationHeaders({.user_name = "system:serviceaccount:ns:jörg",
                            .uid = "42",
                            .groups = {"a", "b"},
                            .extra = {{"Scopes", {"x", "y"}}, {"acme.com/Why not", {"%"}}}});

  ASSERT_TRUE(headers.has_value()) << headers.error().message;
  EXPECT_THAT(*headers,
              ElementsAre(Pair("Impersonate-User", "system:serviceaccount:ns:jörg"),
                          Pair("Impersonate-Uid", "42"), Pair("Impersonate-Group", "a"),
                          Pair("Impersonate-Group", "b"), Pair("Impersonate-Extra-scopes", "x"),
                          Pair("Impersonate-Extra-scopes", "y"),
                          Pair("Impersonate-Extra-acme.com%2fwhy%20not", "%")));
  EXPECT_THAT(ImpersonationHeaders({}).value(), IsEmpty());
}

TEST(ImpersonationTest, RejectsValuesThatHeadersCannotContain) {
  const auto why = [](const ImpersonationConfig& impersonate) {
    const auto headers = ImpersonationHeaders(impersonate);
    return headers ? "accepted" : headers.error().message;
  };

  EXPECT_THAT(why({.uid = "42"}), HasSubstr("without impersonating a user"));
  EXPECT_THAT(why({.groups = {"a"}}), HasSubstr("without impersonating a user"));
  EXPECT_THAT(why({.user_name = "a\r\nX: y"}), HasSubstr("Impersonate-User"));
  EXPECT_THAT(why({.user_name = "a", .extra = {{"k", {"\x7f"}}}}),
              HasSubstr("Impersonate-Extra-k"));
}

TEST(CredentialsTest, UsesFirstOfSeveralCredentials) {
  testing::FakeClock clock;
  const testing::TempDir dir;
  Config config{.bearer_token = "t",
                .bearer_token_file = dir.Write("token", "file"),
                .username = "u",
                .password = "p",
                .exec = auth::ExecConfig{.command = "/nonexistent"}};
  const auto sent = [&] {
    const auto current = NewCredentials(config, clock)->Current({});
    return current ? (*current)->authorization : current.error().message;
  };
  EXPECT_EQ(sent(), "Bearer file");

  config.bearer_token_file.clear();
  EXPECT_EQ(sent(), "Bearer t");
  config.bearer_token.clear();
  EXPECT_EQ(sent(), "Basic dTpw");
  EXPECT_FALSE(UsesExecPlugin(config));
  config.username.clear();
  config.password.clear();
  EXPECT_TRUE(UsesExecPlugin(config));
  EXPECT_THAT(sent(), HasSubstr("exec plugin /nonexistent"));
  config.tls.cert_file = "tls.crt";
  EXPECT_EQ(sent(), "");
}

TEST(CredentialsTest, SendsTokenUntilTokenFileCanBeRead) {
  testing::FakeClock clock;
  const testing::TempDir dir;
  const auto credentials =
      NewCredentials({.bearer_token = "first", .bearer_token_file = dir.Path("token")}, clock);
  EXPECT_TRUE(credentials->Check());
  EXPECT_EQ(credentials->Current({}).value()->authorization, "Bearer first");

  dir.Write("token", "second\n");
  clock.Step(std::chrono::minutes(1));

  EXPECT_EQ(credentials->Current({}).value()->authorization, "Bearer second");
}

// The message after a 401 contains the source of the credential and never its value.
TEST(CredentialsTest, SendsNoPasswordWithoutUsername) {
  const auto credentials = NewCredentials({.host = "https://h", .password = "p"}, Clock::Real());

  EXPECT_EQ((*credentials->Current({}))->authorization, "");
}

TEST(CredentialsTest, DescribesSourceOfCredentials) {
  Config config{.source = "/kube/config", .user = "user \"jane\""};
  const auto describe = [&] { return NewCredentials(config, Clock::Real())->Describe(); };
  EXPECT_EQ(describe(), "requests without credentials (user \"jane\" of /kube/config)");

  config.tls.cert_file = "/tls.crt";
  EXPECT_EQ(describe(),
            "the client certificate in the file /tls.crt (user \"jane\" of /kube/config)");
  config.username = "s3cret";
  EXPECT_EQ(describe(), "the username and password (user \"jane\" of /kube/config)");
  config.bearer_token = "s3cret";
  EXPECT_EQ(describe(), "the token (user \"jane\" of /kube/config)");
  config = {.bearer_token_file = "/sa/token", .source = "in-cluster"};
  EXPECT_EQ(describe(), "the token in the file /sa/token");
}

class CredentialsClientTest : public ClientFixture {
 protected:
  std::vector<std::string> Sent(std::size_t request, std::string_view name) const {
    std::vector<std::string> values;
    const auto requests = transport_->requests();
    for (const auto& [key, value] : requests.at(request).headers) {
      if (key == name) values.push_back(value);
    }
    return values;
  }
};

TEST_F(CredentialsClientTest, SendsEachHeaderOnceInEveryAttempt) {
  Start({.bearer_token = "t",
         .impersonate = {.user_name = "jane", .groups = {"a", "b"}},
         .user_agent = "ua"});
  transport_->Push({.status = 429, .headers = {{"Retry-After", "0"}}});
  transport_->Push({.chunks = {R"({"kind":"Secret","metadata":{"name":"x","namespace":"ns"}})"}});

  const auto object = client_->Get({}, kSecretType, {"ns", "x"});

  ASSERT_TRUE(object.has_value()) << object.error().message;
  ASSERT_EQ(transport_->requests().size(), 2U);
  for (const std::size_t i : {0U, 1U}) {
    EXPECT_THAT(Sent(i, "Authorization"), ElementsAre("Bearer t"));
    EXPECT_THAT(Sent(i, "User-Agent"), ElementsAre("ua"));
    EXPECT_THAT(Sent(i, "Impersonate-User"), ElementsAre("jane"));
    EXPECT_THAT(Sent(i, "Impersonate-Group"), ElementsAre("a", "b"));
  }
}

TEST_F(CredentialsClientTest, DescribesCredentialAfter401) {
  Start({.bearer_token = "s3cret", .source = "/kube/config", .user = "user \"jane\""});
  transport_->Push({.status = 401,
                    .chunks = {R"({"kind":"Status","message":"Unauthorized",)"
                               R"("reason":"Unauthorized","code":401})"}});

  const auto refused = client_->Get({}, kSecretType, {"ns", "x"});

  ASSERT_FALSE(refused.has_value());
  EXPECT_TRUE(IsUnauthorized(refused.error()));
  EXPECT_THAT(refused.error().message, HasSubstr("Unauthorized: the server does not accept the "
                                                 "token (user \"jane\" of /kube/config)"));
  EXPECT_THAT(refused.error().message, Not(HasSubstr("s3cret")));
}

TEST(ClientNewTest, ReportsAtStartWhatEveryRequestWouldFailFor) {
  const auto why = [](Config config) {
    config.host = "https://127.0.0.1:1";
    const auto client = Client::New(std::move(config));
    return client ? "started" : client.error().message;
  };

  EXPECT_THAT(why({.bearer_token = "a\nb"}), HasSubstr("the token contains a line break"));
  EXPECT_THAT(why({.bearer_token_file = "/nonexistent/token"}), HasSubstr("/nonexistent/token"));
  EXPECT_THAT(why({.exec = auth::ExecConfig{.command = "no-such-plugin", .install_hint = "hint"}}),
              HasSubstr("no-such-plugin: executable file not found in $PATH; hint"));
  EXPECT_THAT(why({.impersonate = {.uid = "42"}}), HasSubstr("without impersonating a user"));
}

TEST(DefaultUserAgentTest, MatchesFormatOfClientGo) {
#if defined(__x86_64__)
  EXPECT_EQ(DefaultUserAgent("/usr/bin/capstan", "0.1.0-rc.1+0123456789"),
            "capstan/0.1.0 (linux/amd64) kubernetes/0123456");
#endif
  EXPECT_THAT(DefaultUserAgent("", ""), HasSubstr("unknown/unknown (linux/"));
}

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
    auto http = HttpClient::New(config_, {.clock = clock_, .metrics = &metrics_});
    ASSERT_TRUE(http.has_value()) << http.error().message;
    http_ = std::move(*http);
  }
  // Returns the server's SelfSubjectReview, or the error.
  std::string WhoAmI() {
    const auto response = http_->SendOnce(
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
  // Configures a plugin that prints the status of SetAnswer.
  void UsePlugin() {
    const std::string script = dir_.Write("plugin", "#!/bin/sh\ncat " + dir_.Path("answer") + "\n");
    std::filesystem::permissions(script, std::filesystem::perms::owner_all);
    config_.exec = auth::ExecConfig{.api_version = kExecVersion, .command = script};
  }
  void SetAnswer(const std::string& status) {
    dir_.Write("answer", std::string(R"({"apiVersion":")") + kExecVersion +
                             R"(","kind":"ExecCredential","status":)" + status + "}");
  }
  // Returns a new certificate as the status of an ExecCredential.
  std::string CertificateOf(const std::string& user) {
    const auto pair = server_.NewClientCertificate(user, {"plugins"});
    runtime::JsonWriter writer;
    writer.StartObject();
    writer.Key("clientCertificateData");
    writer.String(pair->cert_pem);
    writer.Key("clientKeyData");
    writer.String(pair->key_pem);
    writer.EndObject();
    return std::move(writer).Take();
  }

  const testing::TempDir dir_;
  testing::FakeClock clock_;
  testing::apiserver::Server server_{
      {.tokens = {{"one", "jane"}, {"two", "joe"}}, .passwords = {{"admin", "pa:ss"}}}};
  Config config_;
  RecordingMetrics metrics_;
  std::unique_ptr<HttpClient> http_;
};

TEST_F(CredentialsServerTest, AcceptsToken) {
  config_.bearer_token = "one";
  Connect();
  EXPECT_THAT(WhoAmI(), HasSubstr(R"("username":"jane")"));

  config_.bearer_token = "s3cret";
  Connect();
  EXPECT_THAT(WhoAmI(), AllOf(HasSubstr("the server does not accept the token (test)"),
                              Not(HasSubstr("s3cret"))));
}

TEST_F(CredentialsServerTest, AcceptsUsernameAndPassword) {
  config_.username = "admin";
  config_.password = "pa:ss";
  Connect();
  EXPECT_THAT(WhoAmI(), HasSubstr(R"("username":"admin")"));

  config_.password = "s3cret";
  Connect();
  EXPECT_THAT(WhoAmI(), AllOf(HasSubstr("does not accept the username and password (test)"),
                              Not(HasSubstr("s3cret"))));
}

TEST_F(CredentialsServerTest, IsAnonymousWithoutCredentials) {
  Connect();

  EXPECT_THAT(WhoAmI(), HasSubstr("forbidden: User \"system:anonymous\" cannot"));
}

TEST_F(CredentialsServerTest, ReadsRotatedTokenFileAfter401) {
  config_.bearer_token_file = dir_.Write("token", "one");
  Connect();
  EXPECT_THAT(WhoAmI(), HasSubstr(R"("username":"jane")"));

  dir_.Write("token", "two");
  server_.SetTokens({{"two", "joe"}});
  EXPECT_THAT(WhoAmI(), HasSubstr("does not accept the token in the file " + dir_.Path("token")));
  EXPECT_THAT(WhoAmI(), HasSubstr(R"("username":"joe")"));
}

TEST_F(CredentialsServerTest, ReadsRotatedTokenFileWithinAMinute) {
  config_.bearer_token_file = dir_.Write("token", "one");
  Connect();
  EXPECT_THAT(WhoAmI(), HasSubstr(R"("username":"jane")"));

  dir_.Write("token", "two");
  clock_.Step(minutes(1));

  EXPECT_THAT(WhoAmI(), HasSubstr(R"("username":"joe")"));
}

TEST_F(CredentialsServerTest, KeepsWatchOpenAfterItsTokenIsRevoked) {
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

TEST_F(CredentialsServerTest, AcceptsClientCertificate) {
  const auto pair = server_.NewClientCertificate("system:node:a", {"system:nodes", "more"});
  ASSERT_TRUE(pair.has_value()) << pair.error().message;
  config_.tls.cert_file = dir_.Write("tls.crt", pair->cert_pem);
  config_.tls.key_file = dir_.Write("tls.key", pair->key_pem);
  Connect();

  EXPECT_THAT(WhoAmI(), AllOf(HasSubstr(R"("username":"system:node:a")"),
                              HasSubstr(R"("groups":["system:nodes","more",)")));
}

TEST_F(CredentialsServerTest, DescribesRejectedClientCertificate) {
  testing::apiserver::Server other;
  ASSERT_TRUE(other.Start().has_value());
  const auto pair = other.NewClientCertificate("jane", {});
  config_.tls.cert_file = dir_.Write("tls.crt", pair->cert_pem);
  config_.tls.key_data = pair->key_pem;
  Connect();

  EXPECT_THAT(WhoAmI(), HasSubstr("the server does not accept the client certificate in the file " +
                                  dir_.Path("tls.crt")));
}

TEST_F(CredentialsServerTest, AcceptsTokenOfPlugin) {
  UsePlugin();
  SetAnswer(R"({"token":"one","expirationTimestamp":")" +
            FormatTime(ToTime(clock_.WallNow() + minutes(10))) + R"("})");
  Connect();
  EXPECT_THAT(WhoAmI(), HasSubstr(R"("username":"jane")"));

  SetAnswer(R"({"token":"two"})");
  EXPECT_THAT(WhoAmI(), HasSubstr(R"("username":"jane")")) << "not expired yet";
  clock_.Step(minutes(10));
  EXPECT_THAT(WhoAmI(), HasSubstr(R"("username":"joe")"));
}

TEST_F(CredentialsServerTest, RunsPluginAgainAfter401) {
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

TEST_F(CredentialsServerTest, AcceptsCertificateOfPlugin) {
  UsePlugin();
  SetAnswer(CertificateOf("plugin-one"));
  Connect();
  EXPECT_THAT(WhoAmI(), AllOf(HasSubstr(R"("username":"plugin-one")"), HasSubstr("plugins")));
}

TEST_F(CredentialsServerTest, ConnectsAgainForNewCertificateOfPlugin) {
  UsePlugin();
  std::string status = CertificateOf("plugin-one");
  status.insert(1, R"("expirationTimestamp":")" +
                       FormatTime(ToTime(clock_.WallNow() + minutes(10))) + R"(",)");
  SetAnswer(status);
  Connect();
  EXPECT_THAT(WhoAmI(), HasSubstr(R"("username":"plugin-one")"));

  SetAnswer(CertificateOf("plugin-two"));
  clock_.Step(minutes(10));

  EXPECT_THAT(WhoAmI(), HasSubstr(R"("username":"plugin-two")"));
}

TEST_F(CredentialsServerTest, ReportsInvalidCertificateOfPluginWithoutItsContent) {
  UsePlugin();
  SetAnswer(R"({"clientCertificateData":"s3cret","clientKeyData":"s3cret"})");
  Connect();

  EXPECT_THAT(WhoAmI(), AllOf(HasSubstr("exec plugin " + dir_.Path("plugin")),
                              HasSubstr("no PEM-encoded certificate"), Not(HasSubstr("s3cret"))));
}

TEST_F(CredentialsServerTest, ImpersonatesUser) {
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

TEST_F(CredentialsServerTest, ChecksCertificateForTlsServerName) {
  config_.bearer_token = "one";
  config_.tls.server_name = "localhost";
  Connect();
  EXPECT_THAT(WhoAmI(), HasSubstr("jane"));

  config_.tls.server_name = "elsewhere";
  Connect();
  EXPECT_THAT(WhoAmI(), HasSubstr("certificate is valid for localhost, 127.0.0.1, ::1, not "
                                  "elsewhere"));
}

TEST_F(CredentialsServerTest, InsecureSkipTlsVerifyTrustsAnyCertificate) {
  config_.bearer_token = "one";
  config_.tls.ca_data.clear();
  Connect();
  EXPECT_THAT(WhoAmI(), HasSubstr("certificate signed by unknown authority"));

  config_.tls.insecure_skip_verify = true;
  Connect();
  EXPECT_THAT(WhoAmI(), HasSubstr("jane"));
}

}  // namespace
}  // namespace capstan::rest
