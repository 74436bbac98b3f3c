// SPDX-License-Identifier: Apache-2.0
#include "clientgo/api/node.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "clientgo/api/decode_testing.h"
#include "clientgo/runtime/testing/golden.h"

namespace clientgo::api {
namespace {

using ::testing::IsEmpty;

TEST(NodeTest, ReadsWhatARealServerSends) {
  const auto node = MustDecode<Node>(Node::Type(), runtime::ReadGolden("node.json"));

  ASSERT_NE(node, nullptr);
  EXPECT_EQ(node->key(), "node-a");
  ASSERT_EQ(node->conditions().size(), 2U);
  EXPECT_EQ(node->FindCondition("NetworkUnavailable")->status, "False");
  EXPECT_EQ(node->FindCondition("Ready")->status, "True");
}

TEST(NodeTest, KeepsItsConditions) {
  const auto node = MustDecode<Node>(Node::Type(), R"({"kind":"Node",
    "metadata":{"name":"node-a","uid":"u","labels":{"a":"b"}},
    "spec":{"podCIDR":"10.0.0.0/24","taints":[{"key":"type","effect":"NoSchedule"}]},
    "status":{"images":[{"names":["i"]}],"conditions":[
      {"type":"NetworkUnavailable","status":"False","reason":"CiliumIsUp"},
      {"type":"Ready","status":"True","lastHeartbeatTime":"2026-01-02T03:04:05Z"},
      {"type":"Ready","status":"False"}]}})");

  ASSERT_NE(node, nullptr);
  EXPECT_EQ(node->key(), "node-a");
  ASSERT_NE(node->FindCondition("NetworkUnavailable"), nullptr);
  EXPECT_EQ(node->FindCondition("NetworkUnavailable")->status, "False");
  EXPECT_EQ(node->FindCondition("Ready")->status, "True");
  EXPECT_EQ(node->FindCondition("DiskPressure"), nullptr);
  EXPECT_LT(node->ByteSize(), 600U);
}

TEST(NodeTest, MayHaveNoConditions) {
  for (const std::string rest : {"}", R"(,"status":null})", R"(,"status":{}})",
                                 R"(,"status":{"conditions":{"type":"A"}}})"}) {
    const auto node =
        MustDecode<Node>(Node::Type(), R"({"kind":"Node","metadata":{"name":"n"})" + rest);
    ASSERT_NE(node, nullptr);
    EXPECT_THAT(node->conditions(), IsEmpty());
  }
}

TEST(NodeTest, LivesAtItsPath) { EXPECT_EQ(Node::Type().Path("", "n"), "/api/v1/nodes/n"); }

}  // namespace
}  // namespace clientgo::api
