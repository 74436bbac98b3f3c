// SPDX-License-Identifier: Apache-2.0
#include "clientgo/cache/informer_factory.h"

#include "clientgo/cache/informer_testing.h"

namespace clientgo::cache {
namespace {

const runtime::ResourceType& PodType() {
  static const runtime::ResourceType type = MakeType("Pod", "pods");
  return type;
}

struct Pod : runtime::Object {
  using runtime::Object::Object;
  static const runtime::ResourceType& Type() { return PodType(); }
};

struct InformerFactoryTest : ::testing::Test {
  // Each type has its own scripted server; the record tells with which scope it was asked for.
  SharedInformerFactory Make(Scope scope = {}) {
    FactoryOptions options{.reflector = {.watch_list = false, .clock = clock},
                           .scope = std::move(scope)};
    auto sources = [this](const runtime::ResourceType& type, const Scope& of) {
      record.Add(type.gvr.resource + " in " + of.namespace_);
      return std::make_unique<ForwardingListerWatcher>(&type == &PodType() ? pods : secrets);
    };
    return {sources, std::move(options)};
  }

  FakeClock clock;
  testing::FakeListerWatcher secrets;
  testing::FakeListerWatcher pods;
  Record record;
  std::stop_source stop;
};

TEST_F(InformerFactoryTest, MakesOneInformerATypeAndScope) {
  auto factory = Make({.namespace_ = "default"});

  SharedInformer& informer = factory.ForType(SecretType());
  EXPECT_EQ(&factory.ForType(SecretType(), {.namespace_ = "default"}), &informer);
  SharedInformer& elsewhere = factory.ForType(SecretType(), {.namespace_ = "other"});
  SharedInformer& other = factory.ForType(PodType(), {.namespace_ = "kube-system"});

  EXPECT_THAT(factory.informers(), ElementsAre(&informer, &elsewhere, &other));
  EXPECT_THAT(record.Lines(),
              ElementsAre("secrets in default", "secrets in other", "pods in kube-system"));
}

TEST_F(InformerFactoryTest, RunsWhatIsAskedForBeforeTheStartAndAfterIt) {
  secrets.OnList(Page({MakeObject("a", 1)}, "10"));
  pods.OnList(Page({std::make_shared<const Pod>(runtime::ObjectMeta{"ns", "p", "u", "2"})}, "11"));
  auto factory = Make();
  factory.ForType(SecretType());

  factory.Start(stop.get_token());
  ASSERT_TRUE(factory.WaitForCacheSync(std::stop_token()));
  const Lister<Pod> lister = factory.ListerFor<Pod>();
  ASSERT_TRUE(factory.WaitForCacheSync(std::stop_token()));

  EXPECT_EQ(factory.ForType(SecretType()).store().Size(), 1U);
  EXPECT_NE(lister.Get("ns/p"), nullptr);
  stop.request_stop();
  factory.Shutdown();
}

TEST_F(InformerFactoryTest, ShutdownReturnsWhenEveryInformerHasStopped) {
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

TEST_F(InformerFactoryTest, DestructionStopsWhatStillRuns) {
  {
    auto factory = Make();
    factory.ForType(SecretType());
    factory.Start(stop.get_token());
    ASSERT_TRUE(secrets.WaitForRequests(1));
  }
  EXPECT_THAT(secrets.Requests().size(), 1U);
}

}  // namespace
}  // namespace clientgo::cache
