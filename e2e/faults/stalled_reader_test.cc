// SPDX-License-Identifier: Apache-2.0
// Tests a watch of 500 MiB with a stalled reader: TCP blocks the server, and the reader's memory
// does not grow.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdio>
#include <future>
#include <iostream>
#include <string>
#include <string_view>

#include "capstan/clock.h"
#include "clientgo/transport/testing/loopback_server.h"

namespace e2e {
namespace {

using capstan::transport::LoopbackConnection;
using capstan::transport::LoopbackServer;
using std::chrono::milliseconds;

constexpr int kEvents = 500;
constexpr std::size_t kEventBytes = 1U << 20U;
constexpr int kPeakKib = 16 * 1024;

constexpr std::string_view kSecret =
    R"({"kind":"Secret","apiVersion":"v1","metadata":{"namespace":"stall","name":"stall",)"
    R"("uid":"u","resourceVersion":"1"})";

bool IsSanitized() {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  return true;
#else
  return false;
#endif
}

TEST(StalledReaderTest, ReadsFiveHundredMebibytesWithBoundedMemory) {
  if (IsSanitized()) GTEST_SKIP() << "sanitizers use more memory than the program";
  std::atomic<std::size_t> sent{0};
  std::promise<void> stalled;
  std::promise<void> go_on;
  LoopbackServer server([&](LoopbackConnection& connection, const std::string& request) {
    if (request.find("watch=true") == std::string::npos) {
      stalled.set_value();
      go_on.get_future().wait();
      connection.WriteHead(200);
      connection.WriteChunk(std::string(kSecret) + "}");
      connection.WriteChunk("");
      return;
    }
    connection.WriteHead(200);
    const std::string event = R"({"type":"MODIFIED","object":)" + std::string(kSecret) +
                              R"(,"data":{"x":")" + std::string(kEventBytes, 'A') + "\"}}}\n";
    for (int i = 0; i < kEvents && connection.WriteChunk(event); ++i) sent += event.size();
    connection.WriteChunk("");
  });
  FILE* const reader = popen((std::string(STREAM_READER) + " " + server.url()).c_str(), "r");
  ASSERT_NE(reader, nullptr);
  stalled.get_future().wait();

  // The server is blocked when the number has not changed for 200 ms.
  std::size_t last = 0;
  for (int same = 0; same < 10; same = sent == last ? same + 1 : 0) {
    last = sent;
    capstan::Clock::Real().SleepFor({}, milliseconds(20));
  }
  EXPECT_LT(sent, 16U << 20U) << "the sockets' buffers hold a few MiB at most";
  go_on.set_value();

  int events = 0;
  int peak_kib = 0;
  EXPECT_EQ(std::fscanf(reader, "%d %d", &events, &peak_kib), 2);
  EXPECT_EQ(pclose(reader), 0);
  EXPECT_EQ(events, kEvents);
  EXPECT_GT(sent, std::size_t{kEvents} * kEventBytes);
  EXPECT_LT(peak_kib, kPeakKib);
  std::cout << "peak RSS of the reader: " << peak_kib << " KiB" << std::endl;
}

}  // namespace
}  // namespace e2e
