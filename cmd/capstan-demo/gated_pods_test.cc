// SPDX-License-Identifier: Apache-2.0
#include "cmd/capstan-demo/gated_pods.h"

#include <gtest/gtest.h>

#include "clientgo/testing/apiserver/testing/rest_fixture.h"
#include "controllers/readinessgate/gates/objects.h"
#include "controllers/readinessgate/gates/protocol.h"

namespace capstan::cmd::capstan_demo {
namespace {

class GatedPodsTest : public testing::apiserver::RestFixture {
 protected:
  GatedPodsTest() : RestFixture({.garbage_collection = false}) {
    ns_->Create(NamespaceType(), "demo");
  }
  std::vector<readinessgate::PodPtr> Read() {
    std::vector<readinessgate::PodPtr> found;
    EXPECT_TRUE(client_->List({}, type_, {.namespace_ = "demo"}, [&](const auto& object) {
      found.push_back(runtime::StaticObjectCast<readinessgate::Pod>(object));
    }));
    return found;
  }
  void Annotate(const readinessgate::Pod& pod, std::string_view key, const std::string& value) {
    ASSERT_TRUE(client_->Patch(
        {}, type_, {"demo", std::string(pod.name())}, rest::PatchType::kMerge,
        R"({"metadata":{"annotations":{")" + std::string(key) + R"(":")" + value + R"("}}})"));
  }

  const runtime::ResourceType type_ = readinessgate::MakePodType({});
  const std::unique_ptr<Namespace> ns_ = std::make_unique<Namespace>(Namespace{*client_, "demo"});
  const std::unique_ptr<GatedPods> pods_ = std::make_unique<GatedPods>(*ns_);
};

TEST_F(GatedPodsTest, GivesAddressesToPodsWithoutOne) {
  pods_->Create(3);
  pods_->GiveAddresses();
  pods_->Create(1);

  int with_address = 0;
  for (const auto& pod : Read()) {
    EXPECT_EQ(pod->node_name(), kDemoNode);
    EXPECT_TRUE(pod->UsesCsiDriver("csi.cert-manager.io"));
    if (!pod->pod_ips().empty()) ++with_address;
  }
  EXPECT_EQ(with_address, 3);
  EXPECT_EQ(pods_->count(), 4);

  pods_->GiveAddresses();
  EXPECT_FALSE(Read().back()->pod_ips().empty());
}

TEST_F(GatedPodsTest, CountsOnlyReadyValueOfThisPodAsOpen) {
  pods_->Create(2);
  const auto pods = Read();
  ASSERT_EQ(pods.size(), 2U);
  Annotate(*pods[0], readinessgate::kReadyKey, "yes");
  Annotate(*pods[1], readinessgate::kReadyKey, readinessgate::ReadyValue(pods[1]->uid(), {}));
  Annotate(*pods[1], readinessgate::kStatusKey, "told");

  const auto counts = pods_->Count();

  EXPECT_EQ(counts.open, 1);
  EXPECT_EQ(counts.waiting, 1);
}

TEST_F(GatedPodsTest, RetriesWhileNamespaceForbidsPods) {
  server_.InjectFault({.match = {.verb = "create", .resource = "pods"},
                       .code = 403,
                       .message = "no service account yet"});

  EXPECT_NO_THROW(pods_->Create(2));

  EXPECT_EQ(Read().size(), 2U);
}

TEST_F(GatedPodsTest, CleanUpDeletesAllPods) {
  pods_->Create(3);

  EXPECT_TRUE(ns_->CleanUp(0));

  EXPECT_TRUE(Read().empty());
}

}  // namespace
}  // namespace capstan::cmd::capstan_demo
