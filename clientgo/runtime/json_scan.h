// SPDX-License-Identifier: Apache-2.0
// The inner loops over JSON text: to the end of a string, through a number, past UTF-8 and past the
// escapes of surrogates. Pure functions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

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

// The length of the UTF-8 sequence that starts at `p`, or 0: none does. As Unicode has it: no
// overlong forms, no surrogates, nothing beyond U+10FFFF.
inline std::size_t Utf8SequenceLength(const char* p, const char* end) {
  const auto byte = [p](std::size_t i) { return static_cast<unsigned char>(p[i]); };
  const unsigned char lead = byte(0);
  if (lead < 0x80) return 1;
  if (lead < 0xc2 || lead > 0xf4) return 0;
  const std::size_t length = lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
  if (static_cast<std::size_t>(end - p) < length) return 0;
  const unsigned char low = lead == 0xe0 ? 0xa0 : lead == 0xf0 ? 0x90 : 0x80;
  const unsigned char high = lead == 0xed ? 0x9f : lead == 0xf4 ? 0x8f : 0xbf;
  if (byte(1) < low || byte(1) > high) return 0;
  for (std::size_t i = 2; i < length; ++i) {
    if ((byte(i) & 0xc0U) != 0x80U) return 0;
  }
  return length;
}

// The value of the escape \uXXXX at `p`, or 0: there is none.
inline unsigned UnicodeEscape(const char* p, const char* end) {
  if (end - p < 6 || p[0] != '\\' || p[1] != 'u') return 0;
  unsigned value = 0;
  for (std::size_t i = 2; i < 6; ++i) {
    const char lower = static_cast<char>(p[i] | 0x20);
    const bool digit = p[i] >= '0' && p[i] <= '9';
    if (!digit && (lower < 'a' || lower > 'f')) return 0;
    value = value * 16 + static_cast<unsigned>(digit ? p[i] - '0' : lower - 'a' + 10);
  }
  return value;
}

// Eight bytes of ASCII without a backslash?
inline bool IsPlainWord(const char* p) {
  constexpr std::uint64_t kOnes = 0x0101010101010101U;
  constexpr std::uint64_t kHighBits = kOnes * 0x80;
  std::uint64_t word;
  std::memcpy(&word, p, sizeof word);
  const std::uint64_t other = word ^ (kOnes * '\\');  // a backslash becomes zero
  return ((word | ((other - kOnes) & ~other)) & kHighBits) == 0;
}

// The first byte in [p, end), JSON text, that is no part of UTF-8, now or once its escapes are
// resolved: RapidJSON lets pass the former in its fast paths, and the escape of the second half of
// a surrogate pair without a first. What follows a first half it judges itself. Or end.
inline const char* FindInvalidUtf8(const char* p, const char* end) {
  while (p != end) {
    if (end - p >= 8 && IsPlainWord(p)) {
      p += 8;
    } else if (*p == '\\') {
      const unsigned value = UnicodeEscape(p, end);
      if (value >= 0xdc00 && value <= 0xdfff) return p;
      const bool first_half = value >= 0xd800 && value <= 0xdbff;
      p += first_half && end - p >= 12 ? 12 : end - p >= 2 ? 2 : 1;
    } else if (const std::size_t length = Utf8SequenceLength(p, end); length != 0) {
      p += length;
    } else {
      return p;
    }
  }
  return end;
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
