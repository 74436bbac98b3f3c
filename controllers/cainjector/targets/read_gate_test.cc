// SPDX-License-Identifier: Apache-2.0
#include "controllers/cainjector/targets/read_gate.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <future>
#include <new>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace capstan::cainjector {
namespace {

// Reports whether a reader would enter the gate without waiting.
bool IsOpen(ReadGate& gate, const std::string& ns) {
  std::stop_source stopped;
  stopped.request_stop();
  return gate.Enter(stopped.get_token(), ns).has_value();
}

TEST(ReadGateTest, ReadInOneNamespaceDelaysNoOther) {
  ReadGate gate;
  auto turn = gate.Enter({}, "tenant");
  ASSERT_TRUE(turn.has_value());

  EXPECT_TRUE(IsOpen(gate, "other"));
  EXPECT_FALSE(IsOpen(gate, "tenant"));
  turn.reset();
  EXPECT_TRUE(IsOpen(gate, "tenant"));
}

TEST(ReadGateTest, LimitsReadsOfAllNamespaces) {
  ReadGate gate;
  std::vector<std::optional<ReadGate::Turn>> turns;
  for (std::size_t i = 0; i < ReadGate::kReadersMax; ++i) {
    turns.push_back(gate.Enter({}, std::to_string(i)));
    ASSERT_TRUE(turns.back().has_value());
  }

  EXPECT_FALSE(IsOpen(gate, "other"));
  turns.front().reset();
  EXPECT_TRUE(IsOpen(gate, "other"));
}

TEST(ReadGateTest, LetsNextReaderIn) {
  ReadGate gate;
  auto turn = gate.Enter({}, "a");
  ASSERT_TRUE(turn.has_value());
  auto next = std::async(std::launch::async, [&] { return gate.Enter({}, "a").has_value(); });

  turn.reset();

  EXPECT_TRUE(next.get());
}

TEST(ReadGateTest, OpensAfterAReadThatThrows) {
  ReadGate gate;

  EXPECT_THROW(
      {
        const auto turn = gate.Enter({}, "a");
        throw std::bad_alloc();
      },
      std::bad_alloc);

  EXPECT_TRUE(IsOpen(gate, "a"));
}

}  // namespace
}  // namespace capstan::cainjector
