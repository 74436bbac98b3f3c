// SPDX-License-Identifier: Apache-2.0
// capstan is the command line program. `capstan status`, `explain` and `check` show the state of
// the targets in a cluster and explain failures. Installed as kubectl-capstan it is `kubectl
// capstan`.
#include <glog/logging.h>

#include <cstdio>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "clientgo/util/logging.h"
#include "cmd/capstan/completion.h"
#include "cmd/capstan/inspect/kinds.h"
#include "cmd/capstan/inspect_commands.h"
#include "cmd/capstan/inspect_options.h"
#include "cmd/internal/flags/value.h"
#include "cmd/internal/flags/version.h"
#include "controllers/runtime/signals.h"

namespace cmd::capstan {
namespace {

using flags::FlagSet;

void Print(const std::string& text) { std::fputs(text.c_str(), stdout); }

// Parses a command's flags, then runs it.
int RunCommand(FlagSet set, const std::vector<std::string>& arguments, int (*run)(const FlagSet&)) {
  const auto runs = set.ParseOrPrint(arguments);
  if (!runs) return Fail(runs.error().message);
  return *runs ? run(set) : kFine;
}

struct Command {
  const char* name;
  const char* summary;
  FlagSet (*flags)();
  int (*run)(const FlagSet& flags);
};

int RunCompletion(const FlagSet& flags);

constexpr Command kCommands[] = {
    {"status", "show every target: source, state, reason, expiry of its bundle", NewStatusFlagSet,
     RunStatus},
    {"explain", "show each link to one target, the first broken link, and the fix",
     NewExplainFlagSet, RunExplain},
    {"check", "check that all targets are fine, for pipelines", NewCheckFlagSet, RunCheck},
    {"audit", "show every caBundle: its owner and its expiry", NewAuditFlagSet, RunAudit},
    {"inject", "with --dry-run: show what would be written, in a cluster or in files",
     NewInjectFlagSet, RunInject},
    {"gates", "show the readiness gates of pods", NewGatesFlagSet, RunGates},
    {"completion", "print a completion script for bash, zsh or fish", NewCompletionFlagSet,
     RunCompletion}};

std::string Usage() {
  std::string usage =
      "capstan shows the state of CA injection in a cluster and explains failures.\n\n"
      "Usage:\n  capstan COMMAND [flags]\n\nCommands:\n";
  for (const Command& command : kCommands) {
    std::string name = command.name;
    name.append(12 - name.size(), ' ');
    usage += "  " + name + command.summary + "\n";
  }
  return usage +
         "  version     print the version\n\n"
         "capstan COMMAND --help lists the flags of a command. Exit codes: 0, all targets are "
         "fine;\n"
         "1, the check failed; 2, something is broken or missing. Output on a terminal has\n"
         "colours unless NO_COLOR is set. As kubectl-capstan in the PATH, capstan is \"kubectl\n"
         "capstan\".\n";
}

int RunCompletion(const FlagSet& flags) {
  std::vector<CompletedCommand> completed;
  for (const Command& command : kCommands) {
    CompletedCommand one{command.name, command.summary, command.flags().Spellings()};
    if (one.name == "explain" || one.name == "check" || one.name == "inject") {
      for (const auto* target : inspect::AllTargets()) {
        one.words.push_back(inspect::KubectlName(*target));
      }
    }
    if (one.name == "completion") one.words.insert(one.words.end(), {"bash", "zsh", "fish"});
    completed.push_back(std::move(one));
  }
  const auto script =
      CompletionScript(flags.arguments().empty() ? "" : flags.arguments().front(), completed);
  if (!script) return Fail(script.error().message);
  Print(*script);
  return kFine;
}

int Main(std::vector<std::string> arguments) {
  if (arguments.empty()) {
    std::fputs(Usage().c_str(), stderr);
    return kFailed;
  }
  const std::string name = arguments.front();
  arguments.erase(arguments.begin());
  std::vector<std::string> known;
  for (const Command& command : kCommands) {
    if (name == command.name) return RunCommand(command.flags(), arguments, command.run);
    known.emplace_back(command.name);
  }
  if (name == "version" || name == "--version") {
    Print("capstan " + flags::VersionText() + "\n");
    return kFine;
  }
  if (name == "help" || name == "--help" || name == "-h") {
    Print(Usage());
    return kFine;
  }
  const auto nearest = flags::Nearest(name, known);
  return Fail("unknown command " + clientgo::util::Quoted(name) + "; " +
              (nearest ? "did you mean " + *nearest + "?" : "capstan --help lists them"));
}

}  // namespace
}  // namespace cmd::capstan

int main(int argc, char** argv) {
  FLAGS_logtostderr = true;
  FLAGS_minloglevel = google::WARNING;
  controllers::runtime::BlockSignals();  // before any thread
  google::InitGoogleLogging(argv[0]);
  return cmd::capstan::Main({argv + 1, argv + argc});
}
