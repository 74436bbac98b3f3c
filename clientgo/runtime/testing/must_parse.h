// SPDX-License-Identifier: Apache-2.0
// MustParse parses the JSON of a test.
#pragma once

#include <gtest/gtest.h>

#include <string_view>

#include "clientgo/runtime/json.h"

namespace capstan::runtime {

// Returns the document. The test fails when `text` is not JSON.
inline JsonDocument MustParse(std::string_view text) {
  JsonDocument document;
  document.Parse(text.data(), text.size());
  EXPECT_FALSE(document.HasParseError()) << text;
  return document;
}

}  // namespace capstan::runtime
