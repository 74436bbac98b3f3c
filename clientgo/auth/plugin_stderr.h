// SPDX-License-Identifier: Apache-2.0
// What a credential plugin says, made fit for a message: one line, bounded, without what looks like
// a secret. Pure functions. No upstream: client-go lets the plugin write to the terminal.
#pragma once

#include <string>
#include <string_view>

namespace clientgo::auth {

// Line breaks, control characters and runs of spaces become one space each; escape sequences of
// terminals go away. At most 500 bytes.
std::string OneLine(std::string_view text);

// OneLine of the first lines of a plugin's stderr. Hidden are words as long as a token, and the
// token that its stdout has, if any: a program that fails half-way may print it in both.
std::string ReadableStderr(std::string_view text, std::string_view out);

}  // namespace clientgo::auth
