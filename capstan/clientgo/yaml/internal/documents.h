// SPDX-License-Identifier: Apache-2.0
// The text of YAML files before it is parsed: its encoding, and its documents.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "capstan/clientgo/util/error.h"
#include "capstan/export.h"

namespace capstan::clientgo::yaml {

// Returns `text` in UTF-8 and without byte order marks. UTF-16 is recognized by its mark, as
// Windows PowerShell writes it.
CAPSTAN_EXPORT_INTERNAL std::string ToUtf8(std::string_view text);

// Returns the text with a line feed for each line break: CR LF, CR, and U+0085.
std::string WithLineFeeds(std::string_view utf8);

// Returns JSON as YAML with the same value. YAML has no pairs of \u escapes for one character, and
// no DEL and no U+0085 without an escape. Half of a pair that stands alone becomes U+FFFD, as in
// Go.
CAPSTAN_EXPORT_INTERNAL std::string JsonAsYaml(std::string_view json);

struct Unprintable {
  int line = 0;  // the first line is 0
  std::string what;
};
// Returns the first character that YAML forbids.
std::optional<Unprintable> FindUnprintable(std::string_view utf8);

struct Document {
  std::string_view text;
  int line = 1;       // of its first line in the file
  bool json = false;  // begins with '{'
};

// Returns the documents of a file as kubectl splits it: lines of "---", and JSON objects one after
// the other. Mirrors YAMLReader and YAMLOrJSONDecoder of k8s.io/apimachinery/pkg/util/yaml. Views
// into `utf8`. kInvalidArgument: "---" is followed by something else than a comment; the message
// begins with "name:line: ".
CAPSTAN_EXPORT_INTERNAL util::Expected<std::vector<Document>> SplitDocuments(
    std::string_view utf8, const std::string& name);

}  // namespace capstan::clientgo::yaml
