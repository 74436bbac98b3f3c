// SPDX-License-Identifier: Apache-2.0
// WritePrivateFile: a file that nobody but its owner can read, at no moment: for kubeconfigs.
#pragma once

#include <string>

#include "clientgo/util/error.h"

namespace cmd::capstan::demo {

// Replaces the file at once: a reader sees the old text or the new one, never a half.
clientgo::util::Expected<void> WritePrivateFile(const std::string& path, const std::string& text);

}  // namespace cmd::capstan::demo
