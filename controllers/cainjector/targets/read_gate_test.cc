// SPDX-License-Identifier: Apache-2.0
#include "controllers/cainjector/targets/read_gate.h"

#include <gtest/gtest.h>

#include <future>
#include <string>

namespace capstan::controllers::cainjector {
namespace {

// Reports whether the gate is open without a wait.
bool IsOpen(ReadGate& gate, const std::string& ns) {
  std::stop_source stopped;
  stopped.request_stop();
  if (!gate.Enter(stopped.get_token(), ns)) return false;
  gate.Leave(ns);
  return true;
}

TEST(ReadGateTest, ReadInOneNamespaceDelaysNoOther) {
  ReadGate gate;
  ASSERT_TRUE(gate.Enter({}, "tenant"));

  EXPECT_TRUE(IsOpen(gate, "other"));
  EXPECT_FALSE(IsOpen(gate, "tenant"));
  gate.Leave("tenant");
  EXPECT_TRUE(IsOpen(gate, "tenant"));
}

TEST(ReadGateTest, LimitsReadsOfAllNamespaces) {
  ReadGate gate;
  for (std::size_t i = 0; i < ReadGate::kReadersMax; ++i) {
    ASSERT_TRUE(gate.Enter({}, std::to_string(i)));
  }

  EXPECT_FALSE(IsOpen(gate, "other"));
  gate.Leave("0");
  EXPECT_TRUE(IsOpen(gate, "other"));
}

TEST(ReadGateTest, LetsNextReaderIn) {
  ReadGate gate;
  ASSERT_TRUE(gate.Enter({}, "a"));
  auto next = std::async(std::launch::async, [&] { return gate.Enter({}, "a"); });

  gate.Leave("a");

  EXPECT_TRUE(next.get());
}

}  // namespace
}  // namespace capstan::controllers::cainjector
