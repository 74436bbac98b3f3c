// SPDX-License-Identifier: Apache-2.0
#include "cmd/capstan-demo/program.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include "capstan/testing/temp_dir.h"

namespace capstan::cmd::capstan_demo {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr std::string_view kText =
    "# HELP calls_total Calls.\n"
    "# TYPE calls_total counter\n"
    "calls_total{code=\"200\",method=\"GET\"} 3\n"
    "calls_total{code=\"200\",method=\"PATCH\"} 4\n"
    "calls_total_of_others 100\n"
    "depth 0.5\n";

TEST(SumOfSeriesTest, SumsSeriesWithLabel) {
  EXPECT_EQ(SumOfSeries(kText, "calls_total", ""), 7);
  EXPECT_EQ(SumOfSeries(kText, "calls_total", R"(method="GET")"), 3);
  EXPECT_EQ(SumOfSeries(kText, "depth", ""), 0.5);
}

TEST(SumOfSeriesTest, ReturnsNulloptWithoutSeries) {
  EXPECT_EQ(SumOfSeries(kText, "calls", ""), std::nullopt);
  EXPECT_EQ(SumOfSeries(kText, "calls_total", R"(method="PUT")"), std::nullopt);
  EXPECT_EQ(SumOfSeries("", "depth", ""), std::nullopt);
}

class ProgramTest : public ::testing::Test {
 protected:
  ProgramOptions Shell(const std::string& script) const {
    return {.name = "sh", .path = "/bin/sh", .arguments = {"-c", script}, .log_path = log_};
  }

  const testing::TempDir dir_;
  const std::string log_ = dir_.Path("log");
  Program program_;
};

TEST_F(ProgramTest, ReturnsExitCodeAndLastLines) {
  ASSERT_TRUE(program_.Start(Shell("echo first; echo last >&2; exit 3")));
  EXPECT_FALSE(Program().Ended());
  while (!program_.Ended()) std::this_thread::yield();

  EXPECT_EQ(program_.Stop(), 3);

  EXPECT_FALSE(program_.Running());
  EXPECT_THAT(program_.LastLines(), ElementsAre("first", "last"));
}

TEST_F(ProgramTest, StopEndsRunningProgram) {
  ASSERT_TRUE(program_.Start(Shell("trap 'exit 0' TERM; while :; do sleep 0.01; done")));
  EXPECT_TRUE(program_.Running());
  EXPECT_THAT(program_.Memory("VmRSS"), HasSubstr("iB"));

  program_.Stop();

  EXPECT_FALSE(program_.Running());
}

TEST_F(ProgramTest, ReportsProgramThatCannotRun) {
  const auto started = program_.Start({.name = "x", .path = "/nowhere/x", .log_path = log_});

  ASSERT_FALSE(started);
  EXPECT_THAT(started.error().message, HasSubstr("failed to run /nowhere/x"));
  EXPECT_FALSE(program_.Running());
}

}  // namespace
}  // namespace capstan::cmd::capstan_demo
