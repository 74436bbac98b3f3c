// SPDX-License-Identifier: Apache-2.0
#include "cmd/capstan/completion.h"

#include "capstan/logging.h"
#include "capstan/text.h"

namespace capstan::cmd::cli {
namespace {

// Concatenates `line(command)` of all commands.
template <typename Line>
std::string ForEach(const std::vector<CompletedCommand>& commands, const Line& line) {
  std::string lines;
  for (const CompletedCommand& command : commands) lines += line(command);
  return lines;
}

std::string Bash(const std::vector<CompletedCommand>& commands) {
  return "# bash completion of capstan: source <(capstan completion bash)\n"
         "_capstan() {\n"
         "  local words current=\"${COMP_WORDS[COMP_CWORD]}\"\n"
         "  if [ \"$COMP_CWORD\" -eq 1 ]; then\n"
         "    words=\"" +
         ForEach(commands, [](const CompletedCommand& command) { return command.name + " "; }) +
         "--help\"\n"
         "  else\n"
         "    case \"${COMP_WORDS[1]}\" in\n" +
         ForEach(commands,
                 [](const CompletedCommand& command) {
                   return "      " + command.name + ") words=\"" + Join(command.words, " ") +
                          "\" ;;\n";
                 }) +
         "    esac\n"
         "  fi\n"
         "  COMPREPLY=($(compgen -W \"$words\" -- \"$current\"))\n"
         "}\n"
         "complete -o default -F _capstan capstan kubectl-capstan\n";
}

std::string Zsh(const std::vector<CompletedCommand>& commands) {
  return "#compdef capstan kubectl-capstan\n"
         "# zsh completion of capstan: source <(capstan completion zsh)\n"
         "_capstan() {\n"
         "  if (( CURRENT == 2 )); then\n"
         "    local -a commands=(\n" +
         ForEach(commands,
                 [](const CompletedCommand& command) {
                   return "      '" + command.name + ":" + command.summary + "'\n";
                 }) +
         "    )\n"
         "    _describe command commands\n"
         "    return\n"
         "  fi\n"
         "  case \"${words[2]}\" in\n" +
         ForEach(commands,
                 [](const CompletedCommand& command) {
                   return "    " + command.name + ") compadd -- " + Join(command.words, " ") +
                          " ;;\n";
                 }) +
         "  esac\n"
         "  _files\n"
         "}\n"
         // zsh loads a file of its completion folder as the function itself, which has to complete.
         "if [[ \"${funcstack[1]}\" == _capstan ]]; then\n"
         "  _capstan \"$@\"\n"
         "elif (( $+functions[compdef] )); then\n"
         "  compdef _capstan capstan kubectl-capstan\n"
         "fi\n";
}

std::string Fish(const std::vector<CompletedCommand>& commands) {
  std::string script = "# fish completion of capstan: capstan completion fish | source\n";
  for (const std::string program : {"capstan", "kubectl-capstan"}) {
    for (const CompletedCommand& command : commands) {
      script += "complete -c " + program + " -n __fish_use_subcommand -a " + command.name +
                " -d '" + command.summary + "'\n";
      script += "complete -c " + program + " -n '__fish_seen_subcommand_from " + command.name +
                "' -a '" + Join(command.words, " ") + "'\n";
    }
  }
  return script;
}

}  // namespace

Expected<std::string> CompletionScript(std::string_view shell,
                                       const std::vector<CompletedCommand>& commands) {
  if (shell == "bash") return Bash(commands);
  if (shell == "zsh") return Zsh(commands);
  if (shell == "fish") return Fish(commands);
  return Err(ErrorReason::kInvalidArgument,
             "unknown shell " + Quoted(shell) + "; use bash, zsh or fish");
}

}  // namespace capstan::cmd::cli
