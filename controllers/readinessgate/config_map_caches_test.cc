// SPDX-License-Identifier: Apache-2.0
#include "controllers/readinessgate/config_map_caches.h"

#include <gmock/gmock.h>

#include "controllers/readinessgate/agent_on_server_for_test.h"

namespace controllers::readinessgate {
namespace {

using namespace std::chrono_literals;
using clientgo::testing::apiserver::FaultAction;

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
  // Caches that run until this is destroyed.
  struct Running {
    Running(clientgo::rest::Client& client, const Keys& keys)
        : factory(client, {}), caches({.informers = factory}, keys) {
      factory.Start(stop.get_token());
    }
    ~Running() {
      stop.request_stop();
      factory.Shutdown();
    }
    bool Has(const std::string& key) const {
      const auto found = caches.Find(clientgo::runtime::ObjectKey::Parse(key));
      return found && (*found)->Find("k") == "v";
    }
    std::stop_source stop;
    clientgo::cache::SharedInformerFactory factory;
    ConfigMapCaches caches;
  };
};

TEST_F(ConfigMapCachesTest, UpToEightNamesHaveAnInformerEach) {
  CreateConfigMap("c7");
  const Running running(*client_, KeysOf(8));

  ASSERT_TRUE(Eventually([&] { return running.Has("ns/c7"); }));
  EXPECT_TRUE(Eventually([&] { return Watches() == 8; }));
}

TEST_F(ConfigMapCachesTest, MoreNamesOfANamespaceShareOneInformer) {
  CreateConfigMap("c8");
  CreateConfigMap("unrelated");
  const Running running(*client_, KeysOf(9));

  ASSERT_TRUE(Eventually([&] { return running.Has("ns/c8"); }));
  EXPECT_EQ(Watches(), 1U);
  const auto absent = running.caches.Find({.namespace_ = "ns", .name = "c0"});
  ASSERT_FALSE(absent);
  EXPECT_TRUE(IsNotFound(absent.error()));
  const auto* informer = running.factory.informers().at(0);
  const auto unrelated = std::static_pointer_cast<const clientgo::api::ConfigMap>(
      informer->store().GetByKey("ns/unrelated"));
  ASSERT_NE(unrelated, nullptr);
  EXPECT_TRUE(unrelated->data().empty()) << "no gate names it";
}

// Rights may exist for single names alone (resourceNames).
TEST_F(ConfigMapCachesTest, NamesHaveTheirOwnInformersWhereTheNamespaceIsForbidden) {
  CreateConfigMap("c8");
  for (const char* verb : {"list", "watch"}) {
    for (int i = 0; i < 9; ++i) {  // takes what is about one name out of the next fault's way
      server_.InjectFault(
          {.match = {.verb = verb, .resource = "configmaps", .name = "c" + std::to_string(i)},
           .action = FaultAction::kDelay,
           .count = -1});
    }
    server_.InjectFault(
        {.match = {.verb = verb, .resource = "configmaps"}, .code = 403, .count = -1});
  }
  Running running(*client_, KeysOf(9));

  ASSERT_TRUE(Eventually([&] {
    running.caches.FallBack();
    return running.Has("ns/c8");
  }));

  EXPECT_EQ(running.factory.informers().size(), 9U) << "the one of the namespace is gone";
}

TEST_F(ConfigMapCachesTest, SaysWhyNobodyCanTell) {
  server_.InjectFault({.match = {.verb = "list", .resource = "configmaps"},
                       .code = 403,
                       .message = "secret detail of a server",
                       .count = -1});
  server_.InjectFault(
      {.match = {.verb = "watch", .resource = "configmaps"}, .code = 403, .count = -1});
  const clientgo::runtime::ObjectKey key{.namespace_ = "ns", .name = "c0"};
  clientgo::cache::SharedInformerFactory factory(*client_, {});
  const ConfigMapCaches idle({.informers = factory}, KeysOf(1));
  EXPECT_EQ(idle.Find(key).error().message, "configmaps in namespace ns have not been read yet");

  const Running running(*client_, KeysOf(1));

  EXPECT_TRUE(Eventually([&] {
    return running.caches.Find(key).error().message ==
           "cannot list configmaps in namespace ns: forbidden";
  })) << running.caches.Find(key).error().message;
}

}  // namespace
}  // namespace controllers::readinessgate
