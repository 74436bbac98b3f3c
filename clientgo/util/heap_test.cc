// SPDX-License-Identifier: Apache-2.0
#include "capstan/heap.h"

#include <gtest/gtest.h>
#include <malloc.h>
#include <unistd.h>

#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <latch>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace capstan {
namespace {

int Arenas() {
  char* text = nullptr;
  std::size_t size = 0;
  std::FILE* const stream = open_memstream(&text, &size);
  malloc_info(0, stream);
  std::fclose(stream);
  const std::string_view all(text, size);
  int count = 0;
  for (std::size_t at = 0; (at = all.find("<heap nr=", at)) != all.npos; ++at) ++count;
  std::free(text);
  return count;
}

long ResidentPages() {
  std::ifstream statm("/proc/self/statm");
  long size = 0;
  long resident = 0;
  statm >> size >> resident;
  return resident;
}

TEST(HeapTest, ThreadsShareArenaAfterKeepHeapSmall) {
  constexpr int kThreads = 8;
  KeepHeapSmall();
  const int before = Arenas();
  std::latch allocated(kThreads);
  {
    std::vector<std::jthread> threads;
    threads.reserve(kThreads);
    for (int i = 0; i < kThreads; ++i) {
      threads.emplace_back([&] {
        const auto block = std::make_unique<std::string>(1000, 'x');
        allocated.arrive_and_wait();
      });
    }
  }

  EXPECT_EQ(Arenas(), before);
}

TEST(HeapTest, ReleasesFreePagesBelowUsedOnes) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "the sanitizers have another malloc";
#endif
  constexpr std::size_t kBlocks = 20000;
  std::vector<std::unique_ptr<std::string>> blocks(kBlocks);
  for (auto& block : blocks) block = std::make_unique<std::string>(1000, 'x');
  const auto last = std::move(blocks.back());  // keeps the end of the heap in use
  blocks.clear();
  const long before = ResidentPages();

  ReleaseFreeMemory();

  EXPECT_LT(ResidentPages(), before - 10'000'000 / getpagesize());
}

TEST(HeapStatsTest, CountsBlocksInUseAndFreed) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "the sanitizer has its own heap";
#endif
  constexpr std::size_t kBlocks = 1000;
  constexpr std::size_t kBytes = 1000;
  const auto before = ReadHeapStats().value();
  std::vector<std::unique_ptr<char[]>> blocks;
  for (std::size_t i = 0; i < kBlocks; ++i) blocks.push_back(std::make_unique<char[]>(kBytes));
  const auto full = ReadHeapStats().value();
  EXPECT_GE(full.in_use, before.in_use + kBlocks * kBytes);
  for (std::size_t i = 0; i < kBlocks; i += 2) blocks[i].reset();
  EXPECT_LE(ReadHeapStats()->in_use, full.in_use - kBlocks * kBytes / 4);
}

}  // namespace
}  // namespace capstan
