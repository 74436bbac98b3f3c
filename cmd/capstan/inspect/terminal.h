// SPDX-License-Identifier: Apache-2.0
// Terminal: what the place that output goes to can show, and tables that fit it. Elsewhere than on
// a terminal, nothing is coloured and nothing is cut. Plain data and pure functions.
#pragma once

#include <cstddef>
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

namespace cmd::capstan::inspect {

struct Terminal {
  bool colour = false;
  std::size_t columns = 0;  // 0: lines are never cut

  // Colour when `out` is a terminal, NO_COLOR is not set (to anything) and TERM is not "dumb".
  static Terminal Of(std::FILE* out);
};

enum class Tone { kPlain, kGood, kWait, kBad, kFaint, kBold };
std::string Toned(const Terminal& terminal, Tone tone, std::string_view text);

struct Cell {
  std::string text;
  Tone tone = Tone::kPlain;
};

// Columns as wide as what is in them, two spaces between. On a terminal a line ends where that
// does, with "...". Control characters, which an object's text may hold, are shown as '?': those of
// ASCII and U+0080 to U+009F, by which a terminal can be steered as well.
std::string Table(const Terminal& terminal, const std::vector<std::string>& header,
                  const std::vector<std::vector<Cell>>& rows);
std::string Printable(std::string_view text);
// "Error: ..." as one line, whatever the message holds.
std::string ErrorLine(std::string_view message);

}  // namespace cmd::capstan::inspect
