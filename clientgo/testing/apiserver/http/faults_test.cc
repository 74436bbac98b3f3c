// SPDX-License-Identifier: Apache-2.0
// Tests of faults, users, request counts and restarts of the server.
#include "clientgo/testing/apiserver/testing/server_fixture.h"

namespace capstan::testing::apiserver {
namespace {

using ::testing::HasSubstr;

using FaultsTest = ServerTest;

TEST_F(FaultsTest, AnswersMatchingRequestsCountTimes) {
  server_->InjectFault({.match = {.verb = "get", .resource = "configmaps", .user_agent = "tester"},
                        .code = 429,
                        .retry_after = std::chrono::seconds(7),
                        .count = 2});

  EXPECT_EQ(client_->Get(kConfigMaps).code, 200);
  const Answer first = client_->Get(Path(kConfigMaps, "/a"));
  EXPECT_EQ(first.code, 429);
  EXPECT_EQ(first.reason(), "TooManyRequests");
  EXPECT_THAT(first.head, HasSubstr("Retry-After: 7\r\n"));
  EXPECT_EQ(client_->Get(Path(kConfigMaps, "/a")).code, 429);
  EXPECT_EQ(client_->Get(Path(kConfigMaps, "/a")).code, 404);
}

// A list with metadata.name=<name> is about that name, as for RBAC's resourceNames.
TEST_F(FaultsTest, MatchesNameAndNamespaceOfList) {
  server_->InjectFault(
      {.match = {.verb = "list", .resource = "configmaps", .namespace_ = "default", .name = "a"},
       .code = 403,
       .count = -1});

  EXPECT_EQ(client_->Get(Path(kConfigMaps, "?fieldSelector=metadata.name%3Da")).code, 403);
  EXPECT_EQ(client_->Get(Path(kConfigMaps, "?fieldSelector=metadata.name%3Db")).code, 200);
  EXPECT_EQ(client_->Get(kConfigMaps).code, 200);
  constexpr std::string_view kElsewhere = "/api/v1/namespaces/other/configmaps";
  EXPECT_EQ(client_->Get(Path(kElsewhere, "?fieldSelector=metadata.name%3Da")).code, 200);
}

TEST_F(FaultsTest, CutsClosesAndCorruptsAnswers) {
  CreateConfigMap("a");
  server_->InjectFault({.action = FaultAction::kCut, .bytes = 31});
  server_->InjectFault({.action = FaultAction::kClose});
  server_->InjectFault({.action = FaultAction::kGarbage});
  server_->InjectFault(
      {.action = FaultAction::kPlainText, .code = 503, .message = "try again later"});

  const Answer cut = client_->Get(Path(kConfigMaps, "/a"));
  EXPECT_EQ(cut.code, 200);
  EXPECT_EQ(cut.body, R"({"kind":"ConfigMap","apiVersion)");
  EXPECT_EQ(client_->Get(kConfigMaps).head, "");
  const Answer garbage = client_->Get(kConfigMaps);
  EXPECT_EQ(garbage.code, 200);
  EXPECT_TRUE(garbage.json.IsNull());
  EXPECT_EQ(client_->Get(kConfigMaps).body, "try again later");
  EXPECT_EQ(client_->Get(kConfigMaps).items(), 1U);
}

TEST_F(FaultsTest, CutsWatchInsideAnEvent) {
  CreateConfigMap("a");
  server_->InjectFault({.match = {.verb = "watch"}, .action = FaultAction::kCut, .bytes = 100});
  WatchStream watch = Watch("resourceVersion=1");

  EXPECT_EQ(watch.Next().type, "BROKEN");
}

TEST_F(FaultsTest, HangsUntilClientCloses) {
  server_->InjectFault({.action = FaultAction::kHang});
  httpserver::RawClient socket(server_->port());
  socket.Send(FormatRequest("GET", kConfigMaps, {}, ""));

  EXPECT_EQ(client_->Get(kConfigMaps).code, 200);  // other requests are served
  socket.ShutdownSend();
  EXPECT_EQ(socket.ReadAll(), "");
}

TEST_F(FaultsTest, SendsErrorEventAndWithholdsBookmarks) {
  constexpr std::string_view kWatchList =
      "sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true";
  server_->InjectFault({.match = {.verb = "watch"}, .action = FaultAction::kErrorEvent});
  server_->InjectFault({.match = {.verb = "watch"}, .action = FaultAction::kWithholdBookmarks});
  CreateConfigMap("a");

  const WatchLine error = Watch(kWatchList).Next();
  WatchStream silent = Watch(kWatchList);

  EXPECT_EQ(error.type, "ERROR");
  EXPECT_EQ(runtime::GetString(error.object, "reason"), "InternalError");
  EXPECT_EQ(silent.Next().Brief(), "ADDED a");
  CreateConfigMap("b");
  EXPECT_EQ(silent.Next().Brief(), "ADDED b");  // no bookmark between the two
}

TEST_F(FaultsTest, DelaysRequest) {
  server_->InjectFault({.action = FaultAction::kDelay, .delay = std::chrono::milliseconds(30)});
  const auto before = std::chrono::steady_clock::now();

  EXPECT_EQ(client_->Get(kConfigMaps).code, 200);

  EXPECT_GE(std::chrono::steady_clock::now() - before, std::chrono::milliseconds(30));
}

TEST_F(FaultsTest, CountsRequestsByVerbResourceAndUserAgent) {
  CreateConfigMap("a");
  client_->Get(Path(kConfigMaps, "/a"));
  client_->Get(Path(kConfigMaps, "/b"));
  client_->Patch(Path(kConfigMaps, "/a"), "merge-patch+json", "{}");
  client_->Delete(Path(kConfigMaps, "/a"));

  EXPECT_EQ(server_->CountRequests({.verb = "get", .resource = "configmaps"}), 2U);
  EXPECT_EQ(server_->CountRequests({.verb = "patch"}), 1U);
  EXPECT_EQ(server_->CountRequests({.user_agent = "tester"}), 5U);
  EXPECT_EQ(server_->CountRequests({.user_agent = "someone else"}), 0U);
  bool not_found = false;
  for (const RequestCount& row : server_->Requests()) not_found |= row.code == 404;
  EXPECT_TRUE(not_found);
  server_->ResetRequests();
  EXPECT_EQ(server_->CountRequests({}), 0U);
}

TEST_F(FaultsTest, AuthenticatesTokensAndRejectsOthers) {
  Start({.tokens = {{"secret-token", "jane"}}});

  EXPECT_EQ(client_->Get(kConfigMaps, "Authorization: Bearer secret-token\r\n").code, 200);
  const Answer wrong = client_->Get(kConfigMaps, "Authorization: Bearer wrong\r\n");
  EXPECT_EQ(wrong.code, 401);
  EXPECT_EQ(wrong.message(), "Unauthorized");
  const Answer anonymous = client_->Get(kConfigMaps);
  EXPECT_EQ(anonymous.code, 403);
  EXPECT_EQ(anonymous.message(),
            "configmaps is forbidden: User \"system:anonymous\" cannot list resource "
            "\"configmaps\" in API group \"\" in the namespace \"default\"");
  EXPECT_EQ(client_->Get("/readyz").body, "ok");
  EXPECT_EQ(client_->Get("/version").code, 200);
}

TEST_F(FaultsTest, KeepsObjectsAndPortAfterRestart) {
  CreateConfigMap("a");
  WatchStream watch = Watch("resourceVersion=1");
  watch.Next();
  const auto port = server_->port();

  server_->Stop();
  EXPECT_EQ(watch.Next().type, "BROKEN");
  EXPECT_FALSE(httpserver::RawClient(port).connected());
  ASSERT_TRUE(server_->Start().has_value());

  EXPECT_EQ(server_->port(), port);
  EXPECT_EQ(client_->Get(kConfigMaps).items(), 1U);
}

TEST_F(FaultsTest, CreateObjectsReportsInvalidObject) {
  const auto loaded = server_->CreateObjects(
      {R"({"apiVersion":"v1","kind":"Secret","metadata":{"namespace":"new","name":"a"}})",
       R"({"apiVersion":"v1","kind":"Secret","metadata":{"namespace":"new","name":"a"}})",
       R"({"apiVersion":"v1","kind":"Secret","metadata":{"namespace":"new","name":"b"}})"});

  ASSERT_FALSE(loaded.has_value());
  EXPECT_EQ(loaded.error().message, "secrets \"a\" already exists");
  EXPECT_EQ(client_->Get("/api/v1/namespaces/new/secrets").items(), 1U);
  EXPECT_FALSE(server_->CreateObjects({R"({"kind":"Nonsense"})"}).has_value());
}

TEST_F(FaultsTest, ServesDiscovery) {
  EXPECT_THAT(client_->Get("/api").body, HasSubstr("\"v1\""));
  EXPECT_THAT(client_->Get("/apis").body, HasSubstr("\"coordination.k8s.io/v1\""));
  EXPECT_THAT(client_->Get("/api/v1").body, HasSubstr("\"pods/status\""));
  EXPECT_THAT(client_->Get("/apis/cert-manager.io/v1").body, HasSubstr("\"certificates\""));
  EXPECT_EQ(client_->Get("/apis/nope.io/v1").code, 404);
}

}  // namespace
}  // namespace capstan::testing::apiserver
