// SPDX-License-Identifier: Apache-2.0
// A program that links controller_runtime, and not metrics: it needs no Prometheus.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <string>

#include "capstan/manager.h"

namespace capstan {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(NoMetricsTest, ManagerNeedsNoPrometheus) {
  const auto manager = Manager::New({.host = "http://127.0.0.1:1"}, {.name = "test"});
  ASSERT_TRUE(manager.has_value()) << manager.error().message;
  std::stop_source stop;
  stop.request_stop();
  EXPECT_TRUE((*manager)->Start(stop.get_token()).has_value());

  std::ifstream maps("/proc/self/maps");
  const std::string loaded((std::istreambuf_iterator<char>(maps)), {});

  EXPECT_THAT(loaded, HasSubstr("libc.so"));
  EXPECT_THAT(loaded, Not(HasSubstr("prometheus")));
}

}  // namespace
}  // namespace capstan
