// SPDX-License-Identifier: Apache-2.0
#include "cmd/flags/help.h"

#include <cstddef>

namespace cmd::flags {
namespace {

constexpr std::size_t kColumns = 100;
constexpr std::size_t kIndent = 16;

// Breaks at spaces; a word longer than a line stays whole.
void AppendWrapped(std::string& out, std::string_view line) {
  while (!line.empty()) {
    std::size_t take = line.size();
    if (take > kColumns - kIndent) {
      take = line.rfind(' ', kColumns - kIndent);
      if (take == std::string_view::npos) take = line.find(' ');
      if (take == std::string_view::npos) take = line.size();
    }
    out.append(kIndent, ' ');
    out += line.substr(0, take);
    out += '\n';
    line.remove_prefix(take < line.size() ? take + 1 : take);
  }
}

std::string DefaultText(const FlagHelp& flag) {
  const std::string_view value = flag.default_value;
  if (value.empty() || value == "0" || value == "false" || value == "0s") return {};
  const std::string_view quote = flag.quote_default ? "\"" : "";
  return " (default " + std::string(quote) + std::string(value) + std::string(quote) + ")";
}

}  // namespace

void AppendFlagHelp(std::string& out, const FlagHelp& flag) {
  out += flag.shorthand.empty() ? "      " : "  -" + std::string(flag.shorthand) + ", ";
  out += "--";
  out += flag.name;
  if (!flag.type_name.empty()) out += ' ';
  out += flag.type_name;
  out += '\n';
  const std::string text = std::string(flag.usage) + DefaultText(flag);
  std::string_view rest = text;
  while (!rest.empty()) {
    const std::size_t end = rest.find('\n');
    AppendWrapped(out, rest.substr(0, end));
    rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
  }
}

}  // namespace cmd::flags
