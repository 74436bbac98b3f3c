// SPDX-License-Identifier: Apache-2.0
// Numbers as Go's package strconv reads and writes them.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "clientgo/cel/value.h"

namespace capstan::cel {

// Reads a floating-point number: 1e3, .5, 0x1p-2, inf, NaN, 1_000 not. Returns nullopt for other
// texts, and for numbers outside the range.
std::optional<double> ParseGoFloat(std::string_view text);
// Returns the shortest text that ParseGoFloat reads as the number, with an exponent for numbers
// that are very large or small: FormatFloat(x, 'g', -1, 64).
std::string GoFloatText(double number);
// The same without an exponent: FormatFloat(x, 'f', -1, 64).
std::string FixedText(double number);
// Returns what string(x) is for a number, a bool, a timestamp or a duration; nullopt for others.
std::optional<std::string> ScalarText(const Value& value);

}  // namespace capstan::cel
