// SPDX-License-Identifier: Apache-2.0
#include "capstan/flags/flag_set.h"

#include <glog/logging.h>

#include <gflags/gflags.h>

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <cstdio>
#include <string>
#include <utility>

#include "capstan/flags/value.h"
#include "capstan/flags/version.h"
#include "capstan/logging.h"
#include "capstan/text.h"

namespace capstan::flags {
namespace {

constexpr std::size_t kColumns = 100;
constexpr std::size_t kIndent = 16;

// Breaks lines at spaces only.
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

// Returns nothing for "", 0, false and 0s, as pflag.
std::string DefaultText(const Flag& flag) {
  const std::string& value = flag.default_value;
  if (value.empty() || value == "0" || value == "false" || value == "0s") return {};
  const bool quoted = InfoOf(flag.type).variable == "string" && flag.type != Type::kDuration;
  return quoted ? " (default \"" + value + "\")" : " (default " + value + ")";
}

// Appends the help of a flag in the layout of kube-apiserver --help.
void AppendFlagHelp(std::string& out, const Flag& flag) {
  const std::string shorthand = flag.name == "v" ? "v" : flag.shorthand;
  out += (shorthand.empty() ? "      --" : "  -" + shorthand + ", --") + flag.name;
  out += (flag.type_name.empty() ? "" : " " + flag.type_name) + "\n";
  const std::string text = flag.usage + DefaultText(flag);
  std::string_view rest = text;
  while (!rest.empty()) {
    const std::size_t end = rest.find('\n');
    AppendWrapped(out, rest.substr(0, end));
    rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
  }
}

std::string WithDashes(std::string_view name) {
  std::string out(name);
  std::replace(out.begin(), out.end(), '_', '-');
  return out;
}

bool HasOwnVariable(const Flag& flag) {
  return !std::holds_alternative<std::monostate>(flag.variable);
}

// Returns the name of the flag in gflags, which stores its text. A dot keeps the flags with a
// variable apart from those of gflags and glog.
std::string StoredName(const Flag& flag) {
  std::string out = flag.name;
  std::replace(out.begin(), out.end(), '-', '_');
  return HasOwnVariable(flag) ? "capstan." + out : out;
}

// Registers a flag with a variable in gflags, until the process ends, and stores its default.
void Register(const Flag& flag, const std::string& text) {
  struct Stored {
    std::string name, current = {}, initial = {};
  };
  std::string ignored;
  if (!gflags::GetCommandLineOption(StoredName(flag).c_str(), &ignored)) {
    auto* const stored = new Stored{.name = StoredName(flag)};
    gflags::FlagRegisterer(stored->name.c_str(), "", "", &stored->current, &stored->initial);
  }
  gflags::SetCommandLineOption(StoredName(flag).c_str(), text.c_str());
}

bool Accumulates(Type type) {
  return type == Type::kStrings || type == Type::kStringArray || type == Type::kMapStringBool;
}

// Returns the value of a flag with an effect.
std::string Value(const Flag& flag) {
  std::string value;
  gflags::GetCommandLineOption(StoredName(flag).c_str(), &value);
  return value;
}

constexpr char kStderrOnly[] = "logs go only to stderr, each line at once";
constexpr char kHeadersStay[] = "every line has its header";

Flag Hidden(std::string name, Type type, std::string default_value, std::string why) {
  Flag flag = NoEffect(std::move(name), type, std::move(default_value), std::move(why), {});
  flag.hidden = true;
  return flag;
}

}  // namespace

FlagSet::FlagSet(Program program) : program_(std::move(program)) {}

void FlagSet::AddSection(const std::string& title, std::vector<Flag> flags) {
  for (Flag& flag : flags) {
    CHECK(Find(flag.name) == nullptr) << "flag " << flag.name << " is declared twice";
    CHECK(flag.name.find('_') == std::string::npos)
        << "flag " << flag.name << ": write the name with dashes; users may type underscores";
    flag.section = title;
    if (HasOwnVariable(flag)) {
      const Type type = VariableType(flag.variable, flag.type);
      CHECK(flag.type == type || flag.type == Type::kString)
          << "flag " << flag.name << ": its variable does not have its type";
      flag.type = type;
    }
    if (flag.type_name.empty()) flag.type_name = InfoOf(flag.type).name;
    if (HasOwnVariable(flag)) {
      Register(flag, VariableText(flag.variable, flag.type));
      flag.default_value =
          VariableText(flag.variable, flag.type == Type::kStringArray ? Type::kStrings : flag.type);
    } else if (flag.no_effect.empty()) {
      const gflags::CommandLineFlagInfo info =
          gflags::GetCommandLineFlagInfoOrDie(StoredName(flag).c_str());
      CHECK_EQ(info.type, InfoOf(flag.type).variable) << "flag " << flag.name;
      if (flag.usage.empty()) flag.usage = info.description;
      flag.default_value = info.default_value;
    }
    flags_.push_back(std::move(flag));
  }
}

Expected<std::string> FlagSet::Parse(const std::vector<std::string>& arguments) {
  arguments_.clear();
  given_.clear();
  ignored_.clear();
  bool only_arguments = false;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string& argument = arguments[i];
    if (argument == "--" && !only_arguments) {
      only_arguments = true;
      continue;
    }
    if (only_arguments || argument.size() < 2 || argument.front() != '-') {
      if (auto added = AddArgument(argument); !added) return Err(std::move(added.error()));
      continue;
    }
    auto token = Tokenize(argument);
    if (!token) return Err(std::move(token.error()));
    if (token->name == "help") return Help();
    if (token->name == "version") {
      return program_.name + " " + (program_.version.empty() ? VersionText() : program_.version) +
             "\n";
    }
    const Flag* flag = Find(token->name);
    if (flag == nullptr) return Unknown(*token);
    if (!token->has_value) {
      // A bool does not use the next argument, as in pflag.
      if (flag->type != Type::kBool && i + 1 == arguments.size()) {
        return Err(ErrorReason::kInvalidArgument,
                   "flag needs an argument: " + std::string(token->given) + " (expected " +
                       std::string(InfoOf(flag->type).expected) + ")");
      }
      token->value = flag->type == Type::kBool ? "true" : arguments[++i];
    }
    const bool repeated = !given_.insert(flag->name).second;
    if (auto set = Set(*flag, *token, repeated); !set) return Err(std::move(set.error()));
  }
  return std::string();
}

Expected<void> FlagSet::AddArgument(const std::string& argument) {
  const bool any_number = program_.arguments.ends_with("...]");
  if (any_number || arguments_.size() < Split(program_.arguments, ' ').size()) {
    arguments_.push_back(argument);
    return {};
  }
  const std::string takes =
      program_.arguments.empty() ? "flags only" : program_.arguments + " and flags";
  return Err(ErrorReason::kInvalidArgument, "unexpected argument " + Quoted(argument) + ": " +
                                                program_.name + " takes " + takes +
                                                " (see --help)");
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
  for (const Flag& flag : flags_) {
    if (flag.shorthand != token.name) continue;
    token.name = flag.name;
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

std::vector<std::string> FlagSet::Spellings() const {
  std::vector<std::string> spellings = {"--help", "-h", "--version"};
  for (const Flag& flag : flags_) {
    if (flag.hidden) continue;
    spellings.push_back("--" + flag.name);
    if (!flag.shorthand.empty()) spellings.push_back("-" + flag.shorthand);
  }
  return spellings;
}

const Flag* FlagSet::Find(std::string_view name) const {
  const auto found = std::find_if(flags_.begin(), flags_.end(),
                                  [&](const Flag& flag) { return flag.name == name; });
  return found == flags_.end() ? nullptr : &*found;
}

tl::unexpected<Error> FlagSet::Unknown(const Token& token) const {
  std::vector<std::string> known = {"help", "version"};
  for (const Flag& flag : flags_) {
    if (!flag.hidden) known.push_back(flag.name);
  }
  std::string message = "unknown flag: " + std::string(token.given);
  const auto nearest = Nearest(token.name, known);
  message += nearest ? "; did you mean --" + *nearest + "?" : " (see --help)";
  return Err(ErrorReason::kInvalidArgument, message);
}

bool FlagSet::Store(const Flag& flag, std::string value) {
  if (!flag.no_effect.empty()) {
    ignored_[flag.name] = value;
    return true;
  }
  if (HasOwnVariable(flag)) {
    SetVariable(flag.variable, flag.type, value);
    if (!std::holds_alternative<CustomVariable>(flag.variable)) {
      value = VariableText(flag.variable, flag.type);
    }
  }
  return !gflags::SetCommandLineOption(StoredName(flag).c_str(), value.c_str()).empty();
}

Expected<void> FlagSet::Set(const Flag& flag, const Token& token, bool repeated) {
  auto value = Canonical(flag.type, token.value);
  if (value && repeated && flag.no_effect.empty() && Accumulates(flag.type)) {
    const char* const separator = flag.type == Type::kStringArray ? "" : ",";
    value = Value(flag) + separator + *value;
  }
  if (!value || !Store(flag, *value)) {
    return Err(ErrorReason::kInvalidArgument, "invalid argument " + Quoted(token.value) + " for " +
                                                  std::string(token.given) + ": expected " +
                                                  std::string(InfoOf(flag.type).expected));
  }
  return {};
}

Expected<void> FlagSet::Assign(const std::string& name, const std::string& value) {
  const Flag* flag = Find(name);
  CHECK(flag != nullptr) << "flag " << name;
  auto canonical = Canonical(flag->type, value);
  const bool given = given_.count(name) > 0;
  if (canonical && given && flag->type == Type::kMapStringBool) {
    *canonical += "," + Value(*flag);  // the last entry of a key wins
  } else if (canonical && given) {
    return {};
  }
  if (canonical && Store(*flag, *canonical)) return {};
  return Err(ErrorReason::kInvalidArgument, "invalid value " + Quoted(value) + ": expected " +
                                                std::string(InfoOf(flag->type).expected));
}

Expected<void> FlagSet::Check() const {
  for (const Flag& flag : flags_) {
    const auto* const field = std::get_if<CustomVariable>(&flag.variable);
    if (field == nullptr) continue;
    if (auto set = field->set(flag.name, Value(flag)); !set) return set;
  }
  return {};
}

std::vector<std::string> FlagSet::Values() const {
  std::vector<std::string> lines;
  for (const Flag& flag : flags_) {
    if (!flag.no_effect.empty() || flag.hidden) continue;
    const std::string value = Value(flag);
    std::vector<std::string> values = {value};
    if (flag.type == Type::kStringArray && !value.empty()) values = SplitArray(value);
    for (const std::string& each : values) lines.push_back("--" + flag.name + "=" + each);
  }
  return lines;
}

std::vector<FlagSet::WithoutEffect> FlagSet::Ignored() const {
  std::vector<WithoutEffect> ignored;
  for (const auto& [name, value] : ignored_) {
    const Flag* flag = Find(name);
    if (value != flag->default_value) ignored.push_back({name, flag->no_effect});
  }
  return ignored;
}

Expected<bool> FlagSet::ParseOrPrint(const std::vector<std::string>& arguments) {
  const auto text = Parse(arguments);
  if (!text) return Err(text.error());
  if (std::fputs(text->c_str(), stdout) < 0) {
    return Err(ErrorReason::kInternalError, "cannot write to stdout");
  }
  return text->empty();
}

std::string FlagSet::Help() const {
  std::string out = program_.description.empty() ? "" : program_.description + "\n\n";
  out += "Usage:\n  " + program_.name +
         (program_.arguments.empty() ? "" : " " + program_.arguments) + " [flags]\n";
  std::string_view section;
  for (const Flag& flag : flags_) {
    if (flag.hidden) continue;
    if (flag.section != section) out += "\n" + flag.section + " flags:\n\n";
    section = flag.section;
    AppendFlagHelp(out, flag);
  }
  out += "\nGlobal flags:\n\n";
  AppendFlagHelp(out, {.name = "help",
                       .type = Type::kBool,
                       .usage = "Print this text and exit.",
                       .shorthand = "h"});
  AppendFlagHelp(out,
                 {.name = "version", .type = Type::kBool, .usage = "Print the version and exit."});
  return out;
}

std::vector<Flag> LogFlags(std::string verbosity) {
  return {{.name = "v", .type = Type::kInt, .type_name = "Level", .usage = std::move(verbosity)},
          {.name = "vmodule",
           .type = Type::kModules,
           .usage = "Comma-separated list of pattern=N: verbosity N for source files whose names "
                    "match the pattern, e.g. reflector=6."}};
}

std::vector<Flag> HiddenLogFlags() {
  return {
      Hidden("add-dir-header", Type::kBool, "false", kHeadersStay),
      Hidden("alsologtostderr", Type::kBool, "false", kStderrOnly),
      Hidden("log-backtrace-at", Type::kString, ":0", "log lines have no stack trace"),
      Hidden("log-dir", Type::kString, "", kStderrOnly),
      Hidden("log-file", Type::kString, "", kStderrOnly),
      Hidden("log-file-max-size", Type::kInt, "1800", kStderrOnly),
      Hidden("logtostderr", Type::kBool, "true", kStderrOnly),
      Hidden("one-output", Type::kBool, "false", kStderrOnly),
      Hidden("skip-headers", Type::kBool, "false", kHeadersStay),
      Hidden("skip-log-headers", Type::kBool, "false", kStderrOnly),
      Hidden("stderrthreshold", Type::kString, "2", kStderrOnly),
      Hidden("log-text-split-stream", Type::kBool, "false", kStderrOnly),
      Hidden("log-text-info-buffer-size", Type::kString, "0", kStderrOnly),
      Hidden("log-json-split-stream", Type::kBool, "false", kStderrOnly),
      Hidden("log-json-info-buffer-size", Type::kString, "0", kStderrOnly),
  };
}

}  // namespace capstan::flags
