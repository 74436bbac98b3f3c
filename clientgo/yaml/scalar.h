// SPDX-License-Identifier: Apache-2.0
// The types of YAML scalars. Mirrors resolve.go of go.yaml.in/yaml/v2, and the conversion of keys
// in sigs.k8s.io/yaml.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "capstan/error.h"
#include "clientgo/yaml/value.h"

namespace capstan::yaml {

// The tag of a scalar without quotes and without a tag, and of one with quotes.
inline constexpr std::string_view kPlain = "?";
inline constexpr std::string_view kQuoted = "!";

// Returns the scalar as a Value: "yes" is true, 0644 is 420, 0x1F is 31, .5 is 0.5 and 2001-01-01
// is text. !!binary is decoded. `tag` is kPlain, kQuoted or a whole tag such as
// "tag:yaml.org,2002:str". Infinity and .nan are values that are not finite. kInvalidArgument: the
// text is not what the tag says. The message does not quote the text, which may be a credential.
Expected<Value> ResolveScalar(std::string_view tag, const std::string& text);

// Returns the scalar as a key of JSON: numbers and booleans become text. Returns nullopt if
// Go does not accept such a key, for example null.
std::optional<std::string> KeyOf(const Value& scalar);

}  // namespace capstan::yaml
