// SPDX-License-Identifier: Apache-2.0
#include "capstan/log.h"

#include <glog/logging.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

DECLARE_string(vmodule);

namespace capstan {
namespace {

using ::testing::ElementsAre;

// Keeps the lines that glog sends while it exists.
class Lines final : public google::LogSink {
 public:
  Lines() { google::AddLogSink(this); }
  ~Lines() override { google::RemoveLogSink(this); }
  Lines(const Lines&) = delete;
  Lines& operator=(const Lines&) = delete;

  void send(google::LogSeverity severity, const char* /*path*/, const char* file, int line,
            const struct ::tm* /*time*/, const char* message, std::size_t size) override {
    all.push_back(std::string(google::GetLogSeverityName(severity)) + " " + file + " " +
                  std::string(message, size));
    last_line = line;
  }

  std::vector<std::string> all;
  int last_line = 0;
};

TEST(LogTest, WritesSeverityPairsAndThePlaceOfTheCall) {
  Lines lines;
  const int before = __LINE__;
  InfoS("Reconciled object", "object", "ns/n", "replicas", 3);

  EXPECT_EQ(lines.last_line, before + 1);
  WarningS("Skipped");
  ErrorS({.message = "a\nb"}, "Failed to delete", "object", "ns/n");

  EXPECT_THAT(lines.all,
              ElementsAre(R"(INFO log_test.cc "Reconciled object" object="ns/n" replicas=3)",
                          R"(WARNING log_test.cc "Skipped")",
                          R"(ERROR log_test.cc "Failed to delete" err="a\nb" object="ns/n")"));
}

TEST(LogTest, WritesVerboseLinesOnlyOnRequest) {
  Lines lines;
  const int before = FLAGS_v;
  FLAGS_v = 2;
  V(2).InfoS("Two");
  V(3).InfoS("Three");
  FLAGS_v = before;

  EXPECT_THAT(lines.all, ElementsAre(R"(INFO log_test.cc "Two")"));
}

TEST(LogTest, AFileHasAVerbosityOfItsOwn) {
  Lines lines;
  const std::string before = FLAGS_vmodule;
  FLAGS_vmodule = "other=9,log_*=3";
  V(3).InfoS("Three");
  V(4).InfoS("Four");
  FLAGS_vmodule = before;

  EXPECT_THAT(lines.all, ElementsAre(R"(INFO log_test.cc "Three")"));
}

}  // namespace
}  // namespace capstan
