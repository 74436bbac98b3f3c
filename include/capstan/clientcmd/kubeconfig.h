// SPDX-License-Identifier: Apache-2.0
// Reads kubeconfig files. Mirrors the loading, validation and conversion of client-go's
// tools/clientcmd.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "capstan/error.h"
#include "capstan/export.h"
#include "capstan/rest/config.h"

namespace capstan::clientcmd {

// Merges the given files, which must exist. For maps and for scalars the first file wins. Unknown
// fields are ignored, as in client-go; a known field that is not supported is an error.
CAPSTAN_EXPORT Expected<rest::Config> LoadKubeconfig(const std::vector<std::string>& paths,
                                                     std::string_view context);

}  // namespace capstan::clientcmd
