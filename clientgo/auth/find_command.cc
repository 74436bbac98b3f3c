// SPDX-License-Identifier: Apache-2.0
#include "clientgo/auth/find_command.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <string_view>

#include "clientgo/util/text.h"

namespace clientgo::auth {
namespace {

using util::Err;
using util::ErrorReason;

bool IsExecutable(const std::string& path) {
  struct stat info {};
  return stat(path.c_str(), &info) == 0 && S_ISREG(info.st_mode) && access(path.c_str(), X_OK) == 0;
}

}  // namespace

util::Expected<std::string> FindCommand(const std::string& command) {
  if (command.find('/') != std::string::npos) {
    if (IsExecutable(command)) return command;
    const std::string why = access(command.c_str(), F_OK) == 0
                                ? "it is no file that this process may execute"
                                : "no such file";
    return Err(ErrorReason::kNotFound, command + ": " + why);
  }
  const char* path = std::getenv("PATH");
  if (path == nullptr) path = "/usr/local/bin:/usr/bin:/bin";
  for (const std::string_view folder : util::Split(path, ':')) {
    // An empty entry is the current folder; as Go, and unlike a shell, nothing is run from there.
    if (folder.starts_with('/')) {
      std::string candidate = std::string(folder) + "/" + command;
      if (IsExecutable(candidate)) return candidate;
    }
  }
  return Err(ErrorReason::kNotFound, command + ": executable file not found in $PATH");
}

}  // namespace clientgo::auth
