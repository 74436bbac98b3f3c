// SPDX-License-Identifier: Apache-2.0
// Bytes is binary data: a []byte in Go, and base64 in JSON, such as the values in a Secret's data.
#pragma once

#include <string>

#include "capstan/export.h"

namespace capstan {

struct CAPSTAN_EXPORT Bytes {
  std::string value = {};  // decoded
  friend bool operator==(const Bytes&, const Bytes&) = default;
};

}  // namespace capstan
