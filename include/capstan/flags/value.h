// SPDX-License-Identifier: Apache-2.0
// The types of flags and of fields in configuration files, the texts that they accept, and the
// nearest known name of a misspelt one, and the variables of flags. Mirrors the value types of
// pflag.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "capstan/error.h"
#include "capstan/export.h"

namespace capstan::flags {

// kBool, kInt and kDouble need a gflags variable of that type, the others a string.
enum class Type {
  kBool,
  kString,
  kPath,  // a string; in a configuration file relative to that file
  kInt,
  kDouble,         // "0.5", "1e3"; finite
  kDuration,       // "1m30s", as in Go; not negative
  kStrings,        // "a,b"; repeated flags accumulate
  kStringArray,    // one string for each use, with its commas; see SplitArray
  kMapStringBool,  // "A=true,B=false"; repeated flags accumulate
  kModules,        // "pattern=N,..."; the last use wins
  kJson,           // JSON, which the program reads; in a configuration file a list or a map
};

struct CAPSTAN_EXPORT TypeInfo {
  std::string_view variable;  // gflags' type of the variable
  std::string_view name;      // in the help, as pflag; empty for a bool
  std::string_view expected;  // "a whole number"
  std::string_view in_file;   // what is expected in a configuration file
};
CAPSTAN_EXPORT const TypeInfo& InfoOf(Type type);
// Returns the value for the variable; nullopt: not a value of this type.
CAPSTAN_EXPORT std::optional<std::string> Canonical(Type type, const std::string& value);

// CustomVariable stands for a variable of a type that Variable does not list, such as an
// enumeration or an address. It has the function that converts the text of the flag.
struct CAPSTAN_EXPORT CustomVariable {
  Type type = Type::kString;
  std::string text = {};  // the default, as in the help
  // Sets the variable, and returns an error that names the flag. FlagSet::Check calls it, also with
  // the default.
  std::function<Expected<void>(const std::string& flag, const std::string& text)> set = {};
};

// Variable is a variable of the program that holds the value of a flag. It outlives the FlagSet.
using Variable = std::variant<std::monostate, bool*, std::int32_t*, double*, std::string*,
                              std::chrono::nanoseconds*, std::vector<std::string>*, CustomVariable>;
// Returns the type of a flag with this variable: `type` if the variable can hold it, else the usual
// one: kBool, kInt, kDouble, kString, kDuration, kStrings. REQUIRES: not std::monostate.
CAPSTAN_EXPORT Type VariableType(const Variable& variable, Type type);
// Returns the value as Canonical does, and of a CustomVariable its default. REQUIRES: not
// std::monostate.
CAPSTAN_EXPORT std::string VariableText(const Variable& variable, Type type);
// Sets the variable from what Canonical returned for this type, but not a CustomVariable. REQUIRES:
// not std::monostate.
CAPSTAN_EXPORT void SetVariable(const Variable& variable, Type type, const std::string& canonical);

// Splits "a, b,," into a and b.
CAPSTAN_EXPORT std::vector<std::string> SplitList(std::string_view text);
// Splits the variable of a kStringArray.
CAPSTAN_EXPORT std::vector<std::string> SplitArray(std::string_view text);
// Returns the error for an invalid value: one line with the flag, the value and the reason.
CAPSTAN_EXPORT tl::unexpected<Error> InvalidArgument(std::string_view value, std::string_view flag,
                                                     std::string_view why);

// Returns the CustomVariable of an enumeration with these names. Its value is the default. An error
// does not show the empty name.
template <class T>
CustomVariable OneOf(T* field, std::vector<std::pair<std::string, std::type_identity_t<T>>> names) {
  CustomVariable result;
  for (const auto& [name, value] : names) {
    if (value == *field) result.text = name;
  }
  result.set = [field, names = std::move(names)](const std::string& flag,
                                                 const std::string& text) -> Expected<void> {
    std::string expected;
    for (const auto& [name, value] : names) {
      if (!name.empty()) expected += (expected.empty() ? "expected " : " or ") + name;
      if (name != text) continue;
      *field = value;
      return {};
    }
    return InvalidArgument(text, flag, expected);
  };
  return result;
}

// Returns the CustomVariable of a number from `low` to `high`. Its value is the default.
template <class T>
CustomVariable Number(T* field, std::int32_t low, std::int32_t high) {
  const auto set = [=](const std::string& flag, const std::string& text) -> Expected<void> {
    std::int32_t number = 0;
    SetVariable(&number, Type::kInt, text);
    if (number < low || number > high) {
      return InvalidArgument(
          std::to_string(number), flag,
          "expected a number from " + std::to_string(low) + " to " + std::to_string(high));
    }
    *field = static_cast<T>(number);
    return {};
  };
  return {.type = Type::kInt, .text = std::to_string(*field), .set = set};
}

// Returns a CustomVariable whose text `parse` converts to Expected<T>. The errors of `parse` get
// the name of the flag.
template <class T, class Parse>
CustomVariable Parsed(T* field, const std::string& text, Parse parse) {
  return {.text = text,
          .set = [=](const std::string& flag, const std::string& value) -> Expected<void> {
            auto parsed = parse(value);
            if (!parsed) return Err(parsed.error().Wrap("--" + flag));
            *field = *std::move(parsed);
            return {};
          }};
}

// Returns the nearest known name by edit distance, if at most a third of `name` differs.
CAPSTAN_EXPORT std::optional<std::string> Nearest(std::string_view name,
                                                  const std::vector<std::string>& known);

}  // namespace capstan::flags
