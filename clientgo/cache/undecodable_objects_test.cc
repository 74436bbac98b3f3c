// SPDX-License-Identifier: Apache-2.0
// A client and a scripted server whose objects cannot be decoded if their version ends in "bad".

#include "clientgo/cache/testing/scenario_fixture.h"

namespace capstan::cache {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

struct UndecodableObjectsTest : ScenarioFixture {
  UndecodableObjectsTest() {
    type.decode = [](const runtime::ObjectIdentity& meta,
                     const runtime::JsonValue&) -> Expected<runtime::ObjectPtr> {
      if (meta.resource_version.ends_with("bad")) {
        return Err(ErrorReason::kDecode, "it is damaged");
      }
      return runtime::MakeObject<runtime::Object>(meta);
    };
  }
  // Ends the watch with 410 Gone and scripts the list after it. Returns the next watch.
  std::shared_ptr<testing::FakeBody> Relist(testing::FakeBody& watch,
                                            const std::vector<std::string>& items) {
    OnList(ListJson("50", items));
    auto next = OnWatch();
    watch.Push(EventJson("ERROR", StatusJson(410, "Expired", "too old resource version")));
    EXPECT_TRUE(next->BlockUntilDrained());
    return next;
  }
  UndecodableStatus Undecodable() const { return informer->Status().undecodable; }
};

TEST_F(UndecodableObjectsTest, RelistKeepsTheLastVersionThatCouldBeDecoded) {
  const auto watch = StartWith({Json("a", "1"), Json("b", "2"), Json("c", "3")});

  const auto next = Relist(*watch, {Json("a", "40bad"), Json("b", "41")});

  EXPECT_THAT(Stored(), ElementsAre("ns/a=1", "ns/b=41"));
  next->Push(Added("d", "51"));
  EXPECT_THAT(CallsAfter(3, 3),
              ElementsAre("delete ns/c=3 unknown", "update ns/b=2 ns/b=41", "add ns/d=51"));
  EXPECT_EQ(Undecodable().count, 1U);
  EXPECT_EQ(Undecodable().key, "ns/a");
  EXPECT_EQ(Undecodable().error, "bad Secret ns/a: it is damaged");
  EXPECT_THAT(metrics.undecodable.lines(), ElementsAre("secrets 1"));
}

TEST_F(UndecodableObjectsTest, StreamingRelistKeepsTheLastVersionThatCouldBeDecoded) {
  const auto watch = OnWatch();
  watch->Push(Added("a", "1") + Added("b", "2") + Added("c", "3") + BookmarkJson("10", "true"));
  Start({.watch_list = true});
  ASSERT_TRUE(watch->BlockUntilDrained());
  const auto next = OnWatch();
  next->Push(Added("a", "40bad") + Added("b", "41") + Modified("b", "42bad") + Added("d", "43bad") +
             Modified("d", "44") + BookmarkJson("50", "true"));

  watch->Push(EventJson("ERROR", StatusJson(410, "Expired", "too old resource version")));

  ASSERT_TRUE(next->BlockUntilDrained());
  EXPECT_THAT(Stored(), ElementsAre("ns/a=1", "ns/b=41", "ns/d=44"));
  EXPECT_EQ(Undecodable().count, 2U);
  EXPECT_EQ(Undecodable().key, "ns/a");
}

TEST_F(UndecodableObjectsTest, ModifiedEventKeepsTheLastVersionThatCouldBeDecoded) {
  const auto watch = StartWith({Json("a", "1")});

  watch->Push(Modified("a", "11bad") + Added("b", "12"));

  EXPECT_THAT(CallsAfter(1, 1), ElementsAre("add ns/b=12"));
  ASSERT_TRUE(watch->BlockUntilDrained());
  EXPECT_THAT(Stored(), ElementsAre("ns/a=1", "ns/b=12"));
  EXPECT_EQ(Undecodable().count, 1U);
  EXPECT_EQ(informer->Status().resource_version, "12");
}

TEST_F(UndecodableObjectsTest, CountDropsWhenTheObjectIsDecodedOrDeleted) {
  const auto watch = StartWith({Json("a", "1"), Json("b", "2"), Json("c", "3")});
  watch->Push(Modified("a", "11bad") + Modified("b", "12bad") + Modified("c", "13bad") +
              Added("new", "14bad"));
  ASSERT_TRUE(metrics.undecodable.WaitForLines(4));
  ASSERT_TRUE(watch->BlockUntilDrained());
  EXPECT_EQ(Undecodable().count, 4U);

  watch->Push(Modified("a", "21") + Deleted("b", "22bad") + Deleted("new", "23bad"));

  EXPECT_THAT(CallsAfter(3, 2), ElementsAre("update ns/a=1 ns/a=21", "delete ns/b=2"));
  ASSERT_TRUE(metrics.undecodable.WaitForLines(7));
  ASSERT_TRUE(watch->BlockUntilDrained());
  EXPECT_EQ(Undecodable().count, 1U);
  EXPECT_EQ(Undecodable().key, "ns/c");
  const auto next = Relist(*watch, {Json("a", "21"), Json("c", "31")});
  EXPECT_EQ(Undecodable().count, 0U);
  EXPECT_EQ(metrics.undecodable.lines().back(), "secrets 0");
  EXPECT_THAT(Stored(), ElementsAre("ns/a=21", "ns/c=31"));
}

TEST_F(UndecodableObjectsTest, RelistRemovesObjectThatWasRecreatedUndecodable) {
  const auto watch = StartWith({Json("a", "1", "old")});

  const auto next = Relist(*watch, {Json("a", "40bad", "new")});

  EXPECT_THAT(CallsAfter(1, 1), ElementsAre("delete ns/a=1 unknown"));
  EXPECT_THAT(Stored(), IsEmpty());
  EXPECT_EQ(Undecodable().count, 1U);
}

TEST_F(UndecodableObjectsTest, RelistRemovesNothingWhileAnItemHasNoReadableName) {
  const auto watch = StartWith({Json("a", "1"), Json("b", "2")});

  const auto next = Relist(*watch, {Json("b", "41"), R"({"metadata":{"resourceVersion":"42"}})"});

  EXPECT_THAT(Stored(), ElementsAre("ns/a=1", "ns/b=41"));
  EXPECT_EQ(Undecodable().count, 1U);
  EXPECT_EQ(Undecodable().key, "");
  EXPECT_THAT(Undecodable().error, HasSubstr("no metadata.name"));
  next->Push(Deleted("b", "51"));
  EXPECT_THAT(CallsAfter(2, 2), ElementsAre("update ns/b=2 ns/b=41", "delete ns/b=51"))
      << "the watch deletes as before";
}

TEST_F(UndecodableObjectsTest, RelistKeepsObjectWhoseItemIsNotJson) {
  type.projection = {{"data"}};
  const auto watch = StartWith({Json("a", "1"), Json("b", "2")});

  const auto next = Relist(*watch, {Json("a", "40", "uid-a", ",\"data\":{\"x\":\"\xff\"}")});

  EXPECT_THAT(Stored(), ElementsAre("ns/a=1")) << "only an object without a name keeps all others";
  EXPECT_EQ(Undecodable().key, "ns/a");
  EXPECT_THAT(Undecodable().error, HasSubstr("not UTF-8"));
  EXPECT_THAT(Undecodable().error, Not(HasSubstr("\xff")));
}

TEST_F(UndecodableObjectsTest, RemovesItsCountWithTheInformer) {
  OnList(ListJson("10", {Json("a", "1bad")}));
  const auto watch = OnWatch();
  Start();
  ASSERT_TRUE(watch->BlockUntilDrained());
  EXPECT_THAT(Stored(), IsEmpty());
  EXPECT_EQ(Undecodable().count, 1U);

  Stop();
  informer.reset();

  EXPECT_THAT(metrics.undecodable.lines(), ElementsAre("secrets 1", "secrets 0"));
}

}  // namespace
}  // namespace capstan::cache
