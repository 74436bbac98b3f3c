// SPDX-License-Identifier: Apache-2.0
// FlagSet is the command line of a program, in the style of Kubernetes' programs: grouped --help on
// stdout, Go durations, repeated list flags that accumulate, dashes or underscores, and errors of
// one line with the flag, the value and the fix.
//
// A flag sets a variable of the program:
//
//   std::string registry = "docker.io";
//   std::chrono::nanoseconds resync = std::chrono::minutes(5);
//   flags.AddSection("Images", {{.name = "image-registry", .usage = "The registry of all images.",
//                                .variable = &registry},
//                               {.name = "resync", .usage = "Time between two checks.",
//                                .variable = &resync}});
//
// The value of the variable at that time is the default. OneOf, Number and Parsed (value.h) bind
// enumerations, numbers with limits, and other types; Check sets these. gflags stores the text of
// each flag. A flag without a variable sets the one of gflags with its name, such as -v of glog.
// FlagSet parses the command line and prints the help, so that the flags of gflags and glog
// themselves do not exist. Mirrors component-base's cli/flag NamedFlagSets on pflag. Not
// thread-safe: parse before threads start.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "capstan/error.h"
#include "capstan/export.h"
#include "capstan/flags/value.h"

namespace capstan::flags {

struct CAPSTAN_EXPORT Flag {
  std::string name;            // with dashes; a gflags variable has underscores
  Type type = Type::kString;   // with a variable the default is the usual one for it (VariableType)
  std::string type_name = {};  // in the help; default: that of the type
  std::string usage = {};      // default: the text of DEFINE_*
  Variable variable = {};      // default: that of gflags
  // Why the flag has no effect. Such a flag has no variable, but its value is checked.
  std::string no_effect = {};
  std::string default_value = {};  // of a flag without effect
  bool hidden = false;             // not in the help and never suggested
  std::string shorthand = {};      // "o": -o json
  std::string section = {};        // set by AddSection
};

// Returns a flag that sets a variable.
inline Flag Bind(std::string name, Variable variable, std::string usage,
                 Type type = Type::kString) {
  return {.name = std::move(name),
          .type = type,
          .usage = std::move(usage),
          .variable = std::move(variable)};
}

// Returns a flag that is accepted and checked, but has no effect.
inline Flag NoEffect(std::string name, Type type, std::string default_value, std::string why,
                     std::string usage) {
  return {.name = std::move(name),
          .type = type,
          .usage = std::move(usage),
          .no_effect = std::move(why),
          .default_value = std::move(default_value)};
}

struct CAPSTAN_EXPORT Program {
  std::string name = {};
  std::string description = {};  // the first paragraph of --help
  // One word for each argument: "KIND NAME". After "[NAME...]" there is any number of them.
  std::string arguments = {};
  std::string version = {};  // for --version; default: that of this library
};

class CAPSTAN_EXPORT FlagSet {
 public:
  explicit FlagSet(Program program);

  // Adds a section of the help, or adds to the last one when it has this title. A name that is in
  // use or has an underscore is fatal, and without a variable a flag that is unknown to gflags or
  // has another type there.
  void AddSection(const std::string& title, std::vector<Flag> flags);

  // Sets the variables from `arguments`, which do not include the name of the program.
  // Returns the text of --help or --version, which the program prints instead of running; empty: it
  // runs. On error (kInvalidArgument) the program prints the message and exits 1.
  Expected<std::string> Parse(const std::vector<std::string>& arguments);
  // Parses `arguments` and prints the text of --help or --version. Returns whether the program
  // should run. kInternalError: stdout cannot be written.
  Expected<bool> ParseOrPrint(const std::vector<std::string>& arguments);

  // Sets a value from another source, such as a configuration file, unless the command line set the
  // flag. A map gets the entries that the command line did not set. Call it after Parse.
  // kInvalidArgument: the expected value, without the name of the flag.
  Expected<void> Assign(const std::string& name, const std::string& value);
  // Sets the variables that are a CustomVariable. Call it after Parse and the last Assign. Returns
  // the first error, kInvalidArgument, in the order of the help: one line that names the flag.
  Expected<void> Check() const;
  // Returns null for an unknown flag. Valid until the next AddSection.
  const Flag* Find(std::string_view name) const;
  // The positional arguments.
  const std::vector<std::string>& arguments() const { return arguments_; }
  // Returns all flags for completion scripts: "--kubeconfig", "-o".
  std::vector<std::string> Spellings() const;

  // WithoutEffect is a flag without effect that has another value than its default.
  struct WithoutEffect {
    std::string name;
    std::string reason;
  };
  std::vector<WithoutEffect> Ignored() const;

  // Returns "--name=value" of every flag with an effect, in the order of the help, for /flagz.
  std::vector<std::string> Values() const;

  std::string Help() const;

 private:
  // Token is one parsed argument: "--name=value", "--name", "-v2".
  struct Token {
    std::string_view given;  // as typed, without the value
    std::string name;        // with dashes
    bool has_value = false;
    std::string value;
  };
  Expected<void> AddArgument(const std::string& argument);
  Expected<Token> Tokenize(std::string_view argument) const;
  Expected<void> Set(const Flag& flag, const Token& token, bool repeated);
  bool Store(const Flag& flag, std::string value);
  tl::unexpected<Error> Unknown(const Token& token) const;

  Program program_;
  std::vector<Flag> flags_;  // in the order of the help
  std::vector<std::string> arguments_;
  std::set<std::string> given_;                 // on the command line
  std::map<std::string, std::string> ignored_;  // values of flags without effect
};

// Returns -v and --vmodule. `verbosity` is the help text of -v.
CAPSTAN_EXPORT std::vector<Flag> LogFlags(std::string verbosity);

// Returns the hidden logging flags that Kubernetes' programs accept: the deprecated ones of klog
// and the alpha ones of component-base. They have no effect here.
CAPSTAN_EXPORT std::vector<Flag> HiddenLogFlags();

}  // namespace capstan::flags
