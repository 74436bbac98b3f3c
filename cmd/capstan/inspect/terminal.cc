// SPDX-License-Identifier: Apache-2.0
#include "cmd/capstan/inspect/terminal.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>

namespace capstan::cmd::cli::inspect {
namespace {

constexpr std::string_view kGap = "  ";
constexpr std::string_view kCut = "...";

// The codes of SGR, in the order of Tone.
constexpr std::array<std::string_view, 6> kCodes = {"", "32", "33", "31", "2", "1"};

// Counts characters of UTF-8: continuation bytes take no column.
std::size_t Width(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0) != 0x80;
  }));
}

std::string Prefix(std::string_view text, std::size_t columns) {
  std::size_t bytes = 0;
  for (std::size_t seen = 0; bytes < text.size(); ++bytes) {
    const bool starts = (static_cast<unsigned char>(text[bytes]) & 0xC0) != 0x80;
    if (starts && seen++ == columns) break;
  }
  return std::string(text.substr(0, bytes));
}

}  // namespace

Terminal Terminal::Of(std::FILE* out) {
  const int fd = fileno(out);
  if (isatty(fd) != 1) return {};
  const char* const term = std::getenv("TERM");
  const bool dumb = term == nullptr || std::string_view(term) == "dumb";
  Terminal terminal{.colour = std::getenv("NO_COLOR") == nullptr && !dumb};
  winsize size{};
  if (ioctl(fd, TIOCGWINSZ, &size) == 0) terminal.columns = size.ws_col;
  return terminal;
}

std::string Toned(const Terminal& terminal, Tone tone, std::string_view text) {
  const std::string_view code = kCodes.at(static_cast<std::size_t>(tone));
  if (!terminal.colour || code.empty() || text.empty()) return std::string(text);
  return "\x1b[" + std::string(code) + "m" + std::string(text) + "\x1b[0m";
}

std::string Printable(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto c = static_cast<unsigned char>(text[i]);
    const auto next = i + 1 < text.size() ? static_cast<unsigned char>(text[i + 1]) : 0;
    const bool c1 = c == 0xC2 && next >= 0x80 && next <= 0x9F;
    if (c1) ++i;  // one character of two bytes
    out += c1 || c < 0x20 || c == 0x7F ? '?' : static_cast<char>(c);
  }
  return out;
}

std::string ErrorLine(std::string_view message) { return "Error: " + Printable(message) + "\n"; }

std::string Table(const Terminal& terminal, const std::vector<std::string>& header,
                  const std::vector<std::vector<Cell>>& rows) {
  std::vector<std::vector<Cell>> lines;
  lines.emplace_back();
  for (const std::string& name : header) lines.back().push_back({name, Tone::kBold});
  lines.insert(lines.end(), rows.begin(), rows.end());
  std::vector<std::size_t> widths(header.size());
  for (auto& line : lines) {
    for (std::size_t i = 0; i < line.size(); ++i) {
      line[i].text = Printable(line[i].text);
      widths[i] = std::max(widths[i], Width(line[i].text));
    }
  }
  std::string out;
  for (const auto& line : lines) {
    std::size_t column = 0;
    std::size_t last = line.size();
    while (last > 0 && line[last - 1].text.empty()) --last;
    for (std::size_t i = 0; i < last; ++i) {
      std::string text = line[i].text;
      const std::size_t room = terminal.columns > column ? terminal.columns - column : 0;
      const bool cut = terminal.columns > 0 && Width(text) > room;
      if (cut)
        text = room < kCut.size() ? "" : Prefix(text, room - kCut.size()) + std::string(kCut);
      out += Toned(terminal, line[i].tone, text);
      if (cut || i + 1 == last) break;
      out.append(widths[i] - Width(text), ' ');
      out += kGap;
      column += widths[i] + kGap.size();
    }
    out.erase(out.find_last_not_of(' ') + 1);
    out += '\n';
  }
  return out;
}

}  // namespace capstan::cmd::cli::inspect
