// SPDX-License-Identifier: Apache-2.0
// Test support: bodies of a real kube-apiserver 1.34, kept in the testdata folders.
#pragma once

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <string>

namespace clientgo::runtime {

// TESTDATA_DIR is set by the CMakeLists.txt of the test's folder.
inline std::string ReadGolden(const std::string& name) {
  std::ifstream file(TESTDATA_DIR "/" + name, std::ios::binary);
  EXPECT_TRUE(file.is_open()) << name;
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace clientgo::runtime
