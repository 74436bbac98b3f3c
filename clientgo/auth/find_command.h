// SPDX-License-Identifier: Apache-2.0
// FindCommand: the file that a command means. Reads $PATH. Thread-safe. Mirrors Go's exec.LookPath.
#pragma once

#include <string>

#include "clientgo/util/error.h"

namespace clientgo::auth {

// A command with a '/' is a path already; another one is looked up in PATH. kNotFound: there is no
// such file, or this process may not execute it.
util::Expected<std::string> FindCommand(const std::string& command);

}  // namespace clientgo::auth
