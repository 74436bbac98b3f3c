// SPDX-License-Identifier: Apache-2.0
// IsOneOf looks for a name in a table of names. Not API.
#pragma once

#include <algorithm>
#include <iterator>
#include <string_view>

namespace capstan {

bool IsOneOf(std::string_view name, const auto& names) {
  return std::find(std::begin(names), std::end(names), name) != std::end(names);
}

}  // namespace capstan
