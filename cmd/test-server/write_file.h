// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <string>

#include "capstan/error.h"

namespace capstan::cmd::test_server {

// Writes a file by a rename, so that a reader never sees a part of it. kInvalidArgument names the
// path.
Expected<void> WriteFile(const std::string& path, const std::string& text, mode_t mode);

}  // namespace capstan::cmd::test_server
