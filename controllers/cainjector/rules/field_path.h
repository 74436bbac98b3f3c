// SPDX-License-Identifier: Apache-2.0
// FieldPath is the path of a field of an object in the configuration of additional targets:
// "spec.acme.caBundle", "spec.providers[*].caBundle". Immutable plain data.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "capstan/error.h"

namespace capstan::cainjector {

struct FieldPath {
  struct Step {
    std::string name = {};
    bool each = false;  // "[*]": every element of the array
    friend bool operator==(const Step&, const Step&) = default;
  };
  std::vector<Step> steps;  // at least two; the last one is not `each`

  std::string String() const;
  // Returns the names, which are the path in a runtime::Projection.
  std::vector<std::string> Names() const;
  friend bool operator==(const FieldPath&, const FieldPath&) = default;
};

// The error, kInvalidArgument, quotes the path and names the position of the mistake and what is
// expected there. metadata and status cannot be targets: the API server ignores a write of them, or
// they decide what is injected.
Expected<FieldPath> ParseFieldPath(std::string_view text);

}  // namespace capstan::cainjector
