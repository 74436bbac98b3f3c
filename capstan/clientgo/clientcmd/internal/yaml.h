// SPDX-License-Identifier: Apache-2.0
// What reading a kubeconfig and a manifest share. No public header has a type of yaml-cpp.
#pragma once

#include <yaml-cpp/yaml.h>

#include <string>

#include "capstan/clientgo/util/error.h"

namespace capstan::clientgo::clientcmd {

// Returns the node as JSON. A scalar without quotes is a bool or a number when it looks like one.
// kInvalidArgument: more than 64 levels or 8 MiB, which aliases make possible in a short document.
util::Expected<std::string> ToJson(const YAML::Node& node);

// Returns "path:line", or only the path when the line is not known.
std::string FileAndLine(const std::string& path, const YAML::Mark& mark);

// Returns yaml-cpp's message without the text that it quotes, which may be a credential.
std::string Problem(const YAML::Exception& error);

}  // namespace capstan::clientgo::clientcmd
