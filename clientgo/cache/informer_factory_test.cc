// SPDX-License-Identifier: Apache-2.0
#include "capstan/cache/informer_factory.h"

#include "clientgo/cache/testing/informer_fixture.h"
#include "clientgo/util/testing/log_lines.h"

namespace capstan::cache {
namespace {

// An informer keeps a reference to its type, so it must not accept a temporary.
template <class Factory>
concept AcceptsTemporaryType = requires(Factory& factory, runtime::ResourceType type) {
  factory.ForType(std::move(type));
}
|| requires(Factory& factory, runtime::ResourceType type) {
  factory.ForType(std::move(type), Scope());
};
static_assert(!AcceptsTemporaryType<SharedInformerFactory>);
static_assert(!std::is_constructible_v<SharedInformer, runtime::ResourceType,
                                       std::unique_ptr<ListerWatcher>, ReflectorOptions>);
static_assert(std::is_constructible_v<SharedInformer, const runtime::ResourceType&,
                                      std::unique_ptr<ListerWatcher>, ReflectorOptions>);
template <class Type>
concept HasListerWatcher = requires(rest::Client& client, Type&& type) {
  NewListerWatcher(client, std::forward<Type>(type), Scope());
};
static_assert(!HasListerWatcher<runtime::ResourceType>);
static_assert(HasListerWatcher<const runtime::ResourceType&>);

const runtime::ResourceType& PodType() {
  static const runtime::ResourceType type = MakeType("Pod", "pods");
  return type;
}

struct Pod : runtime::Object {
  using runtime::Object::Object;
};

struct InformerFactoryTest : ::testing::Test {
  // Each type has its own scripted server. The record has the scope of each informer.
  SharedInformerFactory Make(Scope scope = {}) {
    FactoryOptions options{.reflector = {.watch_list = false, .clock = clock},
                           .scope = std::move(scope)};
    options.reflector.metrics = &metrics;
    auto sources = [this](const runtime::ResourceType& type, const Scope& of) {
      record.Write(type.gvr.resource + " in " + of.namespace_);
      return std::make_unique<ForwardingListerWatcher>(&type == &PodType() ? pods : secrets);
    };
    return {sources, std::move(options)};
  }

  testing::FakeClock clock;
  RecordingMetrics metrics;
  FakeListerWatcher secrets;
  FakeListerWatcher pods;
  Journal record;
  std::stop_source stop;
};

TEST_F(InformerFactoryTest, KeepsTheOwnerOfATypeAsLongAsItself) {
  auto owner = std::make_shared<runtime::ResourceType>(MakeType("Pod", "pods"));
  const std::weak_ptr<runtime::ResourceType> watched = owner;
  {
    SharedInformerFactory factory = Make();
    factory.ForType(*owner);
    factory.KeepAlive(std::move(owner));
    EXPECT_FALSE(watched.expired());
  }
  EXPECT_TRUE(watched.expired());
}

TEST_F(InformerFactoryTest, MakesOneInformerPerTypeAndScope) {
  auto factory = Make({.namespace_ = "default"});

  SharedInformer& informer = factory.ForType(SecretType());
  EXPECT_EQ(&factory.ForType(SecretType(), {.namespace_ = "default"}), &informer);
  SharedInformer& elsewhere = factory.ForType(SecretType(), {.namespace_ = "other"});
  SharedInformer& other = factory.ForType(PodType(), {.namespace_ = "kube-system"});

  EXPECT_THAT(factory.informers(), ElementsAre(&informer, &elsewhere, &other));
  EXPECT_THAT(record.lines(),
              ElementsAre("secrets in default", "secrets in other", "pods in kube-system"));
}

TEST_F(InformerFactoryTest, RunsInformersCreatedBeforeAndAfterStart) {
  secrets.OnList(Page({MakeObject("a", 1)}, "10"));
  pods.OnList(Page({runtime::MakeObject<Pod>(runtime::ObjectIdentity{"ns", "p", "u", "2"})}, "11"));
  auto factory = Make();
  factory.ForType(SecretType());

  factory.Start(stop.get_token());
  ASSERT_TRUE(factory.WaitForCacheSync(std::stop_token()));
  const Lister<Pod> lister(factory.ViewOf(PodType()).store());
  ASSERT_TRUE(factory.WaitForCacheSync(std::stop_token()));

  EXPECT_EQ(factory.ForType(SecretType()).store().Size(), 1U);
  EXPECT_NE(lister.Get("ns/p"), nullptr);
  stop.request_stop();
  factory.Shutdown();
}

TEST_F(InformerFactoryTest, ReportsAReadBeforeTheFirstListOnce) {
  auto factory = Make();
  const LogLines log(google::GLOG_WARNING);
  (void)factory.StoreFor(SecretType());
  EXPECT_THAT(log.lines(), IsEmpty()) << "the factory is not started";

  factory.Start(stop.get_token());
  ASSERT_TRUE(secrets.WaitForRequests(1));  // which has no answer
  (void)factory.StoreFor(SecretType());
  (void)factory.StoreFor(SecretType());

  ASSERT_EQ(log.lines().size(), 1U);
  EXPECT_THAT(log.lines().front(),
              ::testing::HasSubstr("Read of a cache before its first list: it finds nothing"));
  stop.request_stop();
  factory.Shutdown();
}

TEST_F(InformerFactoryTest, ShutdownWaitsForEveryInformer) {
  auto factory = Make();
  SharedInformer& informer = factory.ForType(SecretType());
  factory.Start(stop.get_token());
  ASSERT_TRUE(secrets.WaitForRequests(1));

  stop.request_stop();
  factory.Shutdown();

  EXPECT_EQ(informer.Status().state, ReflectorState::kStopped);
  EXPECT_FALSE(factory.WaitForCacheSync(std::stop_token()));
  EXPECT_FALSE(factory.ForType(PodType()).HasSynced());
  EXPECT_THAT(pods.Requests(), IsEmpty());
}

TEST_F(InformerFactoryTest, RemovedInformerGetsNoEventsAndOthersContinue) {
  secrets.OnList(Page({MakeObject("a", 1)}, "10"));
  const auto removed_watch = secrets.OnWatch();
  pods.OnList(Page({}, "11"));
  const auto pod_watch = pods.OnWatch();
  auto factory = Make();
  Journal heard;
  SharedInformer& informer = factory.ForType(SecretType());
  ASSERT_TRUE(informer.AddEventHandler(RecordingHandler(heard)).has_value());
  SharedInformer& other = factory.ForType(PodType());
  factory.Start(stop.get_token());
  ASSERT_TRUE(factory.WaitForCacheSync(std::stop_token()));
  ASSERT_TRUE(removed_watch->WaitUntilRead());
  ASSERT_TRUE(heard.WaitForLines(1));

  factory.RemoveInformer(informer);
  removed_watch->Add(MakeObject("b", 12));
  pod_watch->Add(runtime::MakeObject<Pod>(runtime::ObjectIdentity{"ns", "p", "u", "13"}));

  ASSERT_TRUE(pod_watch->WaitUntilRead());
  EXPECT_THAT(factory.informers(), ElementsAre(&other));
  EXPECT_EQ(other.store().Size(), 1U);
  EXPECT_THAT(heard.lines(), ElementsAre("add ns/a=1 initial"));
  EXPECT_TRUE(factory.WaitForCacheSync(std::stop_token()));
}

TEST_F(InformerFactoryTest, MakesNewInformerAfterRemoval) {
  secrets.OnList(Page({MakeObject("a", 1)}, "10"));
  secrets.OnWatch();
  auto factory = Make();
  factory.Start(stop.get_token());
  SharedInformer& first = factory.ForType(SecretType());
  ASSERT_TRUE(first.WaitForSync(std::stop_token()));
  EXPECT_THAT(factory.ViewOf(SecretType()).informers(), ElementsAre(&first));
  factory.RemoveInformer(first);
  secrets.OnList(Page({MakeObject("b", 20)}, "20"));

  const InformerView& view = factory.ViewOf(SecretType());
  SharedInformer& second = factory.ForType(SecretType());

  ASSERT_TRUE(second.WaitForSync(std::stop_token()));
  EXPECT_THAT(second.store().ListKeys(), ElementsAre("ns/b"));
  EXPECT_THAT(view.informers(), ElementsAre(&second));
  EXPECT_THAT(view.store().ListKeys(), ElementsAre("ns/b"));
}

TEST_F(InformerFactoryTest, RemovesInformerBeforeStartButNotAfterShutdown) {
  auto factory = Make();
  factory.RemoveInformer(factory.ForType(SecretType()));
  EXPECT_THAT(factory.informers(), IsEmpty());

  SharedInformer& informer = factory.ForType(PodType());
  factory.Start(stop.get_token());
  stop.request_stop();
  factory.Shutdown();
  factory.RemoveInformer(informer);

  EXPECT_THAT(factory.informers(), ElementsAre(&informer));
}

TEST_F(InformerFactoryTest, RemovalEndsWaitForCacheSync) {
  auto factory = Make();  // no response is scripted: the list hangs
  SharedInformer& informer = factory.ForType(SecretType());
  factory.Start(stop.get_token());
  ASSERT_TRUE(secrets.WaitForRequests(1));
  bool synced = false;
  std::jthread waiter = StartThread("waiter", [&](std::stop_token token) {
    synced = factory.WaitForCacheSync(std::move(token));
  });

  factory.RemoveInformer(informer);
  waiter.join();

  EXPECT_TRUE(synced);
}

TEST_F(InformerFactoryTest, InformersOfOneResourceShareOneSeries) {
  secrets.OnList(Page({MakeObject("a", 1), MakeObject("b", 2)}, "10"));
  auto factory = Make();
  SharedInformer& one = factory.ForType(SecretType(), {.namespace_ = "one"});
  factory.Start(stop.get_token());
  ASSERT_TRUE(metrics.sizes.WaitForLines(1));
  secrets.OnList(Page({MakeObject("c", 3)}, "11"));
  factory.ForType(SecretType(), {.namespace_ = "ns", .field_selector = "metadata.name=c"});
  ASSERT_TRUE(metrics.sizes.WaitForLines(2));

  factory.RemoveInformer(one);

  EXPECT_THAT(metrics.sizes.lines(),
              ElementsAre("secrets 2 some bytes", "secrets 3 some bytes", "secrets 1 some bytes"));
}

TEST_F(InformerFactoryTest, DestructorStopsRunningInformers) {
  {
    auto factory = Make();
    factory.ForType(SecretType());
    factory.Start(stop.get_token());
    ASSERT_TRUE(secrets.WaitForRequests(1));
  }
  EXPECT_THAT(secrets.Requests().size(), 1U);
}

}  // namespace
}  // namespace capstan::cache
