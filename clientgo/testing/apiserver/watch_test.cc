// SPDX-License-Identifier: Apache-2.0
// Tests of WATCH over HTTP: its start, its events and its end.
#include "clientgo/testing/apiserver/testing/server_fixture.h"

namespace capstan::testing::apiserver {
namespace {

using ::testing::HasSubstr;

using WatchTest = ServerTest;

constexpr std::string_view kWatchList =
    "sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true";

TEST_F(WatchTest, SendsEventsAfterVersion) {
  CreateConfigMap("a");
  const std::string from = CreateConfigMap("b");
  CreateConfigMap("c");
  WatchStream watch = Watch("resourceVersion=" + from);

  EXPECT_EQ(watch.Next().Brief(), "ADDED c");
  client_->Patch(Path(kConfigMaps, "/a"), "merge-patch+json", R"({"data":{"k":"v"}})");
  EXPECT_EQ(watch.Next().Brief(), "MODIFIED a");
  client_->Delete(Path(kConfigMaps, "/a"));
  const WatchLine deleted = watch.Next();
  EXPECT_EQ(deleted.Brief(), "DELETED a");
  // Its resourceVersion is that of the deletion, so that a watch can continue from it.
  EXPECT_EQ(deleted.version(), client_->Get(kConfigMaps).meta("resourceVersion"));
}

TEST_F(WatchTest, StartsWithStateInKeyOrderWithoutVersion) {
  for (const char* name : {"c", "a", "b"}) CreateConfigMap(name);
  WatchStream watch = Watch("");

  EXPECT_EQ(watch.Next().Brief(), "ADDED a");
  EXPECT_EQ(watch.Next().Brief(), "ADDED b");
  EXPECT_EQ(watch.Next().Brief(), "ADDED c");
  CreateConfigMap("d");
  EXPECT_EQ(watch.Next().Brief(), "ADDED d");
}

TEST_F(WatchTest, WatchListEndsInitialEventsWithBookmark) {
  for (const char* name : {"b", "a"}) CreateConfigMap(name);
  const std::string version(client_->Get(kConfigMaps).meta("resourceVersion"));
  WatchStream watch = Watch(kWatchList);

  EXPECT_EQ(watch.Next().Brief(), "ADDED a");
  EXPECT_EQ(watch.Next().Brief(), "ADDED b");
  const WatchLine end = watch.Next();
  EXPECT_EQ(end.Brief(), "BOOKMARK end");
  EXPECT_EQ(end.version(), version);
  EXPECT_EQ(
      *runtime::FindPath(end.object, {"metadata", "annotations", "k8s.io/initial-events-end"}),
      "true");
  CreateConfigMap("c");
  EXPECT_EQ(watch.Next().Brief(), "ADDED c");
}

TEST_F(WatchTest, WatchListSendsPartialObjectMetadata) {
  client_->Post(kSecrets, R"({"metadata":{"name":"a"},"stringData":{"k":"v"}})");
  WatchStream watch(server_->port(), Path(kSecrets, "?watch=1&" + std::string(kWatchList)),
                    "Accept: application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1\r\n");

  const WatchLine added = watch.Next();
  EXPECT_EQ(runtime::GetString(added.object, "kind"), "PartialObjectMetadata");
  EXPECT_EQ(runtime::Find(added.object, "data"), nullptr);
  EXPECT_EQ(runtime::GetString(watch.Next().object, "kind"), "PartialObjectMetadata");
}

TEST_F(WatchTest, RejectsWatchListOptionsAsKubeApiserver) {
  const auto message = [&](const std::string& query) {
    return std::string(client_->Get(Path(kConfigMaps, "?watch=1&" + query)).message());
  };
  const std::string prefix = "ListOptions.meta.k8s.io \"\" is invalid: ";

  EXPECT_EQ(message("sendInitialEvents=true"),
            prefix +
                "resourceVersionMatch: Forbidden: sendInitialEvents requires setting "
                "resourceVersionMatch to NotOlderThan");
  EXPECT_EQ(message("resourceVersionMatch=NotOlderThan"),
            prefix +
                "resourceVersionMatch: Forbidden: resourceVersionMatch is forbidden for watch "
                "unless sendInitialEvents is provided");
  Start({.watch_list = false});
  EXPECT_EQ(message(std::string(kWatchList)),
            prefix +
                "sendInitialEvents: Forbidden: sendInitialEvents is forbidden for watch "
                "unless the WatchList feature gate is enabled");
}

TEST_F(WatchTest, SendsErrorEventForTooOldOrTooLargeVersion) {
  const std::string old = CreateConfigMap("a");
  const std::string current = CreateConfigMap("b");
  server_->CompactWatchWindow();
  WatchStream expired = Watch("resourceVersion=" + old);
  WatchStream too_large = Watch(std::string(kWatchList) + "&resourceVersion=99999");
  WatchStream fine = Watch("resourceVersion=" + current);

  EXPECT_THAT(expired.head(), HasSubstr("200 OK"));
  const WatchLine gone = expired.Next();
  EXPECT_EQ(gone.type, "ERROR");
  EXPECT_EQ(runtime::GetString(gone.object, "message"),
            "too old resource version: " + old + " (" + current + ")");
  EXPECT_EQ(runtime::GetString(gone.object, "reason"), "Expired");
  EXPECT_EQ(expired.Next().type, "EOF");
  EXPECT_EQ(runtime::GetString(too_large.Next().object, "reason"), "Timeout");
  CreateConfigMap("c");
  EXPECT_EQ(fine.Next().Brief(), "ADDED c");
}

TEST_F(WatchTest, SendsNothingBeforeFutureVersion) {
  const auto now = std::stoull(CreateConfigMap("a"));
  WatchStream watch = Watch("resourceVersion=" + std::to_string(now + 1));

  CreateConfigMap("b");
  CreateConfigMap("c");

  EXPECT_EQ(watch.Next().Brief(), "ADDED c");
}

TEST_F(WatchTest, SendsAddedAndDeletedWhenSelectionChanges) {
  CreateConfigMap("a", "x");
  WatchStream watch = Watch("resourceVersion=1&labelSelector=app%3Dx");
  EXPECT_EQ(watch.Next().Brief(), "ADDED a");

  const Answer left = client_->Patch(Path(kConfigMaps, "/a"), "merge-patch+json",
                                     R"({"metadata":{"labels":{"app":"y"}}})");
  const WatchLine line = watch.Next();
  EXPECT_EQ(line.Brief(), "DELETED a");
  EXPECT_EQ(line.version(), left.meta("resourceVersion"));
  EXPECT_EQ(*runtime::FindPath(line.object, {"metadata", "labels", "app"}),
            "x");  // its last matching state
  CreateConfigMap("other", "y");
  client_->Patch(Path(kConfigMaps, "/a"), "merge-patch+json",
                 R"({"metadata":{"labels":{"app":"x"}}})");
  EXPECT_EQ(watch.Next().Brief(), "ADDED a");
}

TEST_F(WatchTest, SendsOnlyEventsOfItsNamespace) {
  WatchStream watch = Watch("resourceVersion=4");
  client_->Post("/api/v1/namespaces/kube-system/configmaps", R"({"metadata":{"name":"not-me"}})");
  CreateConfigMap("me");

  EXPECT_EQ(watch.Next().Brief(), "ADDED me");
}

TEST_F(WatchTest, SendsBookmarksWhenAllowed) {
  Start({.bookmark_period = std::chrono::milliseconds(10)});
  const std::string version = CreateConfigMap("a");
  WatchStream with = Watch("allowWatchBookmarks=true&resourceVersion=" + version);
  WatchStream without = Watch("resourceVersion=" + version);

  const WatchLine bookmark = with.Next();
  EXPECT_EQ(bookmark.Brief(), "BOOKMARK");
  EXPECT_EQ(bookmark.version(), version);
  CreateConfigMap("b");
  EXPECT_EQ(without.Next().Brief(), "ADDED b");
}

TEST_F(WatchTest, EndsStreamAtTimeout) {
  WatchStream watch = Watch("timeoutSeconds=1&resourceVersion=1");

  EXPECT_EQ(watch.Next().type, "EOF");
  WaitForNoWatcher();
}

TEST_F(WatchTest, RemovesWatcherOfClosedConnection) {
  {
    WatchStream watch = Watch(kWatchList);
    watch.Next();
    EXPECT_EQ(server_->WatcherCount(), 1U);
  }
  WaitForNoWatcher();
}

TEST_F(WatchTest, CutWatchesBreaksStreams) {
  WatchStream watch = Watch(kWatchList);
  watch.Next();

  server_->CutWatches();

  EXPECT_EQ(watch.Next().type, "BROKEN");
}

TEST_F(WatchTest, EndsWatchOfSlowReader) {
  Start({.watcher_bytes_max = 1U << 20U});
  WatchStream watch(server_->port(), Path(kConfigMaps, "?watch=1&resourceVersion=4"), "", 4096);
  const std::string body =
      R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"generateName":"c-",)"
      R"("namespace":"default"},"data":{"t":")" +
      std::string(500000, 'x') + "\"}}";

  // More than the buffers of the sockets and watcher_bytes_max can hold.
  ASSERT_TRUE(server_->CreateObjects(std::vector<std::string>(60, body)).has_value());

  int events = 0;
  WatchLine line = watch.Next();
  for (; line.type == "ADDED"; line = watch.Next()) ++events;
  EXPECT_EQ(line.type, "EOF");
  EXPECT_LT(events, 60);
}

TEST_F(WatchTest, SendsAllPastEventsHoweverLarge) {
  Start({.watcher_bytes_max = 1U << 20U});
  const std::string body =
      R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"generateName":"c-",)"
      R"("namespace":"default"},"data":{"t":")" +
      std::string(500000, 'x') + "\"}}";
  ASSERT_TRUE(server_->CreateObjects(std::vector<std::string>(6, body)).has_value());

  WatchStream watch(server_->port(), Path(kConfigMaps, "?watch=1&resourceVersion=4"));

  for (int i = 0; i < 6; ++i) EXPECT_EQ(watch.Next().type, "ADDED");
  CreateConfigMap("later");
  EXPECT_EQ(watch.Next().Brief(), "ADDED later");
}

}  // namespace
}  // namespace capstan::testing::apiserver
