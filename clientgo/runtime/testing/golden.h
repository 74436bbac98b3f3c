// SPDX-License-Identifier: Apache-2.0
// ReadGolden reads responses of a real kube-apiserver 1.34 from the testdata folder of the tests.
#pragma once

#include <string>

namespace capstan::runtime {

// Returns the content of the file `name`. The test fails if it cannot be read.
std::string ReadGolden(const std::string& name);

}  // namespace capstan::runtime
