// SPDX-License-Identifier: Apache-2.0
#include "controllers/readinessgate/gate_caches.h"

#include <gtest/gtest.h>

#include "capstan/testing/eventually.h"
#include "controllers/readinessgate/testing/agent_on_server.h"

namespace capstan::readinessgate {
namespace {

using namespace std::chrono_literals;

class ConfigMapCachesTest : public AgentOnServer {
 protected:
  using Keys = std::set<std::string, std::less<>>;
  static Keys KeysOf(int count) {
    Keys keys;
    for (int i = 0; i < count; ++i) keys.insert("ns/c" + std::to_string(i));
    return keys;
  }
  void CreateConfigMap(const std::string& name) {
    ASSERT_EQ(
        http_->Post(kSets, R"({"metadata":{"name":")" + name + R"("},"data":{"k":"v"}})").code,
        201);
  }
  std::uint64_t Watches() const {
    return server_.CountRequests(
        {.verb = "watch", .resource = "configmaps", .user_agent = "agent"});
  }
  // Running runs its caches until it is destroyed.
  struct Running {
    Running(rest::Client& client, const Keys& keys)
        : factory(client, {}), caches({.informers = factory, .data_keys = {"k"}}, keys) {
      factory.Start(stop.get_token());
    }
    ~Running() {
      stop.request_stop();
      factory.Shutdown();
    }
    bool Has(const std::string& key) const {
      const auto found = caches.Find(runtime::ObjectKey::Parse(key));
      return found && !(*found)->Find("k").value_or("").empty();
    }
    std::stop_source stop;
    cache::SharedInformerFactory factory;
    ConfigMapCaches caches;
  };
};

TEST_F(ConfigMapCachesTest, UsesOneInformerPerNameUpToEight) {
  CreateConfigMap("c7");
  const Running running(*client_, KeysOf(8));

  ASSERT_TRUE(testing::Eventually([&] { return running.Has("ns/c7"); }));
  EXPECT_TRUE(testing::Eventually([&] { return Watches() == 8; }));
}

TEST_F(ConfigMapCachesTest, SharesOneInformerForMoreNamesOfANamespace) {
  CreateConfigMap("c8");
  CreateConfigMap("unrelated");
  const Running running(*client_, KeysOf(9));

  ASSERT_TRUE(testing::Eventually([&] { return running.Has("ns/c8"); }));
  EXPECT_EQ(Watches(), 1U);
  const auto absent = running.caches.Find({.namespace_ = "ns", .name = "c0"});
  ASSERT_FALSE(absent);
  EXPECT_TRUE(IsNotFound(absent.error()));
  const auto* informer = running.factory.informers().at(0);
  const auto unrelated = runtime::StaticObjectCast<TypedObject<api::ConfigMap>>(
      informer->store().GetByKey("ns/unrelated"));
  ASSERT_NE(unrelated, nullptr);
  EXPECT_TRUE(unrelated->data.empty()) << "no gate names it";
}

// There may be rights for single names only (resourceNames).
TEST_F(ConfigMapCachesTest, FallsBackToOneInformerPerNameWhenNamespaceIsForbidden) {
  CreateConfigMap("c8");
  for (const char* verb : {"list", "watch"}) {
    for (int i = 0; i < 9; ++i) {  // requests for one name match this fault, not the next
      server_.InjectFault(
          {.match = {.verb = verb, .resource = "configmaps", .name = "c" + std::to_string(i)},
           .action = testing::apiserver::FaultAction::kDelay,
           .count = -1});
    }
    server_.InjectFault(
        {.match = {.verb = verb, .resource = "configmaps"}, .code = 403, .count = -1});
  }
  Running running(*client_, KeysOf(9));

  ASSERT_TRUE(testing::Eventually([&] {
    running.caches.FallBack();
    return running.Has("ns/c8");
  }));

  EXPECT_EQ(running.factory.informers().size(), 9U) << "the one of the namespace is gone";
}

TEST_F(ConfigMapCachesTest, ReportsWhyConfigMapIsUnknown) {
  server_.InjectFault({.match = {.verb = "list", .resource = "configmaps"},
                       .code = 403,
                       .message = "secret detail of a server",
                       .count = -1});
  server_.InjectFault(
      {.match = {.verb = "watch", .resource = "configmaps"}, .code = 403, .count = -1});
  const runtime::ObjectKey key{.namespace_ = "ns", .name = "c0"};
  cache::SharedInformerFactory factory(*client_, {});
  const ConfigMapCaches idle({.informers = factory}, KeysOf(1));
  EXPECT_EQ(idle.Find(key).error().message, "configmaps in namespace ns have not been read yet");

  const Running running(*client_, KeysOf(1));

  EXPECT_TRUE(testing::Eventually([&] {
    return running.caches.Find(key).error().message ==
           "cannot list configmaps in namespace ns: forbidden";
  })) << running.caches.Find(key).error().message;
}

class GateCachesTest : public AgentOnServer {};

TEST_F(GateCachesTest, IgnoresPodOfAnotherNode) {
  const GateNeeds needs;
  PassTicker ticker(LoopMode::kFixed, Clock::Real());
  const GateCaches caches(*client_, {.node_name = "a", .csi_driver = "d"}, needs, ticker);
  const auto on_node = [](const std::string& node) {
    return api::MustDecode<Pod>(
        MakePodType({}),
        R"({"kind":"Pod","metadata":{"namespace":"ns","name":"n","resourceVersion":"1"},)"
        R"("spec":{"nodeName":")" +
            node + R"(","volumes":[{"csi":{"driver":"d"}}]}})");
  };

  EXPECT_TRUE(caches.IsOurs(*on_node("a")));
  EXPECT_FALSE(caches.IsOurs(*on_node("b")));
  EXPECT_FALSE(caches.IsOurs(*on_node("")));
}

}  // namespace
}  // namespace capstan::readinessgate
