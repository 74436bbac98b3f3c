// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdio>
#include <random>
#include <string>

namespace capstan::cmd::test_server {

// Returns 128 new random bits, so that other users of this machine cannot use the server.
inline std::string NewToken() {
  std::random_device random;
  std::array<char, 33> text = {};
  std::snprintf(text.data(), text.size(), "%08x%08x%08x%08x", random(), random(), random(),
                random());
  return text.data();
}

}  // namespace capstan::cmd::test_server
