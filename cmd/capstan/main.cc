// SPDX-License-Identifier: Apache-2.0
// capstan is the command line program. `capstan status`, `explain` and `check` show the state of
// the targets in a cluster and explain failures. Installed as kubectl-capstan it is `kubectl
// capstan`.
#include <glog/logging.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "capstan/flags/value.h"
#include "capstan/flags/version.h"
#include "capstan/logging.h"
#include "capstan/signals.h"
#include "cmd/capstan/completion.h"
#include "cmd/capstan/envtest_command.h"
#include "cmd/capstan/generate_command.h"
#include "cmd/capstan/inspect/kinds.h"
#include "cmd/capstan/inspect_commands.h"
#include "cmd/capstan/new_command.h"
#include "cmd/capstan/options.h"
#include "cmd/own_lookups.h"

namespace capstan::cmd::cli {
namespace {

struct Command {
  std::string name;
  std::string summary;
  std::string description;     // the first paragraph of --help
  std::string arguments = {};  // for the help
  bool reads_cluster = true;
  bool has_manager_flags = true;
  std::vector<std::string> own_flags = {};
  int (*run)(const flags::FlagSet& flags, InspectOptions& options);
};

int RunCompletion(const flags::FlagSet& flags, InspectOptions& options);

// The commands that read a cluster.
std::vector<Command> Inspections() {
  return {
      {.name = "status",
       .summary = "show every target: source, state, reason, expiry of its bundle",
       .description =
           "capstan status shows every target that requests a CA bundle: its source, its\n"
           "state, the reason, and the expiry of its bundle. It reads only the API server,\n"
           "so no manager has to run.\n"
           "Exit code 0: every target was checked; 1: the check failed.",
       .run = RunStatus},
      {.name = "explain",
       .summary = "show each link to one target, the first broken link, and the fix",
       .description =
           "capstan explain follows every link from a target's annotation to its bundle, and\n"
           "with --endpoints to its servers. It prints the first broken link and the kubectl\n"
           "command that fixes it. It reads only the API server, so no manager has to run.\n"
           "Exit code 0: all is fine; 1: the check failed; 2: something is broken or missing.",
       .arguments = "KIND NAME",
       .own_flags = {"endpoints"},
       .run = RunExplain},
      {.name = "check",
       .summary = "check that all targets are fine, for pipelines",
       .description =
           "capstan check reports whether every target, or the named target, holds its\n"
           "bundle, and with --endpoints whether its servers are trusted. For pipelines.\n"
           "Exit code 0: all are fine; 1: the check failed; 2: something is wrong.",
       .arguments = "[KIND NAME]",
       .own_flags = {"wait", "endpoints"},
       .run = RunCheck},
      {.name = "audit",
       .summary = "show every caBundle: its owner and its expiry",
       .description = "capstan audit shows every caBundle in the cluster, also unmanaged ones:\n"
                      "its owner, the annotation that requests it, and its expiry.\n"
                      "Exit code 0: every caBundle was read; 1: the audit failed.",
       .has_manager_flags = false,
       .own_flags = {"additional-targets"},
       .run = RunAudit},
      {.name = "inject",
       .summary = "with --dry-run: show what would be written, in a cluster or in files",
       .description =
           "capstan inject --dry-run shows what the manager would write into every target,\n"
           "or into the named target: added and removed certificates, or with -o json the\n"
           "patch. With -f it reads YAML or JSON files and needs no cluster. The files\n"
           "contain targets and their Secrets, Certificates and ConfigMaps.\n"
           "Exit code 0: nothing would be written; 1: the check failed; 2: something would\n"
           "be written or is broken.",
       .arguments = "[KIND NAME]",
       .own_flags = {"dry-run", "file"},
       .run = RunInject},
      {.name = "gates",
       .summary = "show the readiness gates of pods",
       .description =
           "capstan gates shows the gate set and the gates of each pod, and since when each\n"
           "gate is open or closed. capstan-node-agent writes this to the pod.\n"
           "Exit code 0: the pods were read; 1: reading failed.",
       .arguments = "[NAMESPACE[/POD]]",
       .has_manager_flags = false,
       .run = RunGates}};
}

// The commands for authors of programs.
std::vector<Command> Generators() {
  return {
      {.name = "generate",
       .summary = "write the C++ types of custom resources",
       .description =
           "capstan generate types writes the C++ types of CustomResourceDefinitions, for\n"
           "programs that use the library: of YAML or JSON files (-f), or of the named ones,\n"
           "such as issuers.cert-manager.io, in a cluster, or of any kind that it serves. Each\n"
           "version of a kind has a header and a source.\n"
           "Exit code 0: the types were written; 1: they were not.",
       .arguments = "types [NAME...]",
       .has_manager_flags = false,
       .own_flags = {"out", "file"},
       .run = RunGenerate},
      {.name = "new",
       .summary = "write the project of a controller in C++",
       .description =
           "capstan new writes a project with a kind of your own: its controller, their test,\n"
           "an image, a chart and a workflow: capstan new foo-operator --kind Foo\n"
           "Exit code 0: the project was written; 1: it was not.",
       .arguments = "NAME",
       .reads_cluster = false,
       .has_manager_flags = false,
       .own_flags = {"kind", "group", "out"},
       .run = RunNew},
      {.name = "envtest",
       .summary = "print a folder of programs for envtest: the embedded API server",
       .description =
           "capstan envtest prints a folder with kube-apiserver and etcd, which are links to\n"
           "capstan-test-server, and kubectl if it is installed. Tests with envtest then start\n"
           "in milliseconds: KUBEBUILDER_ASSETS=$(capstan envtest) go test ./...\n"
           "Exit code 0: the folder exists; 1: it does not.",
       .reads_cluster = false,
       .has_manager_flags = false,
       .run = RunEnvtest},
      {.name = "completion",
       .summary = "print a completion script for bash, zsh or fish",
       .description = "capstan completion prints a script that completes capstan's commands\n"
                      "and flags in a shell: source <(capstan completion bash)",
       .arguments = "bash|zsh|fish",
       .reads_cluster = false,
       .has_manager_flags = false,
       .run = RunCompletion}};
}

const std::vector<Command>& Commands() {
  static const std::vector<Command> commands = [] {
    std::vector<Command> all = Inspections();
    for (Command& command : Generators()) all.push_back(std::move(command));
    return all;
  }();
  return commands;
}

flags::FlagSet NewFlagSet(const Command& command, InspectOptions& options) {
  flags::FlagSet set({.name = "capstan " + command.name,
                      .description = command.description,
                      .arguments = command.arguments});
  AddOwnFlags(set, command.own_flags, options);
  if (command.reads_cluster) AddClusterFlags(set, options);
  if (command.has_manager_flags) AddManagerFlags(set, options);
  return set;
}

std::string Usage() {
  std::string usage =
      "capstan shows the state of CA injection in a cluster and explains failures.\n\n"
      "Usage:\n  capstan COMMAND [flags]\n\nCommands:\n";
  for (const Command& command : Commands()) {
    usage +=
        "  " + command.name + std::string(12 - command.name.size(), ' ') + command.summary + "\n";
  }
  return usage +
         "  apiserver   serve a small Kubernetes API from memory, to try programs on; it\n"
         "              runs capstan-demo apiserver, which must be beside capstan\n"
         "  version     print the version\n\n"
         "capstan COMMAND --help lists the flags of a command. Exit codes: 0, all targets are "
         "fine;\n"
         "1, the check failed; 2, something is broken or missing. Output on a terminal has\n"
         "colours unless NO_COLOR is set. As kubectl-capstan in the PATH, capstan is \"kubectl\n"
         "capstan\".\n";
}

int RunCompletion(const flags::FlagSet& flags, InspectOptions& options) {
  std::vector<CompletedCommand> completed;
  for (const Command& command : Commands()) {
    CompletedCommand one{command.name, command.summary, NewFlagSet(command, options).Spellings()};
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

// Becomes `capstan-demo apiserver`. This program links no test code, so the API server is there.
int RunApiServer(std::vector<std::string> arguments) {
  std::error_code ignored;
  const auto self = std::filesystem::read_symlink("/proc/self/exe", ignored);
  std::string path = (self.parent_path() / "capstan-demo").string();
  arguments.insert(arguments.begin(), {"capstan", "apiserver"});  // the name in its help
  std::vector<char*> words;
  words.reserve(arguments.size() + 1);
  for (std::string& word : arguments) words.push_back(word.data());
  words.push_back(nullptr);
  sigset_t none;
  sigemptyset(&none);
  pthread_sigmask(SIG_SETMASK, &none, nullptr);  // main has blocked the signals
  execv(path.c_str(), words.data());
  return Fail("failed to run " + path + ": " + std::strerror(errno) +
              "; install capstan-demo beside capstan");
}

int Main(std::vector<std::string> arguments) {
  if (arguments.empty()) {
    std::fputs(Usage().c_str(), stderr);
    return kFailed;
  }
  const std::string name = arguments.front();
  arguments.erase(arguments.begin());
  if (name == "apiserver") return RunApiServer(std::move(arguments));
  std::vector<std::string> known;
  for (const Command& command : Commands()) {
    known.push_back(command.name);
    if (name != command.name) continue;
    InspectOptions options;
    flags::FlagSet set = NewFlagSet(command, options);
    const auto runs = set.ParseOrPrint(arguments);
    if (!runs) return Fail(runs.error().message);
    if (!*runs) return kFine;
    if (const auto ok = Finish(set, options); !ok) return Fail(ok.error().message);
    return command.run(set, options);
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
  return Fail("unknown command " + capstan::Quoted(name) + "; " +
              (nearest ? "did you mean " + *nearest + "?" : "capstan --help lists them"));
}

}  // namespace
}  // namespace capstan::cmd::cli

int main(int argc, char** argv) {
  capstan::cmd::UseOwnLookups();
  FLAGS_logtostderr = true;
  FLAGS_minloglevel = google::WARNING;
  capstan::BlockSignals();  // before any thread
  google::InitGoogleLogging(argv[0]);
  return capstan::cmd::cli::Main({argv + 1, argv + argc});
}
