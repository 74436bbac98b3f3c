// SPDX-License-Identifier: Apache-2.0
// What a FlagSet prints.
#include <algorithm>

#include "cmd/flags/flag_set.h"
#include "cmd/flags/help.h"

namespace cmd::flags {

std::string FlagSet::Version() const { return program_.name + " " + program_.version + "\n"; }

std::string FlagSet::Help() const {
  std::string out = program_.description + "\n\nUsage:\n  " + program_.name +
                    (program_.arguments.empty() ? "" : " " + program_.arguments) + " [flags]\n";
  for (const Section& section : sections_) {
    const auto hidden = [](const Flag& flag) { return flag.hidden; };
    if (std::all_of(section.flags.begin(), section.flags.end(), hidden)) continue;
    out += "\n" + section.title + " flags:\n\n";
    for (const Flag& flag : section.flags) {
      if (flag.hidden) continue;
      AppendFlagHelp(out, {.name = flag.name,
                           .shorthand = flag.name == "v" ? "v" : flag.shorthand,
                           .type_name = flag.type_name,
                           .usage = flag.usage,
                           .default_value = flag.default_value,
                           .quote_default = VariableType(flag.type) == "string" &&
                                            flag.type != Type::kDuration});
    }
  }
  out += "\nGlobal flags:\n\n";
  AppendFlagHelp(out, {.name = "help", .shorthand = "h", .usage = "Print this text and exit."});
  AppendFlagHelp(out, {.name = "version", .usage = "Print the version and exit."});
  return out;
}

}  // namespace cmd::flags
