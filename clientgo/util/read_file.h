// SPDX-License-Identifier: Apache-2.0
// ReadFile: a whole small file (kubeconfig, certificate, token) as a string, with an error that
// names it. Thread-safe.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "clientgo/util/error.h"

namespace clientgo::util {

// kInvalidArgument "open <path>: No such file or directory", or when it is larger than 16 MiB.
util::Expected<std::string> ReadFile(const std::string& path);

// Tells one version of a file from another: inode, size, modification time. All zero: there is
// none. Taken before the file is read, it never hides a change.
using FileStamp = std::array<std::int64_t, 4>;
FileStamp StampOf(const std::string& path);

}  // namespace clientgo::util
