// SPDX-License-Identifier: Apache-2.0
// Test support: what `promtool check metrics` (Debian package prometheus) says of an exposition.
#pragma once

#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>

namespace metrics {

// Without it a test must say aloud that it was skipped.
inline bool HasPromtool() { return std::system("command -v promtool >/dev/null 2>&1") == 0; }

// REQUIRES: HasPromtool(). The exit code, and what was printed; -1: it could not be run.
struct PromtoolAnswer {
  int exit_code = -1;
  std::string output = {};
};
inline PromtoolAnswer CheckWithPromtool(const std::string& exposition) {
  // A file of its own for each test: they run side by side.
  const auto* const test = testing::UnitTest::GetInstance()->current_test_info();
  const std::string file = testing::TempDir() + test->test_suite_name() + ".promtool.txt";
  std::ofstream(file) << exposition;
  FILE* promtool = popen(("promtool check metrics <" + file + " 2>&1").c_str(), "r");
  if (promtool == nullptr) return {};
  PromtoolAnswer answer;
  for (int c = std::fgetc(promtool); c != EOF; c = std::fgetc(promtool)) {
    answer.output += static_cast<char>(c);
  }
  answer.exit_code = pclose(promtool);
  return answer;
}

}  // namespace metrics
