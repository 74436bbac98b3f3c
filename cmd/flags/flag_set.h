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

#include <string>
#include <string_view>
#include <vector>

#include "clientgo/util/error.h"

namespace cmd::flags {

// What a value is. Bool, String and Int need the gflags variable of that type; the others a string.
enum class Type {
  kBool,
  kString,
  kInt,
  kDuration,       // Go's: "1m30s"; not negative
  kMapStringBool,  // "A=true,B=false"; given several times they accumulate
};

struct Flag {
  std::string name;  // with dashes; the gflags variable has underscores
  Type type = Type::kString;
  std::string type_name = {};  // in the help; default: that of the type
  std::string usage = {};      // default: the text given to DEFINE_*
};

struct Program {
  std::string name = {};
  std::string description = {};  // the first paragraph of --help
  std::string version = {};      // what --version prints after the name
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
  clientgo::util::Expected<Token> Tokenize(std::string_view argument) const;
  clientgo::util::Expected<void> Set(const Flag& flag, const Token& token, bool repeated);
  const Flag* Find(std::string_view name) const;
  tl::unexpected<clientgo::util::Error> Unknown(const Token& token) const;

  Program program_;
  std::vector<Section> sections_;
};

}  // namespace cmd::flags
