// SPDX-License-Identifier: Apache-2.0
// Texts, paths, and JSON values as Go's encoder and the field errors of k8s.io/apimachinery print
// them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "clientgo/runtime/json.h"

namespace capstan::testing::apiserver {

// Returns the text without the white space at both ends, as strings.TrimSpace. A view into `text`.
std::string_view TrimSpace(std::string_view text);
// Returns the parts between the separators, also empty ones, as strings.Split. Views into `text`.
std::vector<std::string_view> SplitAll(std::string_view text, char separator);
// Returns the path of a member as errors show it: "spec.replicas".
std::string MemberPath(const std::string& path, std::string_view name);
// Returns the text as json.Marshal writes it, which escapes the characters of HTML.
std::string HtmlQuote(std::string_view text);
// Returns the value as json.Marshal writes it: with sorted members.
std::string MarshalJson(const runtime::JsonValue& value);
// Returns the value as "Invalid value: VALUE" shows it: texts as %q, numbers as %v.
std::string ShownValue(const runtime::JsonValue& value);

}  // namespace capstan::testing::apiserver
