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
  const std::string text(64, '"');
  EXPECT_EQ(FindQuoteOrBackslash(text.data(), text.data()), text.data());
  std::string plain(40, 'x');
  plain[33] = '"';
  EXPECT_EQ(FindQuoteOrBackslash(plain.data(), plain.data() + 33), plain.data() + 33);
}

}  // namespace
}  // namespace clientgo::runtime
