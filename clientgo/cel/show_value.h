// SPDX-License-Identifier: Apache-2.0
// ShowValue is a value as a text that tells types apart, for tests and for the comparison with Go:
// 1, 1u, 1.5, "a", b"6869", [1, 2], {"a": 1}, optional(1), optional(), timestamp(...), type(int).
#pragma once

#include <functional>
#include <string>

#include "clientgo/cel/value.h"

namespace capstan::cel {

// ErrorText returns what ShowValue shows for the message of an error.
using ErrorText = std::function<std::string(const std::string& message)>;

// The members of a map are in the order of their texts. An error is "error: <message>".
std::string ShowValue(const Value& value, const ErrorText& error_text = nullptr);

}  // namespace capstan::cel
