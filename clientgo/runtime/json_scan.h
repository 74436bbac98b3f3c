// SPDX-License-Identifier: Apache-2.0
// The two inner loops of JsonFilter: to the end of a string, and through a number. Pure functions.
#pragma once

#include <cstdint>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace clientgo::runtime {

// The first '"' or '\' in [p, end), or end. Sixteen bytes at a time where the CPU can: a dropped
// string costs little more than reading it.
inline const char* FindQuoteOrBackslash(const char* p, const char* end) {
#if defined(__SSE2__)
  const __m128i quote = _mm_set1_epi8('"');
  const __m128i backslash = _mm_set1_epi8('\\');
  for (; end - p >= 16; p += 16) {
    const __m128i word = _mm_loadu_si128(reinterpret_cast<const __m128i*>(p));
    const __m128i hits = _mm_or_si128(_mm_cmpeq_epi8(word, quote), _mm_cmpeq_epi8(word, backslash));
    const auto mask = static_cast<unsigned>(_mm_movemask_epi8(hits));
    if (mask != 0) return p + __builtin_ctz(mask);
  }
#endif
  while (p != end && *p != '"' && *p != '\\') ++p;
  return p;
}

// How much of a number was read. JSON's grammar: -?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?
enum class NumberState : std::uint8_t {
  kStart,
  kMinus,
  kZero,
  kInteger,
  kPoint,
  kFraction,
  kExponent,
  kExponentSign,
  kExponentDigits,
  kEnd,  // the byte is not part of the number
};

constexpr NumberState NextNumberState(NumberState state, char c) {
  const bool digit = c >= '0' && c <= '9';
  const bool exponent = c == 'e' || c == 'E';
  switch (state) {
    case NumberState::kStart:
      if (c == '-') return NumberState::kMinus;
      [[fallthrough]];
    case NumberState::kMinus:
      if (c == '0') return NumberState::kZero;
      return digit ? NumberState::kInteger : NumberState::kEnd;
    case NumberState::kInteger:
      if (digit) return NumberState::kInteger;
      [[fallthrough]];
    case NumberState::kZero:
      if (c == '.') return NumberState::kPoint;
      return exponent ? NumberState::kExponent : NumberState::kEnd;
    case NumberState::kFraction:
      if (exponent) return NumberState::kExponent;
      [[fallthrough]];
    case NumberState::kPoint:
      return digit ? NumberState::kFraction : NumberState::kEnd;
    case NumberState::kExponent:
      if (c == '+' || c == '-') return NumberState::kExponentSign;
      [[fallthrough]];
    case NumberState::kExponentSign:
    case NumberState::kExponentDigits:
      return digit ? NumberState::kExponentDigits : NumberState::kEnd;
    case NumberState::kEnd:
      break;
  }
  return NumberState::kEnd;
}

// May the number end here?
constexpr bool IsWholeNumber(NumberState state) {
  return state == NumberState::kZero || state == NumberState::kInteger ||
         state == NumberState::kFraction || state == NumberState::kExponentDigits;
}

}  // namespace clientgo::runtime
