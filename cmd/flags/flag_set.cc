// SPDX-License-Identifier: Apache-2.0
#include "cmd/flags/flag_set.h"

#include <gflags/gflags.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <optional>
#include <set>
#include <utility>

#include "clientgo/util/logging.h"
#include "clientgo/util/time_format.h"
#include "cmd/flags/help.h"
#include "cmd/flags/suggest.h"

namespace cmd::flags {
namespace {

using clientgo::util::Err;
using clientgo::util::ErrorReason;
using clientgo::util::Expected;

// Quoted and escaped: whatever the user typed, the message stays one line.
std::string Quoted(std::string_view text) {
  std::string out;
  clientgo::util::AppendQuoted(out, text);
  return out;
}

std::string WithDashes(std::string_view name) {
  std::string out(name);
  std::replace(out.begin(), out.end(), '_', '-');
  return out;
}

std::string VariableName(std::string_view name) {
  std::string out(name);
  std::replace(out.begin(), out.end(), '-', '_');
  return out;
}

std::string_view VariableType(Type type) {
  if (type == Type::kBool) return "bool";
  return type == Type::kInt ? "int32" : "string";
}

std::string_view DefaultTypeName(Type type) {
  switch (type) {
    case Type::kBool:
      return "";
    case Type::kInt:
      return "int";
    case Type::kDuration:
      return "duration";
    case Type::kMapStringBool:
      return "mapStringBool";
    case Type::kString:
      return "string";
  }
  return "";
}

std::string_view Expectation(Type type) {
  switch (type) {
    case Type::kBool:
      return "true or false";
    case Type::kInt:
      return "a whole number";
    case Type::kDuration:
      return "a duration such as 30s or 1m30s, not negative";
    case Type::kMapStringBool:
    case Type::kString:
      return "text";
  }
  return "";
}

// Go's strconv.ParseBool.
std::optional<std::string> CanonicalBool(std::string_view text) {
  constexpr std::array<std::string_view, 6> kTrue = {"1", "t", "T", "TRUE", "true", "True"};
  constexpr std::array<std::string_view, 6> kFalse = {"0", "f", "F", "FALSE", "false", "False"};
  if (std::find(kTrue.begin(), kTrue.end(), text) != kTrue.end()) return "true";
  if (std::find(kFalse.begin(), kFalse.end(), text) != kFalse.end()) return "false";
  return std::nullopt;
}

// What gflags is to store; nullopt: not a value of this type.
std::optional<std::string> Canonical(Type type, const std::string& value) {
  if (type == Type::kBool) return CanonicalBool(value);
  if (type == Type::kDuration) {
    const auto duration = clientgo::util::ParseDuration(value);
    if (!duration || duration->count() < 0) return std::nullopt;
  }
  return value;
}

}  // namespace

FlagSet::FlagSet(Program program) : program_(std::move(program)) {}

void FlagSet::AddSection(std::string title, std::vector<Flag> flags) {
  for (Flag& flag : flags) {
    const gflags::CommandLineFlagInfo info =
        gflags::GetCommandLineFlagInfoOrDie(VariableName(flag.name).c_str());
    CHECK_EQ(info.type, VariableType(flag.type)) << "flag " << flag.name;
    if (flag.usage.empty()) flag.usage = info.description;
    if (flag.type_name.empty()) flag.type_name = DefaultTypeName(flag.type);
  }
  sections_.push_back({std::move(title), std::move(flags)});
}

Expected<FlagSet::Action> FlagSet::Parse(const std::vector<std::string>& arguments) {
  std::set<std::string> seen;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string& argument = arguments[i];
    const bool after_dashes = argument == "--" && i + 1 < arguments.size();
    if (argument == "--" && !after_dashes) break;
    if (after_dashes || argument.size() < 2 || argument.front() != '-') {
      return Err(ErrorReason::kInvalidArgument,
                 "unexpected argument \"" + arguments[after_dashes ? i + 1 : i] +
                     "\": " + program_.name + " takes flags only (see --help)");
    }
    auto token = Tokenize(argument);
    if (!token) return Err(std::move(token.error()));
    if (token->name == "help") return Action::kPrintHelp;
    if (token->name == "version") return Action::kPrintVersion;
    const Flag* flag = Find(token->name);
    if (flag == nullptr) return Unknown(*token);
    if (!token->has_value) {
      // As pflag: a bool never takes the next argument.
      if (flag->type != Type::kBool && i + 1 == arguments.size()) {
        return Err(ErrorReason::kInvalidArgument,
                   "flag needs an argument: " + std::string(token->given) + " (expected " +
                       std::string(Expectation(flag->type)) + ")");
      }
      token->value = flag->type == Type::kBool ? "true" : arguments[++i];
    }
    const bool repeated = !seen.insert(flag->name).second;
    if (auto set = Set(*flag, *token, repeated); !set) return Err(std::move(set.error()));
  }
  return Action::kRun;
}

Expected<FlagSet::Token> FlagSet::Tokenize(std::string_view argument) const {
  const bool is_long = argument.starts_with("--");
  Token token;
  token.given = argument.substr(0, argument.find('='));
  token.has_value = token.given.size() < argument.size();
  if (token.has_value) token.value = argument.substr(token.given.size() + 1);
  token.name = WithDashes(token.given.substr(is_long ? 2 : 1));
  if (is_long || token.name == "v") return token;
  if (token.name == "h") {
    token.name = "help";
    return token;
  }
  const std::string_view rest = std::string_view(token.name).substr(1);
  const bool digits =
      std::all_of(rest.begin(), rest.end(), [](unsigned char c) { return std::isdigit(c) != 0; });
  if (token.name.front() == 'v' && digits && !token.has_value) {  // -v2
    token.value = rest;
    token.has_value = true;
    token.given = token.given.substr(0, 2);
    token.name = "v";
    return token;
  }
  return Unknown(token);
}

const Flag* FlagSet::Find(std::string_view name) const {
  for (const Section& section : sections_) {
    for (const Flag& flag : section.flags) {
      if (flag.name == name) return &flag;
    }
  }
  return nullptr;
}

tl::unexpected<clientgo::util::Error> FlagSet::Unknown(const Token& token) const {
  std::vector<std::string> known = {"help", "version"};
  for (const Section& section : sections_) {
    for (const Flag& flag : section.flags) known.push_back(flag.name);
  }
  std::string message = "unknown flag: " + std::string(token.given);
  const auto nearest = Nearest(token.name, known);
  message += nearest ? "; did you mean --" + *nearest + "?" : " (see --help)";
  return Err(ErrorReason::kInvalidArgument, message);
}

Expected<void> FlagSet::Set(const Flag& flag, const Token& token, bool repeated) {
  const std::string variable = VariableName(flag.name);
  auto value = Canonical(flag.type, token.value);
  if (value && repeated && flag.type == Type::kMapStringBool) {
    std::string before;
    gflags::GetCommandLineOption(variable.c_str(), &before);
    value = before + "," + *value;
  }
  if (!value || gflags::SetCommandLineOption(variable.c_str(), value->c_str()).empty()) {
    return Err(ErrorReason::kInvalidArgument, "invalid argument " + Quoted(token.value) + " for " +
                                                  std::string(token.given) + ": expected " +
                                                  std::string(Expectation(flag.type)));
  }
  return {};
}

std::string FlagSet::Version() const { return program_.name + " " + program_.version + "\n"; }

std::string FlagSet::Help() const {
  std::string out = program_.description + "\n\nUsage:\n  " + program_.name + " [flags]\n";
  for (const Section& section : sections_) {
    out += "\n" + section.title + " flags:\n\n";
    for (const Flag& flag : section.flags) {
      const auto info = gflags::GetCommandLineFlagInfoOrDie(VariableName(flag.name).c_str());
      AppendFlagHelp(out, {.name = flag.name,
                           .shorthand = flag.name == "v" ? "v" : "",
                           .type_name = flag.type_name,
                           .usage = flag.usage,
                           .default_value = info.default_value,
                           .quote_default = flag.type == Type::kString});
    }
  }
  out += "\nGlobal flags:\n\n";
  AppendFlagHelp(out, {.name = "help", .shorthand = "h", .usage = "print this text and exit"});
  AppendFlagHelp(out, {.name = "version", .usage = "print the version and exit"});
  return out;
}

}  // namespace cmd::flags
