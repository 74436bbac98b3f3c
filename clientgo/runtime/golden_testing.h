// SPDX-License-Identifier: Apache-2.0
// Test support: bodies of a real kube-apiserver 1.34, kept in the testdata folder beside the tests.
#pragma once

#include <string>

namespace clientgo::runtime {

// The content of that file; a failed expectation when it cannot be read.
std::string ReadGolden(const std::string& name);

}  // namespace clientgo::runtime
