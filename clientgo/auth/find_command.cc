// SPDX-License-Identifier: Apache-2.0
#include "clientgo/auth/find_command.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <string_view>

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
  std::string_view folders = path == nullptr ? "/usr/local/bin:/usr/bin:/bin" : path;
  while (!folders.empty()) {
    const std::size_t colon = std::min(folders.find(':'), folders.size());
    const std::string_view folder = folders.substr(0, colon);
    // An empty entry is the current folder; as Go, and unlike a shell, nothing is run from there.
    if (folder.starts_with('/')) {
      std::string candidate = std::string(folder) + "/" + command;
      if (IsExecutable(candidate)) return candidate;
    }
    folders.remove_prefix(std::min(colon + 1, folders.size()));
  }
  return Err(ErrorReason::kNotFound, command + ": executable file not found in $PATH");
}

}  // namespace clientgo::auth
