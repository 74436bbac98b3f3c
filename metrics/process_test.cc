// SPDX-License-Identifier: Apache-2.0
#include "capstan/metrics/process.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <fstream>

namespace capstan::metrics {
namespace {

TEST(ProcessStatsTest, ReadsStatOfProgramWithAnyName) {
  // A name may hold spaces, parentheses and what looks like fields.
  const std::string tail = " S 1 2 3 4 5 6 7 8 9 10 250 150 17 18 20 0 11 0 1000 4096000 300 99\n";
  for (const char* name : {"capstan", "a b", "x) R 1 (2", "(((", ")"}) {
    ProcessStats stats;

    ParseStat("42 (" + std::string(name) + ")" + tail, 5000, stats);

    const auto ticks = static_cast<double>(sysconf(_SC_CLK_TCK));
    const auto page = static_cast<double>(sysconf(_SC_PAGESIZE));
    EXPECT_EQ(stats.cpu_seconds, 400 / ticks) << name;
    EXPECT_EQ(stats.start_time_seconds, 5000 + 1000 / ticks) << name;
    EXPECT_EQ(stats.virtual_memory_bytes, 4096000) << name;
    EXPECT_EQ(stats.resident_memory_bytes, 300 * page) << name;
  }
}

TEST(ProcessStatsTest, MissingValuesAreAbsentNotZero) {
  for (const char* text : {"", "42 (x", "42 (x) S 1 2",
                           "42 (x) S a b c d e f g h i j k l m n o p q "
                           "r s t u v w"}) {
    ProcessStats stats;

    ParseStat(text, 5000, stats);

    EXPECT_FALSE(stats.cpu_seconds) << text;
    EXPECT_FALSE(stats.resident_memory_bytes) << text;
    EXPECT_FALSE(stats.start_time_seconds) << text;
  }
  ProcessStats network;
  ParseNetstat("TcpExt: InOctets OutOctets\nTcpExt: 1 2\nIpExt: Other\nIpExt: 3\n", network);
  EXPECT_FALSE(network.network_receive_bytes);
  EXPECT_FALSE(ParseBootTime("cpu 1 2\nno btime\n"));
}

TEST(ProcessStatsTest, FindsOctetsByNameAndBootTimeByLine) {
  ProcessStats stats;

  ParseNetstat(
      "TcpExt: A B\nTcpExt: 8 9\nIpExt: InNoRoutes InOctets X OutOctets\nIpExt: 1 1700 3 400\n",
      stats);

  EXPECT_EQ(stats.network_receive_bytes, 1700);
  EXPECT_EQ(stats.network_transmit_bytes, 400);
  EXPECT_EQ(ParseBootTime("cpu 1 2\nintr 5 btime 7\nbtime 1700000000\nprocesses 3\n"), 1700000000);
}

TEST(ProcessStatsTest, ReadsThisProcess) {
  const ProcessStats before = ReadProcessStats();
  const std::ifstream one_more("/proc/self/stat");
  const ProcessStats after = ReadProcessStats();
  const double now =
      std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();

  ASSERT_TRUE(before.open_fds && after.open_fds && after.resident_memory_bytes);
  EXPECT_EQ(*after.open_fds, *before.open_fds + 1);
  EXPECT_GT(*after.resident_memory_bytes, 1 << 20);
  EXPECT_GT(*after.virtual_memory_bytes, *after.resident_memory_bytes);
  EXPECT_GE(*after.max_fds, *after.open_fds);
  EXPECT_GE(*after.cpu_seconds, *before.cpu_seconds);
  EXPECT_NEAR(*after.start_time_seconds, now, 600);
}

}  // namespace
}  // namespace capstan::metrics
