// SPDX-License-Identifier: Apache-2.0
// Tests of the header Accept: PartialObjectMetadata and unknown representations.
#include "e2e/contract/fixture.h"

namespace capstan::testing::apiserver::contract {
namespace {

using ::testing::StartsWith;

constexpr const char* kPartial =
    "Accept: application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1";
constexpr const char* kPartialList =
    "Accept: application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1";

class AcceptTest : public ContractTest {
 protected:
  void SetUp() override {
    ContractTest::SetUp();
    const Answer secret =
        Post(Secrets(), R"({"metadata":{"name":"a","labels":{"l":"1"}},"stringData":{"k":"v"}})");
    AwaitCache(Secrets(), secret.meta("resourceVersion"));
  }
};

TEST_F(AcceptTest, ReturnsAnObjectAsMetadata) {
  const Answer full = Get(Secrets("a"));

  const Answer partial = Get(Secrets("a"), {kPartial});

  EXPECT_EQ(partial.code, 200);
  EXPECT_EQ(partial.json.MemberCount(), 3U);
  EXPECT_EQ(runtime::GetString(partial.json, "kind"), "PartialObjectMetadata");
  EXPECT_EQ(runtime::GetString(partial.json, "apiVersion"), "meta.k8s.io/v1");
  EXPECT_EQ(Sorted(runtime::ToJson(partial.json["metadata"])),
            Sorted(runtime::ToJson(full.json["metadata"])));
}

TEST_F(AcceptTest, ReturnsAListAsMetadata) {
  const Answer list = Get(Secrets(), {kPartialList});

  EXPECT_EQ(list.code, 200);
  EXPECT_EQ(runtime::GetString(list.json, "kind"), "PartialObjectMetadataList");
  EXPECT_EQ(runtime::GetString(list.json, "apiVersion"), "meta.k8s.io/v1");
  EXPECT_EQ(list.meta("resourceVersion"), Get(Secrets()).meta("resourceVersion"));
  // Items of this list have a kind.
  EXPECT_EQ(runtime::GetString(list.json["items"][0], "kind"), "PartialObjectMetadata");
  EXPECT_EQ(list.json["items"][0].MemberCount(), 3U);
}

TEST_F(AcceptTest, ReturnsNullItemsForAnEmptyListAsMetadata) {
  EXPECT_EQ(Normal(Get(Leases(), {kPartialList})),
            Sorted(R"({"kind":"PartialObjectMetadataList","apiVersion":"meta.k8s.io/v1",)"
                   R"("metadata":{"resourceVersion":"RV"},"items":null})"));
}

TEST_F(AcceptTest, ReturnsTheOlderVersionOfMetadataAndTables) {
  constexpr std::string_view kBeta = "meta.k8s.io/v1beta1";
  const auto accept = [](const std::string& as) {
    return std::vector{"Accept: application/json;as=" + as + ";g=meta.k8s.io;v=v1beta1"};
  };
  const auto version = [](const runtime::JsonValue& object) {
    return runtime::GetString(object, "apiVersion");
  };

  EXPECT_EQ(version(Get(Secrets("a"), accept("PartialObjectMetadata")).json), kBeta);
  const Answer list = Get(Secrets(), accept("PartialObjectMetadataList"));
  EXPECT_EQ(version(list.json), kBeta);
  EXPECT_EQ(version(list.json["items"][0]), kBeta);
  const Answer table = Get(Secrets(), accept("Table"));
  EXPECT_EQ(version(table.json), kBeta);
  EXPECT_EQ(version(table.json["rows"][0]["object"]), kBeta);
  WatchStream watch = Watch(Secrets(), "resourceVersion=0", accept("PartialObjectMetadata"));
  EXPECT_EQ(version(watch.Next().object), kBeta);
}

TEST_F(AcceptTest, WatchesMetadata) {
  WatchStream watch =
      Watch(Secrets(),
            StreamsLists() ? "sendInitialEvents=true&resourceVersionMatch=NotOlderThan&"
                             "allowWatchBookmarks=true"
                           : "resourceVersion=0",
            {kPartial});
  const WatchLine added = watch.Next();

  EXPECT_EQ(added.Brief(), "ADDED a");
  EXPECT_EQ(runtime::GetString(added.object, "kind"), "PartialObjectMetadata");
  EXPECT_EQ(runtime::Find(added.object, "data"), nullptr);
  if (!StreamsLists()) return;
  const WatchLine end = watch.Next();
  EXPECT_EQ(end.Brief(), "BOOKMARK end");
  EXPECT_EQ(runtime::GetString(end.object, "kind"), "PartialObjectMetadata");
}

TEST_F(AcceptTest, ReturnsAPatchedObjectAsMetadata) {
  const Answer patched = Do("PATCH", Secrets("a"), R"({"metadata":{"labels":{"l":"2"}}})",
                            {kPartial, "Content-Type: application/merge-patch+json"});

  EXPECT_EQ(patched.code, 200);
  EXPECT_EQ(runtime::GetString(patched.json, "kind"), "PartialObjectMetadata");
}

TEST_F(AcceptTest, ReturnsErrorsAsStatus) {
  EXPECT_REFUSED(Get(Secrets("none"), {kPartial}),
                 {.code = 404,
                  .reason = "NotFound",
                  .message = "secrets \"none\" not found",
                  .details = R"({"name":"none","kind":"secrets"})"});
}

TEST_F(AcceptTest, SelectsTheFirstKnownRepresentation) {
  const auto kind = [&](const std::string& accept) {
    const Answer answer = Get(Secrets("a"), {"Accept: " + accept});
    return std::string(runtime::GetString(answer.json, "kind"));
  };
  const std::string partial = std::string(kPartial).substr(8);

  EXPECT_EQ(kind(partial + ",application/json"), "PartialObjectMetadata");
  EXPECT_EQ(kind("application/json," + partial), "Secret");
  EXPECT_EQ(kind("application/json;as=Nope;g=meta.k8s.io;v=v1,application/json"), "Secret");
  EXPECT_EQ(kind("text/html,application/json;q=0.5"), "Secret");
  EXPECT_EQ(kind("*/*"), "Secret");
  EXPECT_EQ(kind("application/json;charset=utf-8"), "Secret");
}

TEST_F(AcceptTest, RejectsAListAsAnObjectAndAnObjectAsAList) {
  EXPECT_REFUSED(Get(Secrets(), {kPartial}),
                 {.code = 406,
                  .reason = "NotAcceptable",
                  .message = "you requested PartialObjectMetadata, but the requested object is a "
                             "list (*core.SecretList)"});
  EXPECT_REFUSED(Get(Secrets("a"), {kPartialList}),
                 {.code = 406,
                  .reason = "NotAcceptable",
                  .message = "you requested PartialObjectMetadataList, but the requested object is "
                             "not a list (*core.Secret)"});
}

TEST_F(AcceptTest, RejectsUnknownRepresentations) {
  // The types that follow in each text differ between servers.
  for (const std::string& target : {Secrets(), Secrets("a"), Secrets() + "?watch=1"}) {
    for (const char* const accept : {"text/html", "application/*"}) {
      const Answer answer = Get(target, {"Accept: " + std::string(accept)});
      EXPECT_EQ(answer.code, 406) << target << accept;
      EXPECT_EQ(answer.reason(), "NotAcceptable");
      EXPECT_THAT(std::string(answer.message()),
                  StartsWith("406: Not Acceptable\n\nAvailable representations: application/json"));
    }
  }
  for (const char* const parameters : {"as=Nope;g=meta.k8s.io;v=v1", "as=PartialObjectMetadata",
                                       "as=PartialObjectMetadata;g=meta.k8s.io;v=v9",
                                       "as=PartialObjectMetadata;g=other;v=v1", "g=x;v=y"}) {
    const Answer answer =
        Get(Secrets("a"), {"Accept: application/json;" + std::string(parameters)});
    EXPECT_EQ(answer.code, 406) << parameters;
    EXPECT_THAT(std::string(answer.message()),
                StartsWith("only the following media types are accepted: application/json"));
  }
}

}  // namespace
}  // namespace capstan::testing::apiserver::contract
