// SPDX-License-Identifier: Apache-2.0
// Parse reads one YAML document with libyaml, whose types do not leave parse.cc.
// The result is what sigs.k8s.io/yaml makes of the text: types of scalars, merge keys, of a key
// given twice the last value.
#pragma once

#include <string>
#include <string_view>

#include "capstan/error.h"
#include "capstan/export.h"
#include "clientgo/yaml/value.h"

namespace capstan::yaml {

// Returns the first document of `text`, which is UTF-8 or begins with the byte order mark of UTF-8
// or UTF-16. `name` is the file's name for messages, and `first_line` the number of the text's
// first line. kInvalidArgument: not YAML, or more than 500 levels or a million values. The message
// begins with "name:line: " and does not repeat the text, which may be a credential.
CAPSTAN_EXPORT_INTERNAL Expected<ValuePtr> Parse(std::string_view text, const std::string& name,
                                                 int first_line = 1);

// Returns "path:line".
CAPSTAN_EXPORT_INTERNAL std::string FileAndLine(const std::string& path, int line);

}  // namespace capstan::yaml
