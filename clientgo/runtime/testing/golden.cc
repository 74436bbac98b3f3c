// SPDX-License-Identifier: Apache-2.0
#include "clientgo/runtime/testing/golden.h"

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

namespace capstan::runtime {

// The CMakeLists.txt of the folder that compiles this into its tests defines TESTDATA_DIR.
std::string ReadGolden(const std::string& name) {
  std::ifstream file(TESTDATA_DIR "/" + name, std::ios::binary);
  EXPECT_TRUE(file.is_open()) << name;
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace capstan::runtime
