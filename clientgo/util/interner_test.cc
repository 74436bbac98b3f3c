// SPDX-License-Identifier: Apache-2.0
#include "capstan/interner.h"

#include <gtest/gtest.h>

#include <latch>
#include <optional>
#include <string>
#include <thread>
#include <vector>

namespace capstan {
namespace {

TEST(InternerTest, HoldsEqualStringsOnce) {
  Interner interner;

  const auto first = interner.Intern("bundle");
  const auto second = interner.Intern(std::string("bundle"));
  const auto other = interner.Intern("another");

  EXPECT_EQ(first, second);
  EXPECT_NE(first, other);
  EXPECT_EQ(*first, "bundle");
  EXPECT_EQ(interner.Size(), 2U);
}

TEST(InternerTest, ForgetsStringWithItsLastHolder) {
  Interner interner;
  auto first = interner.Intern("bundle");
  auto second = interner.Intern("bundle");

  first.reset();
  EXPECT_EQ(interner.Size(), 1U);
  second.reset();

  EXPECT_EQ(interner.Size(), 0U);
  EXPECT_EQ(interner.ByteSize(), 0U);
}

TEST(InternerTest, StringsOutliveInterner) {
  std::optional<Interner> interner(std::in_place);
  const auto text = interner->Intern("bundle");

  interner.reset();

  EXPECT_EQ(*text, "bundle");
}

TEST(InternerTest, KeepsOneCopyWhileThreadsTakeAndDropIt) {
  constexpr int kThreads = 4;
  Interner interner;
  std::latch start(kThreads);
  {
    std::vector<std::jthread> threads;
    threads.reserve(kThreads);
    for (int i = 0; i < kThreads; ++i) {
      threads.emplace_back([&] {
        start.arrive_and_wait();
        for (int round = 0; round < 2000; ++round) {
          const auto text = interner.Intern(round % 2 == 0 ? "even" : "odd");
          ASSERT_EQ(*text, round % 2 == 0 ? "even" : "odd");
          ASSERT_LE(interner.Size(), 2U);
        }
      });
    }
  }
  EXPECT_EQ(interner.Size(), 0U);
}

}  // namespace
}  // namespace capstan
