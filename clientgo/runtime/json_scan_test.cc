// SPDX-License-Identifier: Apache-2.0
#include "clientgo/runtime/json_scan.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <string>

namespace clientgo::runtime {
namespace {

TEST(JsonScanTest, FindsTheFirstQuoteOrBackslashAtEveryOffsetAndLength) {
  constexpr std::size_t kLengthMax = 70;  // several SIMD words and a rest
  for (std::size_t length = 0; length <= kLengthMax; ++length) {
    for (std::size_t start = 0; start <= length; ++start) {
      std::string text(length, 'x');
      const char* const begin = text.data() + start;
      const char* const end = text.data() + length;
      ASSERT_EQ(FindQuoteOrBackslash(begin, end), end);
      for (std::size_t at = start; at < length; ++at) {
        text[at] = at % 2 == 0 ? '"' : '\\';
        ASSERT_EQ(FindQuoteOrBackslash(begin, end) - begin,
                  static_cast<std::ptrdiff_t>(at - start));
        if (at + 1 < length) text.back() = '"';  // A later one does not matter.
        ASSERT_EQ(FindQuoteOrBackslash(begin, end) - begin,
                  static_cast<std::ptrdiff_t>(at - start));
        text[at] = text.back() = 'x';
      }
    }
  }
}

// The end must be honoured: bytes behind it belong to somebody else.
TEST(JsonScanTest, DoesNotLookBehindTheEnd) {
  for (std::size_t length = 0; length <= 64; ++length) {
    const std::string text = std::string(length, 'x') + std::string(64, '"');
    const char* const end = text.data() + length;
    EXPECT_EQ(FindQuoteOrBackslash(text.data(), end), end) << length;
  }
}

}  // namespace
}  // namespace clientgo::runtime
