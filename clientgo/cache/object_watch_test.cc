// SPDX-License-Identifier: Apache-2.0
#include "capstan/cache/object_watch.h"

#include <atomic>

#include "capstan/cache/informer_factory.h"
#include "clientgo/cache/testing/informer_fixture.h"

namespace capstan::cache {
namespace {

struct ObjectWatchTest : ::testing::Test {
  ObjectWatchTest() { source.AllowSuspend(); }
  ~ObjectWatchTest() override {
    watch.reset();
    stop.request_stop();
    factory.Shutdown();
  }
  // Watches ns/a. The server has this object, or none.
  std::shared_ptr<FakeWatch> Watch(std::vector<runtime::ObjectPtr> objects) {
    source.OnList(Page(std::move(objects), "10"));
    auto events = source.OnWatch();
    factory.Start(stop.get_token());
    watch =
        factory.WatchObject(SecretType(), {"ns", "a"}, [this](const runtime::ObjectPtr& object) {
          const ObjectWatch* copy = made;
          record.Write(Show(*object) + (copy != nullptr && copy->Get() == object ? " now" : ""));
        });
    made = watch.get();
    EXPECT_TRUE(events->WaitUntilRead());
    return events;
  }
  SharedInformerFactory Make() {
    FactoryOptions options{
        .reflector = {.watch_list = false, .clock = clock, .random = [] { return 0.0; }}};
    options.reflector.metrics = &metrics;
    return {[this](const runtime::ResourceType& type, const Scope& scope) {
              scopes.Write(type.gvr.resource + " in " + scope.namespace_ + " with " +
                           scope.field_selector);
              return std::make_unique<ForwardingListerWatcher>(source);
            },
            std::move(options)};
  }

  testing::FakeClock clock;
  RecordingMetrics metrics;
  FakeListerWatcher source{clock};
  Journal scopes;
  Journal record;
  std::stop_source stop;
  SharedInformerFactory factory = Make();
  std::shared_ptr<ObjectWatch> watch;
  std::atomic<const ObjectWatch*> made = nullptr;  // `watch`, for its callback
};

TEST_F(ObjectWatchTest, ReadsAndWatchesOneObject) {
  const auto events = Watch({MakeObject("a", 1)});

  EXPECT_THAT(scopes.lines(), ElementsAre("secrets in ns with metadata.name=a"));
  EXPECT_THAT(source.Requests(),
              ElementsAre("LIST rv=0 limit=500", "WATCH rv=10 bookmarks timeout=300"));
  EXPECT_TRUE(watch->HasSynced());
  EXPECT_EQ(Show(*watch->Get()), "ns/a=1");
}

TEST_F(ObjectWatchTest, ReportsEachChangeAfterItsCopyHasChanged) {
  const auto events = Watch({});
  EXPECT_TRUE(watch->HasSynced());
  EXPECT_EQ(watch->Get(), nullptr);

  events->Add(MakeObject("a", 11));
  events->Modify(MakeObject("a", 12));
  events->Modify(MakeObject("a", 12));
  events->Delete(MakeObject("a", 13));
  ASSERT_TRUE(events->WaitUntilRead());

  EXPECT_THAT(record.lines(), ElementsAre("ns/a=11 now", "ns/a=12 now", "ns/a=12"));
  EXPECT_EQ(watch->Get(), nullptr);
}

TEST_F(ObjectWatchTest, ReportsDeletionFoundByRelist) {
  const auto events = Watch({MakeObject("a", 1)});
  source.OnList(Page({}, "50"));
  const auto next = source.OnWatch();

  events->SendError(MakeError(ErrorReason::kExpired, 410));
  ASSERT_TRUE(next->WaitUntilRead());

  EXPECT_EQ(watch->Get(), nullptr);
  EXPECT_EQ(record.lines().back(), "ns/a=1");
}

TEST_F(ObjectWatchTest, DoesNotReportUnchangedObjectOfRelist) {
  const auto events = Watch({MakeObject("a", 1)});
  const std::size_t before = record.lines().size();
  source.OnList(Page({MakeObject("a", 1)}, "50"));
  const auto next = source.OnWatch();

  events->SendError(MakeError(ErrorReason::kExpired, 410));
  ASSERT_TRUE(next->WaitUntilRead());

  EXPECT_EQ(record.lines().size(), before);
}

TEST_F(ObjectWatchTest, IsInStatusesAndMetrics) {
  const auto events = Watch({MakeObject("a", 1)});

  const auto statuses = factory.Statuses();
  ASSERT_EQ(statuses.size(), 1U);
  EXPECT_EQ(statuses[0].name, "secrets/ns/a");
  EXPECT_TRUE(statuses[0].synced);
  EXPECT_EQ(statuses[0].objects, 1U);
  EXPECT_EQ(metrics.sizes.lines().back(), "secrets 1 some bytes");

  watch.reset();

  EXPECT_THAT(factory.Statuses(), IsEmpty());
  EXPECT_EQ(metrics.sizes.lines().back(), "secrets 0 no bytes");
}

TEST_F(ObjectWatchTest, ReportsNothingAfterStop) {
  const auto events = Watch({});

  watch->Stop();
  events->Add(MakeObject("a", 11));

  EXPECT_EQ(watch->Get(), nullptr);
  EXPECT_THAT(record.lines(), IsEmpty());
}

TEST_F(ObjectWatchTest, StatusHasReasonOfFailure) {
  source.OnList({.error = MakeError(ErrorReason::kForbidden, 403)});
  factory.Start(stop.get_token());

  watch = factory.WatchObject(SecretType(), {"ns", "a"}, [](const runtime::ObjectPtr&) {});

  ASSERT_TRUE(clock.BlockUntilWaiters());
  EXPECT_FALSE(watch->HasSynced());
  ASSERT_TRUE(watch->Status().last_error.has_value());
  EXPECT_EQ(watch->Status().last_error->reason, ErrorReason::kForbidden);
}

}  // namespace
}  // namespace capstan::cache
