// SPDX-License-Identifier: Apache-2.0
#include "capstan/runtime/resource_version.h"

#include <string>

#include "capstan/runtime/decoder.h"

namespace capstan::runtime {
namespace {

bool IsComparable(std::string_view version) {
  return !version.empty() && version.front() != '0' &&
         version.find_first_not_of("0123456789") == std::string_view::npos;
}

}  // namespace

Expected<int> CompareResourceVersion(std::string_view a, std::string_view b) {
  for (const std::string_view version : {a, b}) {
    if (IsComparable(version)) continue;
    return Err(ErrorReason::kInvalidArgument,
               "resourceVersion \"" + std::string(Excerpt(version)) +
                   "\" cannot be compared: it is not a positive decimal number");
  }
  if (a.size() != b.size()) return a.size() < b.size() ? -1 : 1;
  return a.compare(b);
}

}  // namespace capstan::runtime
