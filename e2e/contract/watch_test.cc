// SPDX-License-Identifier: Apache-2.0
// Tests of WATCH: the start, the events and the end of a stream.
#include "e2e/contract/fixture.h"

namespace capstan::testing::apiserver::contract {
namespace {

using ::testing::MatchesRegex;

using WatchTest = ContractTest;

// One second is long enough to connect and short enough to wait for.
constexpr const char* kShort = "&timeoutSeconds=1";

TEST_F(WatchTest, SendsEventsAfterAVersion) {
  CreateConfigMap("a");
  const std::string from = CreateConfigMap("b");
  CreateConfigMap("c");
  WatchStream watch = Watch(ConfigMaps(), "resourceVersion=" + from);

  EXPECT_EQ(watch.code(), 200);
  EXPECT_EQ(watch.NextBrief(), "ADDED c");
  const Answer patched = MergePatch(ConfigMaps("a"), R"({"data":{"k":"v"}})");
  const WatchLine modified = watch.Next();
  EXPECT_EQ(modified.Brief(), "MODIFIED a");
  EXPECT_EQ(Normal(modified.object), Normal(patched));
  Delete(ConfigMaps("a"));
  EXPECT_EQ(watch.NextBrief(), "DELETED a");
}

TEST_F(WatchTest, SendsADeletedObjectWithTheVersionOfItsDeletion) {
  const std::string created = CreateConfigMap("a", "", R"({"k":"v"})");
  WatchStream watch = Watch(ConfigMaps(), "resourceVersion=" + created);
  Delete(ConfigMaps("a"));
  const std::string next = CreateConfigMap("b");

  const WatchLine deleted = watch.Next();

  EXPECT_EQ(deleted.type, "DELETED");
  EXPECT_EQ(runtime::ToJson(deleted.object["data"]), R"({"k":"v"})");
  EXPECT_GT(std::stoull(std::string(deleted.version())), std::stoull(created));
  EXPECT_LT(std::stoull(std::string(deleted.version())), std::stoull(next));
  // A watch can continue from this version.
  EXPECT_EQ(Watch(ConfigMaps(), "resourceVersion=" + std::string(deleted.version())).NextBrief(),
            "ADDED b");
}

TEST_F(WatchTest, SendsTheStateWithoutAVersion) {
  for (const char* const name : {"b", "a"}) CreateConfigMap(name);

  for (const char* const query : {"", "resourceVersion=0"}) {
    WatchStream watch = Watch(ConfigMaps(), query + std::string(kShort));
    EXPECT_EQ(watch.NextBrief(), "ADDED a");
    EXPECT_EQ(watch.NextBrief(), "ADDED b");
    EXPECT_EQ(watch.NextBrief(), "EOF");
  }
}

TEST_F(WatchTest, MarksTheEndOfTheStateWithABookmark) {
  CreateConfigMap("a");

  for (const char* const query :
       {"allowWatchBookmarks=true", "allowWatchBookmarks=true&resourceVersion=0"}) {
    WatchStream watch = Watch(ConfigMaps(), query + std::string(kShort));
    EXPECT_EQ(watch.NextBrief(), "ADDED a");
    EXPECT_EQ(watch.NextBrief(), StreamsLists() ? "BOOKMARK end" : "EOF");
  }
}

// A client lists after this error.
TEST_F(WatchTest, StreamsAListOrRejectsTheRequest) {
  const std::string field = "sendInitialEvents";
  const std::string why =
      "Forbidden: sendInitialEvents is forbidden for watch unless the WatchList feature gate is "
      "enabled";
  const std::string query =
      "allowWatchBookmarks=true&resourceVersionMatch=NotOlderThan&sendInitialEvents=true";

  if (StreamsLists()) {
    EXPECT_EQ(Watch(ConfigMaps(), query).NextBrief(), "BOOKMARK end");
  } else {
    EXPECT_REFUSED(Get(ConfigMaps() + "?watch=1&" + query),
                   {.code = 422,
                    .reason = "Invalid",
                    .message = "ListOptions.meta.k8s.io \"\" is invalid: " + field + ": " + why,
                    .details = R"({"group":"meta.k8s.io","kind":"ListOptions","causes":[)" +
                               Cause("FieldValueForbidden", why, field) + "]}"});
  }
}

TEST_F(WatchTest, SendsNoStateFromTheCurrentVersion) {
  CreateConfigMap("a");
  WatchStream watch = Watch(ConfigMaps(), "resourceVersion=" + Version());

  CreateConfigMap("b");

  EXPECT_EQ(watch.NextBrief(), "ADDED b");
}

TEST_F(WatchTest, EndsInAnErrorFromAnExpiredVersion) {
  CreateConfigMap("a");
  if (!Compact()) GTEST_SKIP() << "needs CAPSTAN_CONTRACT_ETCD";
  WatchStream watch = Watch(ConfigMaps(), "resourceVersion=1");

  EXPECT_EQ(watch.code(), 200);
  WatchLine error = watch.Next();
  EXPECT_EQ(error.type, "ERROR");
  EXPECT_THAT(std::string(runtime::GetString(error.object, "message")),
              MatchesRegex("too old resource version: 1 \\([0-9]+\\)"));
  error.object.RemoveMember("message");
  EXPECT_EQ(Normal(error.object),
            Sorted(R"({"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure",)"
                   R"("reason":"Expired","code":410})"));
  EXPECT_EQ(watch.NextBrief(), "EOF");
}

TEST_F(WatchTest, SendsNothingFromAFutureVersion) {
  WatchStream watch = Watch(ConfigMaps(), "resourceVersion=99999999" + std::string(kShort));
  CreateConfigMap("a");

  EXPECT_EQ(watch.code(), 200);
  EXPECT_EQ(watch.NextBrief(), "EOF");
}

TEST_F(WatchTest, RejectsANonNumericVersion) {
  EXPECT_REFUSED(Get(ConfigMaps() + "?watch=1&resourceVersion=abc"),
                 {.code = 500,
                  .message = "resourceVersion: Invalid value: \"abc\": strconv.ParseUint: parsing "
                             "\"abc\": invalid syntax"});
}

TEST_F(WatchTest, ReportsLeavingTheSelectionAsADeletion) {
  CreateConfigMap("a", R"("labels":{"app":"x"})");
  WatchStream watch =
      Watch(ConfigMaps(), "resourceVersion=" + Version() + "&labelSelector=app%3Dx");

  MergePatch(ConfigMaps("a"), R"({"data":{"k":"1"}})");
  const Answer left = MergePatch(ConfigMaps("a"), R"({"metadata":{"labels":{"app":"y"}}})");
  CreateConfigMap("other", R"("labels":{"app":"y"})");
  MergePatch(ConfigMaps("a"), R"({"metadata":{"labels":{"app":"x"}}})");

  EXPECT_EQ(watch.NextBrief(), "MODIFIED a");
  const WatchLine gone = watch.Next();
  EXPECT_EQ(gone.Brief(), "DELETED a");
  EXPECT_EQ(gone.version(), left.meta("resourceVersion"));
  // The event has the last state that matched.
  EXPECT_EQ(runtime::ToJson(gone.object["metadata"]["labels"]), R"({"app":"x"})");
  EXPECT_EQ(watch.NextBrief(), "ADDED a");
}

TEST_F(WatchTest, WatchesOneName) {
  CreateConfigMap("a");
  CreateConfigMap("b");
  WatchStream watch = Watch(ConfigMaps(), "fieldSelector=metadata.name%3Db" + std::string(kShort));

  EXPECT_EQ(watch.NextBrief(), "ADDED b");
  EXPECT_EQ(watch.NextBrief(), "EOF");
}

TEST_F(WatchTest, WatchesOnlyItsNamespace) {
  WatchStream watch = Watch(ConfigMaps(), "resourceVersion=" + Version());
  const Answer other =
      Post("/api/v1/namespaces/default/configmaps", R"({"metadata":{"name":")" + ns() + R"("}})");
  DeleteLater("/api/v1/namespaces/default/configmaps/" + ns());
  EXPECT_EQ(other.code, 201);
  CreateConfigMap("mine");

  EXPECT_EQ(watch.NextBrief(), "ADDED mine");
}

TEST_F(WatchTest, WatchesForAnyValueExceptFalse) {
  CreateConfigMap("a");

  EXPECT_EQ(runtime::GetString(
                WatchLine::Parse(Get(ConfigMaps() + "?watch=yes" + kShort).body).object, "kind"),
            "ConfigMap");
  EXPECT_EQ(Names(Get(ConfigMaps() + "?watch=false")), "a ");
  EXPECT_EQ(Names(Get(ConfigMaps() + "?watch=0")), "a ");
}

class WatchListTest : public ContractTest {
 protected:
  void SetUp() override {
    ContractTest::SetUp();
    if (!StreamsLists()) GTEST_SKIP() << "The feature gate WatchList is off by default.";
  }
  static constexpr const char* kQuery =
      "sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true";

  static Refusal Forbidden(const std::string& message) {
    const std::string field = "resourceVersionMatch";
    return {
        .code = 422,
        .reason = "Invalid",
        .message = "ListOptions.meta.k8s.io \"\" is invalid: " + field + ": Forbidden: " + message,
        .details = R"({"group":"meta.k8s.io","kind":"ListOptions","causes":[)" +
                   Cause("FieldValueForbidden", "Forbidden: " + message, field) + "]}"};
  }
};

TEST_F(WatchListTest, SendsTheStateInKeyOrderThenABookmark) {
  for (const char* const name : {"c", "a", "b"}) CreateConfigMap(name);
  const std::string version = Version();
  WatchStream watch = Watch(ConfigMaps(), kQuery);

  EXPECT_EQ(watch.NextBrief(), "ADDED a");
  EXPECT_EQ(watch.NextBrief(), "ADDED b");
  EXPECT_EQ(watch.NextBrief(), "ADDED c");
  const WatchLine end = watch.Next();
  EXPECT_EQ(end.type, "BOOKMARK");
  EXPECT_GE(std::stoull(std::string(end.version())), std::stoull(version));
  EXPECT_EQ(Normal(end.object),
            Sorted(R"({"kind":"ConfigMap","apiVersion":"v1","metadata":{"resourceVersion":"RV",)"
                   R"("annotations":{"k8s.io/initial-events-end":"true"}}})"));
  // The same stream continues as a watch.
  CreateConfigMap("d");
  EXPECT_EQ(watch.NextBrief(), "ADDED d");
}

TEST_F(WatchListTest, SendsABookmarkForAnEmptyCollection) {
  WatchStream watch = Watch(Leases(), kQuery);

  EXPECT_EQ(Normal(watch.Next().object),
            Sorted(R"({"kind":"Lease","apiVersion":"coordination.k8s.io/v1","metadata":{)"
                   R"("resourceVersion":"RV",)"
                   R"("annotations":{"k8s.io/initial-events-end":"true"}},"spec":{}})"));
}

TEST_F(WatchListTest, SendsTheStateAtAnyKnownVersion) {
  const std::string first = CreateConfigMap("a");
  const std::string second = CreateConfigMap("b");

  // The second version comes first: only then is the server's watch cache sure to have both.
  for (const std::string& at : {second, first, std::string("1"), std::string("0")}) {
    WatchStream watch = Watch(ConfigMaps(), std::string(kQuery) + "&resourceVersion=" + at);
    EXPECT_EQ(watch.NextBrief(), "ADDED a");
    EXPECT_EQ(watch.NextBrief(), "ADDED b");
    EXPECT_EQ(watch.NextBrief(), "BOOKMARK end");
  }
}

TEST_F(WatchListTest, DoesNotMarkTheEndOfTheStateWithoutBookmarks) {
  CreateConfigMap("a");
  WatchStream watch = Watch(
      ConfigMaps(), "sendInitialEvents=true&resourceVersionMatch=NotOlderThan&timeoutSeconds=1");

  EXPECT_EQ(watch.NextBrief(), "ADDED a");
  EXPECT_EQ(watch.NextBrief(), "EOF");
}

TEST_F(WatchListTest, EndsInAnErrorAtAFutureVersion) {
  WatchStream watch = Watch(ConfigMaps(), std::string(kQuery) + "&resourceVersion=99999999");

  EXPECT_EQ(watch.code(), 200);
  const WatchLine error = watch.Next();
  EXPECT_EQ(error.type, "ERROR");
  EXPECT_EQ(error.object["code"].GetInt(), 504);
  EXPECT_EQ(runtime::GetString(error.object, "reason"), "Timeout");
  EXPECT_EQ(Sorted(runtime::ToJson(error.object["details"])),
            R"({"causes":[{"message":"Too large resource version",)"
            R"("reason":"ResourceVersionTooLarge"}],"retryAfterSeconds":1})");
}

TEST_F(WatchListTest, RejectsIncompatibleOptions) {
  const auto watch = [&](const std::string& query) {
    return Get(ConfigMaps() + "?watch=1&" + query);
  };
  EXPECT_REFUSED(
      watch("sendInitialEvents=true"),
      Forbidden("sendInitialEvents requires setting resourceVersionMatch to NotOlderThan"));
  EXPECT_REFUSED(
      watch("sendInitialEvents=false"),
      Forbidden("sendInitialEvents requires setting resourceVersionMatch to NotOlderThan"));
  EXPECT_REFUSED(watch("resourceVersionMatch=NotOlderThan"),
                 Forbidden("resourceVersionMatch is forbidden for watch unless sendInitialEvents "
                           "is provided"));
  EXPECT_REFUSED(watch("continue=x"),
                 Forbidden("resourceVersionMatch is forbidden when continue is provided"));
  const Answer exact = watch("sendInitialEvents=true&resourceVersionMatch=Exact");
  EXPECT_EQ(exact.code, 422);
  EXPECT_EQ(exact.message(),
            "ListOptions.meta.k8s.io \"\" is invalid: [resourceVersionMatch: Forbidden: "
            "sendInitialEvents requires setting resourceVersionMatch to NotOlderThan, "
            "resourceVersionMatch: Unsupported value: \"Exact\": supported values: "
            "\"NotOlderThan\"]");
}

TEST_F(WatchListTest, SendsOnlyTheSelection) {
  CreateConfigMap("a", R"("labels":{"l":"1"})");
  CreateConfigMap("b");
  WatchStream watch = Watch(ConfigMaps(), std::string(kQuery) + "&labelSelector=l");

  EXPECT_EQ(watch.NextBrief(), "ADDED a");
  EXPECT_EQ(watch.NextBrief(), "BOOKMARK end");
}

}  // namespace
}  // namespace capstan::testing::apiserver::contract
