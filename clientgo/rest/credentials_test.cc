// SPDX-License-Identifier: Apache-2.0
#include "clientgo/rest/credentials.h"

#include <gmock/gmock.h>

#include "clientgo/rest/client_fixture_for_test.h"

namespace clientgo::rest {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::Pair;

TEST(ImpersonationTest, IsOneHeaderForEachValue) {
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

TEST(ImpersonationTest, RefusesWhatCannotBeSent) {
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

TEST(CredentialsTest, OneOfSeveralIsUsed) {
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
  EXPECT_EQ(sent(), "Bearer t");

  config.bearer_token.clear();
  EXPECT_EQ(sent(), "Bearer file");
  config.bearer_token_file.clear();
  EXPECT_EQ(sent(), "Basic dTpw");
  EXPECT_FALSE(UsesExecPlugin(config));
  config.username.clear();
  config.password.clear();
  EXPECT_TRUE(UsesExecPlugin(config));
  EXPECT_THAT(sent(), HasSubstr("exec plugin /nonexistent"));
  config.tls.cert_file = "tls.crt";
  EXPECT_EQ(sent(), "");
}

// What an operator reads after a 401 names the credential, and never shows it.
TEST(CredentialsTest, AreNamedByWhereTheyComeFrom) {
  Config config{.source = "/kube/config", .user = "user \"jane\""};
  const auto describe = [&] { return NewCredentials(config, util::Clock::Real())->Describe(); };
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

TEST_F(CredentialsClientTest, EveryAttemptHasEachHeaderOnce) {
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

TEST_F(CredentialsClientTest, A401NamesTheCredential) {
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

TEST(ClientNewTest, WhatEveryRequestWouldFailForIsToldAtStart) {
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

}  // namespace
}  // namespace clientgo::rest
