// SPDX-License-Identifier: Apache-2.0
#include "capstan/cache/informer_view.h"

#include <gmock/gmock.h>

#include <map>

#include "capstan/cache/informer_factory.h"
#include "clientgo/cache/testing/informer_fixture.h"

namespace capstan::cache {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

runtime::ObjectPtr In(std::string_view ns, std::string_view name, std::string_view version) {
  return runtime::MakeObject<runtime::Object>(runtime::ObjectIdentity{ns, name, name, version});
}

runtime::ResourceType ClusterScoped() {
  runtime::ResourceType type = MakeType("Node", "nodes");
  type.namespaced = false;
  return type;
}

std::vector<std::string> KeysOf(const std::vector<runtime::ObjectPtr>& objects) {
  std::vector<std::string> keys;
  for (const auto& object : objects) keys.emplace_back(object->key());
  return keys;
}

// A server for each namespace.
class InformerViewTest : public ::testing::Test {
 protected:
  SharedInformerFactory Make(FactoryOptions options) {
    options.reflector.watch_list = false;
    options.reflector.clock = clock_;
    auto sources = [this](const runtime::ResourceType& type, const Scope& of) {
      record_.Write(type.gvr.resource + " in " + of.namespace_ + of.label_selector);
      return std::make_unique<ForwardingListerWatcher>(servers_[of.namespace_]);
    };
    return {sources, std::move(options)};
  }

  testing::FakeClock clock_;
  std::map<std::string, FakeListerWatcher> servers_;
  Journal record_;
  std::stop_source stop_;
};

TEST_F(InformerViewTest, ReadsAllNamespacesAsOneStore) {
  servers_["one"].OnList(Page({In("one", "a", "1"), In("one", "b", "2")}, "10"));
  servers_["two"].OnList(Page({In("two", "a", "3")}, "11"));
  auto factory = Make({.namespaces = {"one", "two"}});
  const InformerView& view = factory.ViewOf(SecretType());
  ASSERT_TRUE(view.AddIndex("name", [](const runtime::Object& object) {
    return std::vector<std::string>{std::string(object.name())};
  }));
  EXPECT_FALSE(view.HasSynced());
  factory.Start(stop_.get_token());

  ASSERT_TRUE(view.WaitForSync({}));

  const StoreReader& store = view.store();
  EXPECT_TRUE(view.HasSynced());
  EXPECT_EQ(store.Size(), 3U);
  EXPECT_GT(store.ByteSize(), view.informers()[0]->store().ByteSize());
  EXPECT_THAT(store.ListKeys(), UnorderedElementsAre("one/a", "one/b", "two/a"));
  EXPECT_THAT(KeysOf(store.List()), UnorderedElementsAre("one/a", "one/b", "two/a"));
  EXPECT_THAT(KeysOf(store.ByIndex("name", "a")), UnorderedElementsAre("one/a", "two/a"));
  ASSERT_NE(store.GetByKey("two/a"), nullptr);
  EXPECT_EQ(store.GetByKey("two/a")->resource_version(), "3");
  EXPECT_EQ(store.GetByKey("two/b"), nullptr);
  EXPECT_EQ(store.GetByKey("three/a"), nullptr);
  EXPECT_EQ(store.GetByKey("a"), nullptr);
}

TEST_F(InformerViewTest, ListersReadAllNamespaces) {
  struct Secret : runtime::Object {
    using runtime::Object::Object;
  };
  const auto secret = [](std::string_view ns) {
    return runtime::MakeObject<Secret>(runtime::ObjectIdentity{ns, "a", "u", "1"});
  };
  servers_["one"].OnList(Page({secret("one")}, "10"));
  servers_["two"].OnList(Page({secret("two")}, "11"));
  auto factory = Make({.namespaces = {"one", "two"}});
  const Lister<Secret> lister(factory.ViewOf(SecretType()).store());
  factory.Start(stop_.get_token());

  ASSERT_TRUE(factory.WaitForCacheSync({}));

  EXPECT_EQ(lister.List().size(), 2U);
  EXPECT_NE(lister.Get("one/a"), nullptr);
  EXPECT_NE(lister.Get("two/a"), nullptr);
}

TEST_F(InformerViewTest, HasTheInformerOfTheFactoryWithoutNamespaces) {
  auto factory = Make({});

  const InformerView& view = factory.ViewOf(SecretType());

  EXPECT_EQ(&view, &factory.ViewOf(SecretType()));
  EXPECT_THAT(view.informers(), ElementsAre(&factory.ForType(SecretType())));
  EXPECT_EQ(&view.store(), &factory.ForType(SecretType()).store());
}

TEST_F(InformerViewTest, FindsTheInformerOfANamespace) {
  auto some = Make({.namespaces = {"one", "two"}});
  auto all = Make({});

  const InformerView& view = some.ViewOf(SecretType());

  EXPECT_EQ(view.InformerFor("one"), view.informers()[0]);
  EXPECT_EQ(view.InformerFor("two"), view.informers()[1]);
  EXPECT_EQ(view.InformerFor("three"), nullptr);
  EXPECT_EQ(all.ViewOf(SecretType()).InformerFor("any"), &all.ForType(SecretType()));
}

TEST_F(InformerViewTest, CachesClusterScopedTypesWhole) {
  static const runtime::ResourceType type = ClusterScoped();
  auto factory = Make({.namespaces = {"one", "two"}});

  factory.ViewOf(type);

  EXPECT_THAT(record_.lines(), ElementsAre("nodes in "));
}

TEST_F(InformerViewTest, MakesOneInformerForANamespaceThatIsListedTwice) {
  auto factory = Make({.namespaces = {"one", "one"}});

  EXPECT_EQ(factory.ViewOf(SecretType()).informers().size(), 1U);
}

// "" means all namespaces. Another informer for one of them would return its objects twice.
TEST_F(InformerViewTest, CachesAllNamespacesOnceWhenTheyAreListedBesideOthers) {
  servers_[""].OnList(Page({In("one", "a", "1"), In("two", "a", "2")}, "10"));
  servers_[""].OnWatch();
  servers_["one"].OnList(Page({In("one", "a", "1")}, "10"));
  servers_["one"].OnWatch();
  auto factory = Make({.namespaces = {"one", ""}});
  const InformerView& view = factory.ViewOf(SecretType());
  factory.Start(stop_.get_token());
  ASSERT_TRUE(factory.WaitForCacheSync({}));

  EXPECT_THAT(KeysOf(view.store().List()), UnorderedElementsAre("one/a", "two/a"));
  EXPECT_EQ(view.store().Size(), 2U);
  EXPECT_NE(view.store().GetByKey("one/a"), nullptr);
  EXPECT_NE(view.store().GetByKey("two/a"), nullptr);
  stop_.request_stop();
  factory.Shutdown();
}

TEST_F(InformerViewTest, TypeHasNamespacesAndSelectorsOfItsOwn) {
  static const runtime::ResourceType other = MakeType("Pod", "pods");
  static const runtime::ResourceType everywhere = MakeType("ConfigMap", "configmaps");
  auto factory =
      Make({.namespaces = {"one", "two"},
            .by_object = {{&other, {.namespaces = std::vector<std::string>{"kube-system"}}},
                          {&everywhere, {.namespaces = std::vector<std::string>{}}},
                          {&SecretType(), {.label_selector = "?a=b"}}}});

  factory.ViewOf(other);
  factory.ViewOf(everywhere);
  factory.ViewOf(SecretType());

  EXPECT_THAT(record_.lines(), ElementsAre("pods in kube-system", "configmaps in ",
                                           "secrets in one?a=b", "secrets in two?a=b"));
}

TEST_F(InformerViewTest, RejectsIndexWhoseNameIsInUse) {
  auto factory = Make({.namespaces = {"one", "two"}});
  const InformerView& view = factory.ViewOf(SecretType());
  const IndexFunc none = [](const runtime::Object&) { return std::vector<std::string>(); };
  ASSERT_TRUE(view.AddIndex("i", none));

  const auto again = view.AddIndex("i", none);

  ASSERT_FALSE(again.has_value());
  EXPECT_EQ(again.error().message, "indexer conflict: i");
  EXPECT_THAT(view.store().ByIndex("i", "x"), IsEmpty());
}

}  // namespace
}  // namespace capstan::cache
