// SPDX-License-Identifier: Apache-2.0
// ReadFile: a whole small file (kubeconfig, certificate, token) as a string, with an error that
// names it. Thread-safe.
#pragma once

#include <string>

#include "clientgo/util/error.h"

namespace clientgo::rest {

// kInvalidArgument "open <path>: No such file or directory", or when it is larger than 16 MiB.
util::Expected<std::string> ReadFile(const std::string& path);

}  // namespace clientgo::rest
