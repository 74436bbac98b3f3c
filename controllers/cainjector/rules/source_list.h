// SPDX-License-Identifier: Apache-2.0
// SourceList is the value of capstan.dev/inject-ca-from: sources with commas between them, such as
// "secret/ns/ca, configmap/ns/trust/root.pem, apiserver". The bundle is the union of theirs.
//
// Pure functions. Has no upstream.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "capstan/error.h"
#include "controllers/cainjector/rules/annotations.h"

namespace capstan::cainjector {

inline constexpr std::size_t kSourceItemsMax = 32;

// SourceItem is one source of a list. Views into the value, and constants.
struct SourceItem {
  std::string_view kind;        // "Secret"
  std::string_view annotation;  // that names one such source, or kSystemItem
  std::string_view value;       // of that annotation
  std::string_view text;        // "secret/ns/ca"
};

// Parses a list. An item is valid exactly when its source accepts `value`. The error names the
// first bad item and lists the known kinds.
Expected<std::vector<SourceItem>> ParseSourceList(std::string_view value);

// Returns the source objects that an annotation with this value refers to, as the index of the
// targets by that annotation contains them. A list that cannot be parsed refers to none.
std::vector<std::string> ReferencedObjects(std::string_view annotation, std::string_view value);

// Returns the references to the source object that `annotation` refers to as `object`: by that
// annotation, and by a list.
std::vector<Reference> ReferencesTo(std::string_view annotation, std::string_view object);

}  // namespace capstan::cainjector
