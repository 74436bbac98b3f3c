// SPDX-License-Identifier: Apache-2.0
#include "clientgo/runtime/json_scan.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <string>
#include <vector>

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

TEST(JsonScanTest, FindsWhatIsNotUtf8AtEveryOffset) {
  const std::vector<std::string> good = {"\x7f",         "\xc2\x80",         "\xdf\xbf",
                                         "\xe0\xa0\x80", "\xed\x9f\xbf",     "\xee\x80\x80",
                                         "\xef\xbf\xbf", "\xf0\x90\x80\x80", "\xf4\x8f\xbf\xbf"};
  const std::vector<std::string> bad = {"\x80",
                                        "\xbf",
                                        "\xc0\x80",
                                        "\xc1\xbf",
                                        "\xe0\x9f\xbf",
                                        "\xed\xa0\x80",
                                        "\xf0\x8f\xbf\xbf",
                                        "\xf4\x90\x80\x80",
                                        "\xf5\x80\x80\x80",
                                        "\xff",
                                        "\xc2x",
                                        "\xe2\x82x",
                                        "\xf0\x9f\x98x"};
  for (std::size_t before = 0; before < 20; ++before) {
    for (std::size_t after = 0; after < 20; ++after) {
      const auto invalid_at = [&](const std::string& sequence) {
        const std::string text = std::string(before, 'x') + sequence + std::string(after, 'y');
        return FindInvalidUtf8(text.data(), text.data() + text.size()) - text.data() -
               static_cast<std::ptrdiff_t>(before);
      };
      for (const std::string& sequence : good) {
        ASSERT_EQ(invalid_at(sequence), static_cast<std::ptrdiff_t>(sequence.size() + after));
      }
      for (const std::string& sequence : bad) ASSERT_EQ(invalid_at(sequence), 0) << sequence;
    }
  }
}

TEST(JsonScanTest, FindsASecondHalfOfASurrogatePairAlone) {
  const auto found_at = [](const std::string& text) {
    const char* const end = text.data() + text.size();
    const char* const found = FindInvalidUtf8(text.data(), end);
    return found == end ? std::string::npos : static_cast<std::size_t>(found - text.data());
  };
  EXPECT_EQ(found_at(R"("\udc00")"), 1U);
  EXPECT_EQ(found_at(R"("ab\\\uDFFF")"), 5U);
  EXPECT_EQ(found_at(R"("\ud83d\ude00\udead")"), 13U);
  for (const char* fine : {"", "\\", R"("\ud83d\ude00\uD83D\uDE00")", R"("\\udc00")",
                           R"("\u00e9\ue000")", R"("\udc0)", R"("\udcxx")", R"("\ud83d)"}) {
    EXPECT_EQ(found_at(fine), std::string::npos) << fine;
  }
}

TEST(JsonScanTest, ASequenceThatIsCutOffIsNotUtf8) {
  const std::string text = "\xf0\x9f\x98\x80";
  for (std::size_t size = 1; size < text.size(); ++size) {
    EXPECT_EQ(FindInvalidUtf8(text.data(), text.data() + size), text.data()) << size;
  }
}

}  // namespace
}  // namespace clientgo::runtime
