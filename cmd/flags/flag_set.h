// SPDX-License-Identifier: Apache-2.0
// FlagSet: a program's command line with the manners of Kubernetes' programs, over gflags: grouped
// --help on stdout, Go durations, repeated list flags that accumulate, dashes or underscores, and
// one line that names the flag, the value and the remedy when something is wrong.
//
// gflags keeps the variables (DEFINE_* in the program's options.cc, which stays typed and testable
// with gflags::FlagSaver); FlagSet does the parsing and the help, so that flags which gflags and
// glog bring along do not exist for the user. Mirrors component-base's cli/flag NamedFlagSets on
// pflag. Not thread-safe: parse before threads start.
#pragma once

#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "clientgo/util/error.h"
#include "cmd/flags/value.h"

namespace cmd::flags {

struct Flag {
  std::string name;  // with dashes; the gflags variable has underscores
  Type type = Type::kString;
  std::string type_name = {};  // in the help; default: that of the type
  std::string usage = {};      // default: the text given to DEFINE_*
  // Why its value makes no difference. Such a flag has no variable; its value must be of the type.
  std::string no_effect = {};
  std::string default_value = {};  // of a flag without effect
  bool hidden = false;             // not in the help, never suggested
  std::string shorthand = {};      // "o": -o json
};

struct Program {
  std::string name = {};
  std::string description = {};  // the first paragraph of --help
  std::string version = {};      // what --version prints after the name
  std::string arguments = {};    // "KIND NAME": what it takes besides flags, for the help
  std::size_t arguments_max = 0;
};

class FlagSet {
 public:
  explicit FlagSet(Program program);

  // A section of the help, in the order of the calls. A flag that gflags does not know, or with
  // another type, is a programmer's error and fatal.
  void AddSection(std::string title, std::vector<Flag> flags);

  enum class Action {
    kRun,
    kPrintHelp,     // print Help() to stdout, exit 0
    kPrintVersion,  // print Version() to stdout, exit 0
  };
  // `arguments` without the program's name. Sets the gflags variables. On error (kInvalidArgument)
  // the program prints the message as its only line and exits 1.
  clientgo::util::Expected<Action> Parse(const std::vector<std::string>& arguments);

  // A value from elsewhere, say a configuration file: it counts unless the command line gave the
  // flag; of a map, the entries that it did not give. After Parse. kInvalidArgument: what was
  // expected; the flag is not named, for the user did not use it.
  clientgo::util::Expected<void> Assign(const std::string& name, const std::string& value);
  // Null: no such flag. Until the next AddSection.
  const Flag* Find(std::string_view name) const;
  // What Parse found besides flags, in order; at most Program::arguments_max.
  const std::vector<std::string>& arguments() const { return arguments_; }
  // As typed: "--kubeconfig", "-o". For completion scripts.
  std::vector<std::string> Spellings() const;

  // The flags without effect that were given or assigned another value than their default.
  struct WithoutEffect {
    std::string name;
    std::string reason;
  };
  std::vector<WithoutEffect> Ignored() const;

  // "--name=value" of every flag that has a variable, in the order of the help: what /flagz says.
  std::vector<std::string> Values() const;

  std::string Help() const;
  std::string Version() const;

 private:
  struct Section {
    std::string title;
    std::vector<Flag> flags;
  };
  // One argument taken apart: "--name=value", "--name", "-v2".
  struct Token {
    std::string_view given;  // as typed, without the value
    std::string name;        // with dashes
    bool has_value = false;
    std::string value;
  };
  clientgo::util::Expected<void> AddArgument(const std::string& argument);
  clientgo::util::Expected<Token> Tokenize(std::string_view argument) const;
  clientgo::util::Expected<void> Set(const Flag& flag, const Token& token, bool repeated);
  bool Store(const Flag& flag, const std::string& value);
  tl::unexpected<clientgo::util::Error> Unknown(const Token& token) const;

  Program program_;
  std::vector<Section> sections_;
  std::vector<std::string> arguments_;
  std::set<std::string> given_;                 // on the command line
  std::map<std::string, std::string> ignored_;  // values of flags without effect
};

}  // namespace cmd::flags
