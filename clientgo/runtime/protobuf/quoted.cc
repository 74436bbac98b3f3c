// SPDX-License-Identifier: Apache-2.0
#include "clientgo/runtime/protobuf/quoted.h"

#include <algorithm>
#include <string_view>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include "capstan/text.h"

namespace capstan::runtime {
namespace {

// Returns the first byte in [p, end) that a JSON string cannot have as it is, or `end`. Bytes above
// 0x7f are among them, because they may not be UTF-8.
const char* FindSpecial(const char* p, const char* end) {
#if defined(__SSE2__)
  const __m128i quote = _mm_set1_epi8('"');
  const __m128i backslash = _mm_set1_epi8('\\');
  const __m128i space = _mm_set1_epi8(' ');
  for (; end - p >= 16; p += 16) {
    const __m128i word = _mm_loadu_si128(reinterpret_cast<const __m128i*>(p));
    // The comparison is signed: bytes above 0x7f are less than ' ', too.
    const __m128i hits =
        _mm_or_si128(_mm_or_si128(_mm_cmpeq_epi8(word, quote), _mm_cmpeq_epi8(word, backslash)),
                     _mm_cmplt_epi8(word, space));
    const auto mask = static_cast<unsigned>(_mm_movemask_epi8(hits));
    if (mask != 0) return p + __builtin_ctz(mask);
  }
#endif
  while (p != end && *p != '"' && *p != '\\' && static_cast<signed char>(*p) >= ' ') ++p;
  return p;
}

}  // namespace

void AppendQuoted(std::string_view text, std::vector<char>& out) {
  out.push_back('"');
  const char* p = text.data();
  const char* const end = p + text.size();
  while (p != end) {
    const char* const special = FindSpecial(p, end);
    out.insert(out.end(), p, special);
    p = special;
    if (p == end) break;
    const auto byte = static_cast<unsigned char>(*p);
    if (byte >= 0x80U) {
      const std::size_t size = Utf8SequenceLength(p, end);
      const std::string_view rune =
          size == 0 ? std::string_view("\xef\xbf\xbd") : std::string_view(p, size);
      out.insert(out.end(), rune.begin(), rune.end());
      p += std::max<std::size_t>(size, 1);
      continue;
    }
    if (byte < ' ') {
      constexpr std::string_view kHex = "0123456789abcdef";
      const char escape[] = {'\\', 'u', '0', '0', kHex[byte >> 4U], kHex[byte & 15U]};
      out.insert(out.end(), std::begin(escape), std::end(escape));
    } else {
      out.push_back('\\');
      out.push_back(*p);
    }
    ++p;
  }
  out.push_back('"');
}

}  // namespace capstan::runtime
