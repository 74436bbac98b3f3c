// SPDX-License-Identifier: Apache-2.0
// What a YAML value says, as the text that a flag of the same type would be given. Internal to
// cmd/flags; pure but for the working directory, which a relative file path is relative to.
#pragma once

#include <yaml-cpp/yaml.h>

#include <optional>
#include <string>

#include "cmd/flags/value.h"

namespace cmd::flags {

// nullopt: not of the right shape. A quoted scalar is text, whatever it holds. `file`: where a path
// is written in.
std::optional<std::string> TextOf(Type type, const YAML::Node& value, const std::string& file);
// "a list of texts": what the shape would be.
std::string ShapeOf(Type type);

}  // namespace cmd::flags
