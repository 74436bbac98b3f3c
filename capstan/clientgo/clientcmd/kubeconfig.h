// SPDX-License-Identifier: Apache-2.0
// Reads kubeconfig files with yaml-cpp; its exceptions do not leave kubeconfig.cc. Mirrors the
// loading, validation and conversion of client-go's tools/clientcmd.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "capstan/clientgo/rest/config.h"
#include "capstan/clientgo/util/error.h"
#include "capstan/export.h"

namespace YAML {  // NOLINT(readability-identifier-naming): the name in yaml-cpp
class Node;
struct Mark;
}  // namespace YAML

namespace capstan::clientgo::clientcmd {

// Merges the given files, which must exist. For maps and for scalars the first file wins. Unknown
// fields are ignored, as in client-go; a known field that is not supported is an error.
CAPSTAN_EXPORT util::Expected<rest::Config> LoadKubeconfig(const std::vector<std::string>& paths,
                                                           std::string_view context);

// Returns the node as JSON. A scalar without quotes is a bool or a number when it looks like one.
// kInvalidArgument: more than 64 levels or 8 MiB, which aliases make possible in a short document.
CAPSTAN_EXPORT util::Expected<std::string> ToJson(const YAML::Node& node);

// Returns "path:line", or only the path when the line is not known.
CAPSTAN_EXPORT std::string FileAndLine(const std::string& path, const YAML::Mark& mark);

}  // namespace capstan::clientgo::clientcmd
