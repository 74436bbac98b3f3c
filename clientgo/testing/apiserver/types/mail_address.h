// SPDX-License-Identifier: Apache-2.0
// Mirrors ParseAddress of Go's package net/mail. Differs: the content of an encoded word in the
// name of an address is not decoded, so a wrong content with an unknown charset is an error.
#pragma once

#include <string_view>

namespace capstan::testing::apiserver {

// Reports whether the text is one address of RFC 5322: "a@example.com", "A <a@example.com>".
bool IsMailAddress(std::string_view text);

}  // namespace capstan::testing::apiserver
