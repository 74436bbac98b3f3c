// SPDX-License-Identifier: Apache-2.0
// From bytes to a store: an informer with the REST client and a FakeTransport.
#include "capstan/cache/lister_watcher.h"

#include <glog/logging.h>
#include <glog/vlog_is_on.h>

#include "capstan/cache/informer_factory.h"
#include "clientgo/cache/testing/scenario_fixture.h"
#include "clientgo/util/testing/log_lines.h"

namespace capstan::cache {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

struct ListerWatcherTest : rest::ClientFixture {
  ListerWatcherTest() { Start(); }

  const runtime::ResourceType type = rest::SecretType(false);
};

TEST_F(ListerWatcherTest, LimitsListAndWatchToScope) {
  const auto source = NewListerWatcher(
      *client_, type, {.namespace_ = "ns", .label_selector = "a=b", .field_selector = "type=t"});
  transport_->Push({.chunks = {ListJson("5", {})}});
  transport_->Push({.chunks = {Added("x", "6")}});

  const auto listed = source->List(std::stop_token(), {}, [](const runtime::ObjectPtr&) {});
  const auto watched = source->Watch(std::stop_token(), {});

  ASSERT_TRUE(listed) << listed.error().message;
  EXPECT_EQ(listed->resource_version, "5");
  ASSERT_TRUE(watched) << watched.error().message;
  const auto requests = transport_->requests();
  ASSERT_EQ(requests.size(), 2U);
  for (const auto& request : requests) {
    EXPECT_THAT(request.target,
                AllOf(StartsWith("/api/v1/namespaces/ns/secrets?"),
                      HasSubstr("labelSelector=a%3Db"), HasSubstr("fieldSelector=type%3Dt")));
  }
  EXPECT_THAT(requests[0].target, Not(HasSubstr("watch=")));
  EXPECT_THAT(requests[1].target, HasSubstr("watch="));
}

TEST_F(ListerWatcherTest, SaysThatTheResourceIsNotServed) {
  runtime::ResourceType custom = rest::SecretType(false);
  custom.gvr = {.group = "cache.example.com", .version = "v1alpha1", .resource = "memcacheds"};
  const auto source = NewListerWatcher(*client_, custom, {});
  const std::string why =
      "memcacheds.v1alpha1.cache.example.com is not served; is its CustomResourceDefinition "
      "installed? (404 page not found)";
  transport_->Push({.status = 404, .chunks = {"404 page not found\n"}});
  transport_->Push({.status = 404, .chunks = {"404 page not found\n"}});

  const auto listed = source->List(std::stop_token(), {}, [](const runtime::ObjectPtr&) {});
  const auto watched = source->Watch(std::stop_token(), {});

  ASSERT_FALSE(listed);
  EXPECT_EQ(listed.error().message, why);
  EXPECT_TRUE(IsNotFound(listed.error()));
  ASSERT_FALSE(watched);
  EXPECT_EQ(watched.error().message, why);
}

TEST_F(ListerWatcherTest, DoesNotAskForADefinitionOfABuiltInKind) {
  const auto source = NewListerWatcher(*client_, type, {});
  transport_->Push({.status = 404, .chunks = {"404 page not found\n"}});

  const auto listed = source->List(std::stop_token(), {}, [](const runtime::ObjectPtr&) {});

  ASSERT_FALSE(listed);
  EXPECT_EQ(listed.error().message, "secrets.v1 is not served (404 page not found)");
}

TEST_F(ListerWatcherTest, FillsStoreFromStreamSplitIntoBytes) {
  const auto body = std::make_shared<testing::FakeBody>();
  transport_->Push({.body = body});
  const std::string bytes = Added("b", "7") + Added("a", "2") + BookmarkJson("9", "true") +
                            Modified("a", "10") + Deleted("b", "11");
  for (const char byte : bytes) body->Push(std::string(1, byte));
  ReflectorOptions options{.clock = clock_};
  std::stop_source stop;
  SharedInformerFactory factory(*client_, {.reflector = std::move(options)});
  SharedInformer& informer = factory.ForType(type);

  factory.Start(stop.get_token());
  ASSERT_TRUE(factory.WaitForCacheSync(std::stop_token()));
  ASSERT_TRUE(body->BlockUntilDrained());

  EXPECT_THAT(informer.store().ListKeys(), ElementsAre("ns/a"));
  EXPECT_EQ(informer.store().GetByKey("ns/a")->resource_version(), "10");
  EXPECT_EQ(informer.Status().resource_version, "11");
  stop.request_stop();
  factory.Shutdown();
  EXPECT_TRUE(body->BlockUntilClosed());
}

TEST_F(ListerWatcherTest, DoesNotLogThatARequestedStopClosesTheWatch) {
  const int verbosity = FLAGS_v;
  FLAGS_v = 2;
  const LogLines log(google::GLOG_INFO);
  const auto body = std::make_shared<testing::FakeBody>();
  transport_->Push({.body = body});
  body->Push(BookmarkJson("9", "true"));
  std::stop_source stop;
  SharedInformerFactory factory(*client_, {.reflector = {.clock = clock_}});
  factory.ForType(type);
  factory.Start(stop.get_token());
  ASSERT_TRUE(factory.WaitForCacheSync(std::stop_token()));
  ASSERT_TRUE(body->BlockUntilDrained());

  stop.request_stop();
  factory.Shutdown();

  FLAGS_v = verbosity;
  EXPECT_TRUE(body->BlockUntilClosed());
  EXPECT_THAT(log.lines(), Contains(HasSubstr("Caches populated")));
  EXPECT_THAT(log.lines(), Not(Contains(HasSubstr("closed unexpectedly"))));
}

TEST_F(ListerWatcherTest, ResumesAfterLastCompleteEventWhenStreamBreaks) {
  const auto cut = std::make_shared<testing::FakeBody>();
  const auto resumed = std::make_shared<testing::FakeBody>();
  transport_->Push({.body = cut});
  transport_->Push({.body = resumed});
  cut->Push(BookmarkJson("9", "true") + Added("a", "10"));
  cut->Push(Added("b", "11").substr(0, 60));
  cut->Fail({.reason = ErrorReason::kUnexpectedEof, .message = "connection reset by peer"});
  ReflectorOptions options{.clock = clock_};
  std::stop_source stop;
  SharedInformerFactory factory(*client_, {.reflector = std::move(options)});
  SharedInformer& informer = factory.ForType(type);

  factory.Start(stop.get_token());
  ASSERT_TRUE(transport_->BlockUntilRequests(2));
  EXPECT_THAT(transport_->requests()[1].target,
              AllOf(HasSubstr("resourceVersion=10&"), Not(HasSubstr("sendInitialEvents"))));
  EXPECT_THAT(informer.store().ListKeys(), ElementsAre("ns/a"));
  resumed->Push(Added("b", "11"));
  ASSERT_TRUE(resumed->BlockUntilDrained());

  EXPECT_EQ(informer.store().Size(), 2U);
  stop.request_stop();
  factory.Shutdown();
}

}  // namespace
}  // namespace capstan::cache
