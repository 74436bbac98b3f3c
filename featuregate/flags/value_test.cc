// SPDX-License-Identifier: Apache-2.0
#include "capstan/flags/value.h"

#include <gtest/gtest.h>

namespace capstan::flags {
namespace {

const std::vector<std::string> kKnown = {"namespace", "leader-elect", "leader-election-namespace",
                                         "kubeconfig", "v"};

TEST(NearestTest, FindsNearestName) {
  EXPECT_EQ(Nearest("namespcae", kKnown), "namespace");
  EXPECT_EQ(Nearest("leader-elekt", kKnown), "leader-elect");
  EXPECT_EQ(Nearest("kube-config", kKnown), "kubeconfig");
  EXPECT_EQ(Nearest("leader-elect-namespace", kKnown), "leader-election-namespace");
}

TEST(NearestTest, ReturnsNulloptWhenNothingIsNear) {
  EXPECT_EQ(Nearest("enable-profiling", kKnown), std::nullopt);
  EXPECT_EQ(Nearest("x", kKnown), std::nullopt);
  EXPECT_EQ(Nearest("", kKnown), std::nullopt);
}

}  // namespace
}  // namespace capstan::flags
