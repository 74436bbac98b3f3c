// SPDX-License-Identifier: Apache-2.0
#include "clientgo/runtime/golden_testing.h"

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

namespace clientgo::runtime {

// TESTDATA_DIR is set by the CMakeLists.txt of the folder that compiles this into its tests.
std::string ReadGolden(const std::string& name) {
  std::ifstream file(TESTDATA_DIR "/" + name, std::ios::binary);
  EXPECT_TRUE(file.is_open()) << name;
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace clientgo::runtime
