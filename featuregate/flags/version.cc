// SPDX-License-Identifier: Apache-2.0
#include "capstan/flags/version.h"

namespace capstan::flags {

std::string_view BuildVersion() { return CAPSTAN_VERSION; }
std::string_view BuildCommit() { return CAPSTAN_COMMIT; }

std::string VersionText() {
  return std::string(BuildVersion()) + " (" + std::string(BuildCommit()) + ")";
}

}  // namespace capstan::flags
