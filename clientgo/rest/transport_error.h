// SPDX-License-Identifier: Apache-2.0
// What the HTTP library says went wrong, as an Error: the reason a Reflector decides by, and words
// that an operator knows. The library reports a fixed English message for the step that failed and
// a bare error number whose category is lost; both are read here. Pure function.
#pragma once

#include <string>
#include <string_view>

#include "clientgo/util/error.h"

namespace clientgo::rest {

struct TransportFailure {
  std::string_view step;          // cpprestsdk's message
  int code = 0;                   // errno, an OpenSSL code, or nothing
  std::string_view peer = {};     // "10.0.0.1:6443"
  std::string verification = {};  // why the server's certificate was refused, if it was
};

util::Error DescribeFailure(const TransportFailure& failure);

}  // namespace clientgo::rest
