// SPDX-License-Identifier: Apache-2.0
// Parses the Warning headers of a response (RFC 7234, section 5.5). Pure functions on bytes from
// outside. Mirrors ParseWarningHeaders of k8s.io/apimachinery/pkg/util/net.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace capstan::rest {

struct Warning {
  int code = 0;
  std::string agent;
  std::string text;  // not empty, valid UTF-8 without control characters, at most 2048 bytes
  friend bool operator==(const Warning&, const Warning&) = default;
};

// Returns the warnings of one header's value, which may be a list. It ends at the first one that
// cannot be parsed, because what follows cannot be found; those before it are returned. At most 64
// are returned. The date of a warning is skipped.
std::vector<Warning> ParseWarningHeader(std::string_view value);

}  // namespace capstan::rest
