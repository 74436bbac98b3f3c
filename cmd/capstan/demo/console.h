// SPDX-License-Identifier: Apache-2.0
// Console: what the demo says. On a terminal a progress line is drawn over and over; elsewhere each
// distinct state is one plain line, so that a pipeline's log reads like a report. What was shown is
// added to the Record, too. One thread.
#pragma once

#include <chrono>
#include <cstdio>
#include <string>
#include <string_view>

#include "cmd/capstan/demo/record.h"
#include "cmd/capstan/inspect/terminal.h"

namespace cmd::capstan::demo {

class Console {
 public:
  // `plain`: no drawing over, whatever `out` is. Colour only on a terminal without NO_COLOR.
  // `record` outlives it.
  Console(std::FILE* out, bool plain, Record& record);

  void Line(std::string_view text);  // not recorded, nor is a Block
  void Heading(std::string_view text);
  void Good(std::string_view text);
  void Bad(std::string_view text);
  void Skip(std::string_view text);
  // Indented lines, coloured as the place that they go to can show.
  void Block(std::string_view text);
  inspect::Terminal terminal() const { return {.colour = colour_}; }
  // A state that will change. On a terminal it replaces the last one; elsewhere it is a line when a
  // second has passed since the last.
  void Progress(std::string_view text);

 private:
  void EndProgress();
  void Coloured(std::string_view code, std::string_view mark, std::string_view text);

  std::FILE* out_;
  Record& record_;
  bool terminal_;
  bool colour_;
  bool progress_open_ = false;
  std::chrono::steady_clock::time_point last_progress_{};
};

}  // namespace cmd::capstan::demo
