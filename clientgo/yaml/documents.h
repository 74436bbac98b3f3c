// SPDX-License-Identifier: Apache-2.0
// The text of YAML files before it is parsed: its encoding, and its documents.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "capstan/error.h"
#include "capstan/export.h"

namespace capstan::yaml {

// The byte order mark.
inline constexpr std::string_view kMark = "\xef\xbb\xbf";

// Returns `text` in UTF-8 and without byte order marks. UTF-16 is recognized by its mark, as
// Windows PowerShell writes it.
CAPSTAN_EXPORT_INTERNAL std::string ToUtf8(std::string_view text);

// Returns JSON as YAML with the same value. In YAML, a pair of \u escapes is not one character.
// YAML forbids DEL, U+FFFE and U+FFFF without an escape, and reads U+0085, U+2028 and U+2029 as
// line breaks. As in Go, half of a pair that stands alone becomes U+FFFD.
CAPSTAN_EXPORT_INTERNAL std::string JsonAsYaml(std::string_view json);

// Returns the number of line breaks in `text`.
int LinesIn(std::string_view text);

struct Document {
  std::string_view text;
  int line = 1;       // of its first line in the file
  bool json = false;  // begins with '{'
};

// Returns the documents of a file as kubectl splits it: lines of "---", and JSON objects one after
// the other. Mirrors YAMLReader and YAMLOrJSONDecoder of k8s.io/apimachinery/pkg/util/yaml. Views
// into `utf8`. kInvalidArgument: "---" is followed by something else than a comment; the message
// begins with "name:line: ".
CAPSTAN_EXPORT_INTERNAL Expected<std::vector<Document>> SplitDocuments(std::string_view utf8,
                                                                       const std::string& name);

}  // namespace capstan::yaml
