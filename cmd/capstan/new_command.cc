// SPDX-License-Identifier: Apache-2.0
#include "cmd/capstan/new_command.h"

#include <string>

#include "cmd/capstan/inspect_commands.h"
#include "cmd/capstan/new/new_project.h"
#include "cmd/capstan/session.h"

namespace capstan::cmd::cli {

int RunNew(const flags::FlagSet& flags, InspectOptions& options) {
  if (flags.arguments().size() != 1) {
    return Fail("capstan new needs one name: capstan new foo-operator --kind Foo");
  }
  options.project.name = flags.arguments().front();
  const auto written = project::WriteProject(options.project, options.out);
  if (!written) return Fail(written.error().message);
  std::string text;
  for (const std::string& path : *written) text += path + "\n";
  Print(text + "Next: " + options.project.name + "/README.md\n");
  return kFine;
}

}  // namespace capstan::cmd::cli
