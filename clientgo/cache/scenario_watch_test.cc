// SPDX-License-Identifier: Apache-2.0
// The streams of WATCH and WATCH-LIST: bytes in any split, unknown events, unordered versions, and
// servers without WATCH-LIST.
#include <map>

#include "clientgo/cache/testing/scenario_fixture.h"

namespace capstan::cache {
namespace {

using ScenarioStreamTest = ScenarioFixture;
using ::testing::HasSubstr;

Error Broken(const std::string& message) {
  return {.reason = ErrorReason::kUnexpectedEof, .message = message};
}

TEST_F(ScenarioStreamTest, ResumesSoonAfterSilentWatchShouldHaveEnded) {
  const auto watch = StartWith({Json("a", "1")});
  const transport::HttpRequest request = transport->requests()[1];
  EXPECT_THAT(request.target, HasSubstr("timeoutSeconds=300"));
  EXPECT_GT(request.idle_timeout, seconds(300)) << "a quiet watch is not a dead peer";
  EXPECT_LE(request.idle_timeout, seconds(345));
  const auto resumed = OnWatch();
  resumed->Push(Deleted("a", "12"));

  clock.Step(request.idle_timeout);
  watch->Fail(Broken("nothing came for too long"));  // as a transport reports it

  EXPECT_THAT(CallsAfter(1, 1), ElementsAre("delete ns/a=12"));
  EXPECT_THAT(Requests(), ElementsAre(kFirstList, WatchAt("10"), WatchAt("10")));
}

TEST_F(ScenarioStreamTest, AppliesEveryEventOnceForEverySplit) {
  const std::string stream =
      Added("b", "11") + Modified("\xc3\xa9t\xc3\xa9", "12") + Deleted("b", "13");
  for (const std::size_t size : {std::size_t{1}, std::size_t{3}, stream.size()}) {
    const auto watch = StartWith({Json("a", "1")});
    for (std::size_t i = 0; i < stream.size(); i += size) watch->Push(stream.substr(i, size));
    EXPECT_THAT(CallsAfter(1, 3),
                ElementsAre("add ns/b=11", "add ns/\xc3\xa9t\xc3\xa9=12", "delete ns/b=13"));
    Stop();
  }
}

TEST_F(ScenarioStreamTest, AppliesLargeObjectOnlyWhenComplete) {
  const std::string value(std::size_t{1536} * 1024, 'x');
  const std::string big =
      EventJson("MODIFIED", Json("a", "12", "", R"(,"data":{"k":")" + value + "\"}"));
  const auto watch = StartWith({Json("a", "1")});
  const auto resumed = OnWatch();

  watch->Push(Added("b", "11") + big.substr(0, 1000));
  watch->Push(big.substr(1000, big.size() - 1003));
  ASSERT_TRUE(watch->BlockUntilDrained());
  EXPECT_THAT(Stored(), ElementsAre("ns/a=1", "ns/b=11"));
  EXPECT_EQ(informer->Status().resource_version, "11");
  watch->Fail(Broken("unexpected EOF"));
  for (std::size_t i = 0; i < big.size(); i += 4096) resumed->Push(big.substr(i, 4096));

  EXPECT_THAT(CallsAfter(1, 2), ElementsAre("add ns/b=11", "update ns/a=1 ns/a=12"));
  EXPECT_THAT(Requests(), ElementsAre(kFirstList, WatchAt("10"), WatchAt("11")));
}

TEST_F(ScenarioStreamTest, ListsAgainAfterInvalidBytes) {
  for (const std::string& garbage :
       {std::string("{\"type\":\"ADDED\",\"object\":{{{\n"), std::string("<html>login</html>\n"),
        std::string("\x00\xff\n", 3), StatusJson(403, "Forbidden", "a proxy, with status 200")}) {
    const auto watch = StartWith({Json("a", "1")});
    OnList(ListJson("20", {Json("a", "1")}));
    const auto next = OnWatch();

    watch->Push(Added("b", "12") + garbage);
    ASSERT_TRUE(Pass(milliseconds(800))) << garbage;
    ASSERT_TRUE(next->BlockUntilDrained()) << garbage;
    next->Push(Modified("a", "21"));

    EXPECT_THAT(Requests(), ElementsAre(kFirstList, WatchAt("10"), ListAt("12"), WatchAt("20")));
    EXPECT_THAT(CallsAfter(1, 3),
                ElementsAre("add ns/b=12", "delete ns/b=12 unknown", "update ns/a=1 ns/a=21"));
    Stop();
    clock.Step(std::chrono::minutes(3));  // the next case starts with the first delay
  }
}

TEST_F(ScenarioStreamTest, ComparesVersionsOnlyForEquality) {
  auto watch = StartWith({Json("a", "900"), Json("b", "zz"), Json("c", "900")});
  const auto resumed = OnWatch();

  watch->Push(Modified("a", "7") + Modified("a", "x-y") + Modified("a", "x-y"));
  watch->Push(Modified("b", "0zz") + Deleted("c", "8") + Modified("a", "0007"));
  watch->End();

  EXPECT_THAT(CallsAfter(3, 5),
              ElementsAre("update ns/a=900 ns/a=7", "update ns/a=7 ns/a=x-y",
                          "update ns/b=zz ns/b=0zz", "delete ns/c=8", "update ns/a=x-y ns/a=0007"));
  EXPECT_THAT(Stored(), ElementsAre("ns/a=0007", "ns/b=0zz"));
  ASSERT_TRUE(resumed->BlockUntilDrained());
  EXPECT_EQ(Requests().back(), WatchAt("0007"));
}

TEST_F(ScenarioStreamTest, DeletesObjectThatLeavesSelection) {
  const auto watch = StartWith({Json("a", "1")}, {.scope = {.label_selector = "app=x"}});

  watch->Push(Deleted("a", "15"));

  EXPECT_THAT(CallsAfter(1, 1), ElementsAre("delete ns/a=15"));
  EXPECT_THAT(Stored(), IsEmpty());
  for (const std::string& target : Requests())
    EXPECT_THAT(target, HasSubstr("labelSelector=app%3Dx"));
}

TEST_F(ScenarioStreamTest, SkipsEventOfUnknownTypeAndKeepsItsVersion) {
  const auto watch = StartWith({Json("a", "1")});
  const auto resumed = OnWatch();

  watch->Push(EventJson("RENAMED", Json("a", "12")) + Added("b", "13") +
              EventJson("RENAMED", Json("a", "14")));
  watch->End();

  ASSERT_TRUE(resumed->BlockUntilDrained());
  EXPECT_THAT(Requests(), ElementsAre(kFirstList, WatchAt("10"), WatchAt("14")));
  EXPECT_THAT(Stored(), ElementsAre("ns/a=1", "ns/b=13"));
  EXPECT_THAT(CallsAfter(1, 1), ElementsAre("add ns/b=13"));
}

TEST_F(ScenarioStreamTest, KeepsOnlyMetadataWhenServerSendsWholeObjects) {
  type.metadata_only = true;
  type.decode = [](const runtime::ObjectIdentity& meta,
                   const runtime::JsonValue& json) -> Expected<runtime::ObjectPtr> {
    EXPECT_EQ(runtime::Find(json, "data"), nullptr);
    return runtime::MakeObject<runtime::Object>(meta);
  };
  const std::string data = R"(,"data":{"k":")" + std::string(4000, 'x') + "\"}";
  const auto watch = StartWith({Json("a", "1", "", data)});
  watch->Push(EventJson("ADDED", Json("b", "2", "", data)));
  std::string partial = Json("c", "3");
  partial.replace(partial.find("Secret"), 6, "PartialObjectMetadata");
  watch->Push(EventJson("ADDED", partial));

  EXPECT_THAT(CallsAfter(0, 3), ElementsAre("add ns/a=1 initial", "add ns/b=2", "add ns/c=3"));
  const auto& store = informer->store();
  EXPECT_EQ(store.GetByKey("ns/a")->ByteSize(), store.GetByKey("ns/c")->ByteSize());
  EXPECT_EQ(store.GetByKey("ns/b")->ByteSize(), store.GetByKey("ns/c")->ByteSize());
  for (const auto& request : transport->requests()) {
    EXPECT_THAT(transport::FindHeader(request.headers, "Accept"),
                HasSubstr("as=PartialObjectMetadata"));
  }
}

TEST_F(ScenarioStreamTest, SkipsOnlyUndecodableObjectsAndDecodesEachOnce) {
  std::map<std::string, int> decoded;  // used by the reflector's thread until Stop
  type.decode = [&](const runtime::ObjectIdentity& meta,
                    const runtime::JsonValue&) -> Expected<runtime::ObjectPtr> {
    auto object = runtime::MakeObject<runtime::Object>(meta);
    ++decoded[Show(*object)];
    if (meta.name == "bad") return Err(ErrorReason::kDecode, "it cannot be understood");
    if (meta.name == "nothing") return nullptr;
    return object;
  };
  OnList(ListJson("10", {Json("a", "1"), Json("bad", "2"), Json("nothing", "3"), Json("b", "4")}));
  const auto watch = OnWatch();
  watch->Push(Added("bad", "11") + Modified("nothing", "12") + Modified("a", "13") +
              Modified("bad", "14"));
  const auto resumed = OnWatch();
  Start();
  ASSERT_TRUE(watch->BlockUntilDrained());
  watch->End();
  ASSERT_TRUE(resumed->BlockUntilDrained());

  EXPECT_THAT(Stored(), ElementsAre("ns/a=13", "ns/b=4"));
  EXPECT_THAT(CallsAfter(0, 3),
              ElementsAre("add ns/a=1 initial", "add ns/b=4 initial", "update ns/a=1 ns/a=13"));
  EXPECT_EQ(Requests().back(), WatchAt("14")) << "a skipped event is requested again";
  Stop();
  EXPECT_EQ(decoded.size(), 8U);
  for (const auto& [object, times] : decoded) EXPECT_EQ(times, 1) << object;
}

TEST_F(ScenarioStreamTest, DeletesObjectWhoseLastStateCannotBeDecoded) {
  type.decode = [](const runtime::ObjectIdentity& meta,
                   const runtime::JsonValue&) -> Expected<runtime::ObjectPtr> {
    if (meta.resource_version >= "20") return Err(ErrorReason::kDecode, "it is damaged");
    return runtime::MakeObject<runtime::Object>(meta);
  };
  const auto watch = StartWith({Json("a", "10"), Json("b", "11")});

  watch->Push(Modified("a", "20") + Deleted("a", "21") + Deleted("unheard-of", "22") +
              Deleted("b", "23"));

  EXPECT_THAT(CallsAfter(2, 2), ElementsAre("delete ns/a=10", "delete ns/b=11"));
  EXPECT_THAT(Stored(), IsEmpty());
}

using ScenarioWatchListTest = ScenarioFixture;

const ScenarioOptions kWatchList = {.watch_list = true};

struct ScenarioSyncedWatchListTest : ScenarioFixture {
  // Has synced with a=1, b=2, c=3 at version 10.
  ScenarioSyncedWatchListTest() {
    stream = OnWatch();
    stream->Push(Added("a", "1") + Added("b", "2") + Added("c", "3") + BookmarkJson("10", "true"));
    Start(kWatchList);
    EXPECT_TRUE(record->WaitForLines(3));
    EXPECT_TRUE(stream->BlockUntilDrained());
  }
  std::shared_ptr<testing::FakeBody> stream;
};

TEST_F(ScenarioWatchListTest, EndsInitialEventsOnlyWhenAnnotationIsTrue) {
  const auto stream = OnWatch();
  Start(kWatchList);

  for (const std::string& bookmark : {BookmarkJson("8"), BookmarkJson("9", "false")}) {
    stream->Push(Added("a", "1") + bookmark);
    ASSERT_TRUE(stream->BlockUntilDrained());
    EXPECT_FALSE(informer->HasSynced());
    EXPECT_THAT(Stored(), IsEmpty());
    EXPECT_THAT(record->lines(), IsEmpty());
  }
  stream->Push(BookmarkJson("10", "true"));
  ASSERT_TRUE(stream->BlockUntilDrained());

  EXPECT_TRUE(informer->HasSynced());
  EXPECT_THAT(CallsAfter(0, 1), ElementsAre("add ns/a=1 initial"));
  EXPECT_THAT(Requests(), ElementsAre(kFirstWatchList));
}

TEST_F(ScenarioWatchListTest, DeletesObjectInInitialEventsWhoseLastStateCannotBeDecoded) {
  type.decode = [](const runtime::ObjectIdentity& meta,
                   const runtime::JsonValue&) -> Expected<runtime::ObjectPtr> {
    if (meta.resource_version == "7") return Err(ErrorReason::kDecode, "it is damaged");
    return runtime::MakeObject<runtime::Object>(meta);
  };
  const auto stream = OnWatch();
  stream->Push(Added("a", "5") + Added("b", "6") + Deleted("a", "7") + BookmarkJson("10", "true"));

  Start(kWatchList);

  EXPECT_THAT(CallsAfter(0, 1), ElementsAre("add ns/b=6 initial"));
  EXPECT_THAT(Stored(), ElementsAre("ns/b=6"));
}

TEST_F(ScenarioWatchListTest, ListsAfterTwentySilentSecondsWithoutEnd) {
  const auto mute = OnWatch();
  mute->Push(Added("a", "1") + Added("b", "2") + BookmarkJson("9"));
  Start(kWatchList);
  ASSERT_TRUE(mute->BlockUntilDrained());
  OnList(ListJson("10", {Json("a", "1"), Json("b", "2")}));
  const auto watch = OnWatch();

  ASSERT_TRUE(Pass(seconds(20)));

  ASSERT_TRUE(watch->BlockUntilDrained());
  EXPECT_TRUE(mute->BlockUntilClosed());
  EXPECT_THAT(Requests(), ElementsAre(kFirstWatchList, kFirstList, WatchAt("10")));
  watch->Push(Added("c", "11"));
  EXPECT_THAT(CallsAfter(0, 3),
              ElementsAre("add ns/a=1 initial", "add ns/b=2 initial", "add ns/c=11"));
}

TEST_F(ScenarioWatchListTest, ListsOnceAndWatchesWhenServerRejectsWatchList) {
  const std::vector<std::pair<int, std::string>> refusals = {
      {422, "Invalid"}, {400, "BadRequest"}, {403, "Forbidden"}, {500, "InternalError"}};
  for (const auto& [code, reason] : refusals) {
    OnStatus(code, reason,
             "sendInitialEvents is forbidden for watch unless the WatchList feature gate is on");
    OnList(ListJson("10", {Json("a", "1")}));
    const auto watch = OnWatch();
    Start(kWatchList);
    ASSERT_TRUE(watch->BlockUntilDrained()) << code;

    EXPECT_THAT(Requests(), ElementsAre(kFirstWatchList, kFirstList, WatchAt("10")));
    EXPECT_THAT(CallsAfter(0, 1), ElementsAre("add ns/a=1 initial"));
    EXPECT_FALSE(clock.HasWaiters());
    Stop();
  }
}

TEST_F(ScenarioWatchListTest, RestartsWithoutVersionWhenInitialEventsBreak) {
  const auto cut = OnWatch();
  cut->Push(Added("a", "99") + Added("b", "3"));
  cut->Fail({.reason = ErrorReason::kUnexpectedEof, .message = "connection reset by peer"});
  const auto stream = OnWatch();
  // The events are in the order of keys. A watch that resumed at 99 would miss "c", and one at 3
  // would repeat "d".
  stream->Push(Added("a", "99") + Added("b", "3") + Added("c", "50") + Added("d", "7"));
  stream->Push(BookmarkJson("120", "true"));
  Start(kWatchList);
  ASSERT_TRUE(stream->BlockUntilDrained());

  EXPECT_THAT(Requests(), ElementsAre(kFirstWatchList, kFirstWatchList));
  EXPECT_THAT(Stored(), ElementsAre("ns/a=99", "ns/b=3", "ns/c=50", "ns/d=7"));
  stream->Push(Added("e", "121"));
  EXPECT_THAT(CallsAfter(0, 5),
              ElementsAre(::testing::_, ::testing::_, ::testing::_, ::testing::_, "add ns/e=121"));
}

TEST_F(ScenarioSyncedWatchListTest, HoldsChangesBackUntilInitialEventsEnd) {
  const auto again = OnWatch();
  again->Push(Added("a", "1") + Added("b", "2") + Added("c", "3") + Added("d", "4"));
  again->Push(Modified("b", "21") + Deleted("c", "22") + Deleted("d", "23"));
  stream->Push(EventJson("ERROR", StatusJson(410, "Expired", "too old resource version")));
  ASSERT_TRUE(again->BlockUntilDrained());

  EXPECT_THAT(Requests(), ElementsAre(kFirstWatchList, WatchListAt("10")));
  EXPECT_THAT(Stored(), ElementsAre("ns/a=1", "ns/b=2", "ns/c=3"));
  EXPECT_EQ(record->lines().size(), 3U);
  again->Push(BookmarkJson("24", "true"));

  EXPECT_THAT(CallsAfter(3, 2), ElementsAre("delete ns/c=3 unknown", "update ns/b=2 ns/b=21"));
  EXPECT_THAT(Stored(), ElementsAre("ns/a=1", "ns/b=21"));
}

TEST_F(ScenarioSyncedWatchListTest, ReconnectsAsPlainWatchAndRepeatsNothing) {
  const auto resumed = OnWatch();
  stream->Push(BookmarkJson("15"));
  clock.Step(std::chrono::minutes(5));
  stream->End();
  ASSERT_TRUE(resumed->BlockUntilDrained());
  resumed->Push(Modified("a", "16"));

  EXPECT_THAT(CallsAfter(3, 1), ElementsAre("update ns/a=1 ns/a=16"));
  EXPECT_THAT(Requests(), ElementsAre(kFirstWatchList, WatchAt("15")));
}

}  // namespace
}  // namespace capstan::cache
