// SPDX-License-Identifier: Apache-2.0
// Reads YAML as a real API server does, with the errors of Go's decoder.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <tl/expected.hpp>

namespace capstan::testing::apiserver {

// Returns the JSON of a YAML document, or the error. Adds the keys that are given twice to
// `repeats`: "line 3: key \"a\" already set in map".
tl::expected<std::string, std::string> JsonFromYaml(std::string_view text,
                                                    std::vector<std::string>& repeats);

}  // namespace capstan::testing::apiserver
