// SPDX-License-Identifier: Apache-2.0
#include "cmd/test-server/known_arguments.h"

#include <algorithm>
#include <cstddef>

#include "capstan/flags/value.h"

namespace capstan::cmd::test_server {
namespace {

constexpr std::string_view kDashes = "--";

// Returns "secure-port" for "--secure_port=6443".
std::string NameOf(const std::string& argument) {
  std::string name = argument.substr(kDashes.size(), argument.find('=') - kDashes.size());
  std::replace(name.begin(), name.end(), '_', '-');
  return name;
}

}  // namespace

KnownArguments SplitKnown(const flags::FlagSet& set, const std::vector<std::string>& arguments) {
  KnownArguments split;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string& argument = arguments[i];
    if (!argument.starts_with(kDashes) || argument == kDashes) {
      split.known.push_back(argument);
      continue;
    }
    const std::string name = NameOf(argument);
    const flags::Flag* const flag = set.Find(name);
    const bool known = flag != nullptr || name == "help" || name == "version";
    const bool has_value = argument.find('=') != std::string::npos;
    if (known) {
      split.known.push_back(argument);
    } else {
      split.unknown.push_back(argument.substr(0, argument.find('=')));
    }
    if (has_value || i + 1 == arguments.size()) continue;
    if (known && flag != nullptr && flag->type != flags::Type::kBool) {
      split.known.push_back(arguments[++i]);
    } else if (!known && !arguments[i + 1].starts_with("-")) {
      ++i;
    }
  }
  return split;
}

}  // namespace capstan::cmd::test_server
