// SPDX-License-Identifier: Apache-2.0
// Checks an exposition with `promtool check metrics` (Debian package prometheus).
#pragma once

#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>

namespace capstan::metrics {

// Without promtool a test must report that it was skipped.
inline bool HasPromtool() { return std::system("command -v promtool >/dev/null 2>&1") == 0; }

struct PromtoolAnswer {
  int exit_code = -1;  // -1: promtool could not run
  std::string output = {};
};
// REQUIRES: HasPromtool().
inline PromtoolAnswer CheckWithPromtool(const std::string& exposition) {
  // Each test has its own file, because tests run in parallel.
  const auto* const test = ::testing::UnitTest::GetInstance()->current_test_info();
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

}  // namespace capstan::metrics
