// SPDX-License-Identifier: Apache-2.0
// Terminal describes where output goes, and prints tables that fit it. Only output on a terminal
// has colours and cut lines.
#pragma once

#include <cstddef>
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

namespace capstan::cmd::cli::inspect {

struct Terminal {
  bool colour = false;
  std::size_t columns = 0;  // 0: lines are never cut

  // Uses colours if `out` is a terminal, NO_COLOR is not set and TERM is not "dumb".
  static Terminal Of(std::FILE* out);
};

enum class Tone { kPlain, kGood, kWait, kBad, kFaint, kBold };
std::string Toned(const Terminal& terminal, Tone tone, std::string_view text);

struct Cell {
  std::string text;
  Tone tone = Tone::kPlain;
};

// Columns are as wide as their content, with two spaces between. A line that is too long for the
// terminal ends with "...". Control characters of ASCII and U+0080 to U+009F are shown as '?',
// because they can control a terminal.
std::string Table(const Terminal& terminal, const std::vector<std::string>& header,
                  const std::vector<std::vector<Cell>>& rows);
std::string Printable(std::string_view text);
// Returns "Error: ..." as one line.
std::string ErrorLine(std::string_view message);

}  // namespace capstan::cmd::cli::inspect
