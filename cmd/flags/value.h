// SPDX-License-Identifier: Apache-2.0
// The types of values that a flag, or a field of a configuration file, may have, and what a text
// must look like to be one. Pure functions. Mirrors the value types of pflag.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "clientgo/util/error.h"

namespace cmd::flags {

// Bool and Int need the gflags variable of that type; the others a string.
enum class Type {
  kBool,
  kString,
  kPath,  // a string; in a configuration file relative to that file
  kInt,
  kDuration,       // Go's: "1m30s"; not negative
  kStrings,        // "a,b"; given several times they accumulate
  kStringArray,    // one text each time it is given, commas and all; see SplitArray
  kMapStringBool,  // "A=true,B=false"; given several times they accumulate
  kModules,        // "pattern=N,...": the last one wins
};

// The gflags type of its variable.
std::string_view VariableType(Type type);
// As pflag shows it in the help; empty for a bool.
std::string_view DefaultTypeName(Type type);
// "a duration such as 30s": completes "expected ...".
std::string_view Expectation(Type type);
// What a variable is to hold; nullopt: not a value of this type.
std::optional<std::string> Canonical(Type type, const std::string& value);
// "a, b,," -> a b
std::vector<std::string> SplitList(std::string_view text);
// The texts that the variable of a kStringArray holds, each ended by a byte that no text has.
std::vector<std::string> SplitArray(std::string_view text);
// The error of a value that will not do: one line with the flag, the value and what was expected.
tl::unexpected<clientgo::util::Error> InvalidArgument(std::string_view value, std::string_view flag,
                                                      std::string_view why);

}  // namespace cmd::flags
