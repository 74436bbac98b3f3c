// SPDX-License-Identifier: Apache-2.0
// The version and the commit of this build. CMake reads the commit when it configures; it is
// "unknown" outside a git checkout. -DCAPSTAN_COMMIT=... overrides it.
#pragma once

#include <string>
#include <string_view>

#include "capstan/export.h"

namespace capstan::flags {

CAPSTAN_EXPORT std::string_view BuildVersion();  // "0.1.0"
CAPSTAN_EXPORT std::string_view BuildCommit();   // "1a2b3c4d5e6f"
// "0.1.0 (1a2b3c4d5e6f)"
CAPSTAN_EXPORT std::string VersionText();

}  // namespace capstan::flags
