// SPDX-License-Identifier: Apache-2.0
#include "cmd/capstan/demo/console.h"

#include <unistd.h>

#include <algorithm>

namespace cmd::capstan::demo {

Console::Console(std::FILE* out, bool plain, Record& record)
    : out_(out),
      record_(record),
      terminal_(!plain && isatty(fileno(out)) == 1),
      colour_(terminal_ && inspect::Terminal::Of(out).colour) {}

void Console::Line(std::string_view text) {
  EndProgress();
  std::fprintf(out_, "%.*s\n", static_cast<int>(text.size()), text.data());
  std::fflush(out_);
}

void Console::Heading(std::string_view text) {
  EndProgress();
  record_.Begin(text);
  Coloured("1", "\n== ", text);
}

void Console::Good(std::string_view text) {
  record_.Add(Result::kShown, text);
  Coloured("32", "  ok    ", text);
}
void Console::Bad(std::string_view text) {
  record_.Add(Result::kFailed, text);
  Coloured("31", "  FAIL  ", text);
}

void Console::Skip(std::string_view text) {
  record_.Add(Result::kSkipped, text);
  Coloured("33", "  skip  ", text);
}

void Console::Block(std::string_view text) {
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    Line("        " + std::string(line));
  }
}

void Console::Progress(std::string_view text) {
  record_.Progress(text);
  if (terminal_) {
    std::fprintf(out_, "\r  ..    %.*s\x1b[K", static_cast<int>(text.size()), text.data());
    std::fflush(out_);
    progress_open_ = true;
    return;
  }
  const auto now = std::chrono::steady_clock::now();
  if (now - last_progress_ < std::chrono::seconds(1)) return;
  last_progress_ = now;
  Line("  ..    " + std::string(text));
}

void Console::EndProgress() {
  if (progress_open_) std::fputs("\r\x1b[K", out_);
  progress_open_ = false;
}

void Console::Coloured(std::string_view code, std::string_view mark, std::string_view text) {
  std::string line(mark);
  line += text;
  if (colour_) line = "\x1b[" + std::string(code) + "m" + line + "\x1b[0m";
  Line(line);
}

}  // namespace cmd::capstan::demo
