// SPDX-License-Identifier: Apache-2.0
// From bytes to a store: an informer with the REST client and a FakeTransport.
#include "capstan/cache/lister_watcher.h"

#include <glog/logging.h>
#include <glog/vlog_is_on.h>

#include "capstan/cache/informer_factory.h"
#include "clientgo/cache/testing/scenario_fixture.h"

namespace capstan::cache {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

// LogLines collects the log at verbosity 2.
class LogLines final : public google::LogSink {
 public:
  LogLines() {
    FLAGS_v = 2;
    google::AddLogSink(this);
  }
  ~LogLines() override {
    google::RemoveLogSink(this);
    FLAGS_v = before_;
  }
  using google::LogSink::send;
  void send(google::LogSeverity, const char*, const char*, int, const tm*, const char* message,
            size_t length) override {
    MutexLock lock(mu_);
    text_.append(message, length).append("\n");
  }
  std::string text() const {
    MutexLock lock(mu_);
    return text_;
  }

 private:
  const int before_ = FLAGS_v;
  mutable Mutex mu_;
  std::string text_ CAPSTAN_GUARDED_BY(mu_);
};

struct ListerWatcherTest : ::testing::Test {
  ListerWatcherTest()
      : transport(new testing::FakeTransport({}, clock)),
        client({.host = "https://api"}, std::unique_ptr<testing::FakeTransport>(transport),
               {.clock = clock}) {}

  testing::FakeClock clock;
  const runtime::ResourceType type = MakeDecodableType();
  testing::FakeTransport* transport;
  rest::Client client;
};

TEST_F(ListerWatcherTest, LimitsListAndWatchToScope) {
  const auto source = NewListerWatcher(
      client, type, {.namespace_ = "ns", .label_selector = "a=b", .field_selector = "type=t"});
  transport->Push({.chunks = {ListJson("5", {})}});
  transport->Push({.chunks = {Added("x", "6")}});

  const auto listed = source->List(std::stop_token(), {}, [](const runtime::ObjectPtr&) {});
  const auto watched = source->Watch(std::stop_token(), {});

  ASSERT_TRUE(listed) << listed.error().message;
  EXPECT_EQ(listed->resource_version, "5");
  ASSERT_TRUE(watched) << watched.error().message;
  const auto requests = transport->requests();
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
  runtime::ResourceType custom = MakeDecodableType();
  custom.gvr = {.group = "cache.example.com", .version = "v1alpha1", .resource = "memcacheds"};
  const auto source = NewListerWatcher(client, custom, {});
  const std::string why =
      "memcacheds.v1alpha1.cache.example.com is not served; is its CustomResourceDefinition "
      "installed? (404 page not found)";
  transport->Push({.status = 404, .chunks = {"404 page not found\n"}});
  transport->Push({.status = 404, .chunks = {"404 page not found\n"}});

  const auto listed = source->List(std::stop_token(), {}, [](const runtime::ObjectPtr&) {});
  const auto watched = source->Watch(std::stop_token(), {});

  ASSERT_FALSE(listed);
  EXPECT_EQ(listed.error().message, why);
  EXPECT_TRUE(IsNotFound(listed.error()));
  ASSERT_FALSE(watched);
  EXPECT_EQ(watched.error().message, why);
}

TEST_F(ListerWatcherTest, DoesNotAskForADefinitionOfABuiltInKind) {
  const auto source = NewListerWatcher(client, type, {});
  transport->Push({.status = 404, .chunks = {"404 page not found\n"}});

  const auto listed = source->List(std::stop_token(), {}, [](const runtime::ObjectPtr&) {});

  ASSERT_FALSE(listed);
  EXPECT_EQ(listed.error().message, "secrets.v1 is not served (404 page not found)");
}

TEST_F(ListerWatcherTest, FillsStoreFromStreamSplitIntoBytes) {
  const auto body = std::make_shared<testing::FakeBody>();
  transport->Push({.body = body});
  const std::string bytes = Added("b", "7") + Added("a", "2") + BookmarkJson("9", "true") +
                            Modified("a", "10") + Deleted("b", "11");
  for (const char byte : bytes) body->Push(std::string(1, byte));
  ReflectorOptions options{.clock = clock};
  std::stop_source stop;
  SharedInformerFactory factory(client, {.reflector = std::move(options)});
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
  const LogLines log;
  const auto body = std::make_shared<testing::FakeBody>();
  transport->Push({.body = body});
  body->Push(BookmarkJson("9", "true"));
  std::stop_source stop;
  SharedInformerFactory factory(client, {.reflector = {.clock = clock}});
  factory.ForType(type);
  factory.Start(stop.get_token());
  ASSERT_TRUE(factory.WaitForCacheSync(std::stop_token()));
  ASSERT_TRUE(body->BlockUntilDrained());

  stop.request_stop();
  factory.Shutdown();

  EXPECT_TRUE(body->BlockUntilClosed());
  EXPECT_THAT(log.text(), HasSubstr("Caches populated"));
  EXPECT_THAT(log.text(), Not(HasSubstr("closed unexpectedly")));
}

TEST_F(ListerWatcherTest, ResumesAfterLastCompleteEventWhenStreamBreaks) {
  const auto cut = std::make_shared<testing::FakeBody>();
  const auto resumed = std::make_shared<testing::FakeBody>();
  transport->Push({.body = cut});
  transport->Push({.body = resumed});
  cut->Push(BookmarkJson("9", "true") + Added("a", "10"));
  cut->Push(Added("b", "11").substr(0, 60));
  cut->Fail({.reason = ErrorReason::kUnexpectedEof, .message = "connection reset by peer"});
  ReflectorOptions options{.clock = clock};
  std::stop_source stop;
  SharedInformerFactory factory(client, {.reflector = std::move(options)});
  SharedInformer& informer = factory.ForType(type);

  factory.Start(stop.get_token());
  ASSERT_TRUE(transport->BlockUntilRequests(2));
  EXPECT_THAT(transport->requests()[1].target,
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
