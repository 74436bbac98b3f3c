// SPDX-License-Identifier: Apache-2.0
// Helpers for text that users write: quoting, clipping, validation and bounded JSON. Internal to
// this folder. The functions are pure and thread-safe.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "capstan/error.h"
#include "capstan/runtime/json_filter.h"
#include "capstan/runtime/json_value.h"
#include "capstan/runtime/parsed_json.h"
#include "capstan/runtime/projection.h"

namespace capstan::readinessgate {

// Quotes as Go's %q does, like csi-driver's texts. Unlike %q it keeps all valid UTF-8.
std::string Quote(std::string_view text);
// Returns at most `bytes_max` bytes, cut between characters. Invalid UTF-8 becomes U+FFFD.
std::string Clip(std::string_view text, std::size_t bytes_max);
// Mirrors Go's strings.Cut: the text before and after the first separator. The second part is empty
// when there is no separator.
std::pair<std::string_view, std::string_view> Cut(std::string_view text, char separator);

// Each WhyNot function returns "" for valid text, otherwise the reason: "\"=\" is not allowed".
// Mirrors apimachinery's validation.IsQualifiedName.
std::string WhyNotLabelKey(std::string_view key);
// As WhyNotLabelKey, but the prefix may contain capitals.
std::string WhyNotAnnotationKey(std::string_view key);
// Mirrors validation.IsValidLabelValue.
std::string WhyNotLabelValue(std::string_view value);
// Mirrors validation.IsDNS1123Subdomain.
std::string WhyNotDnsName(std::string_view name);
// Mirrors validation.ValidateNamespaceName (IsDNS1123Label).
std::string WhyNotNamespace(std::string_view name);

// BoundedJson parses one JSON document from an annotation. Anybody may have written it, so size and
// depth are checked before parsing. Not thread-safe.
class BoundedJson {
 public:
  static constexpr std::size_t kDepthMax = 32;

  explicit BoundedJson(std::size_t bytes_max) : bytes_max_(bytes_max) {}

  // Returns the root, which lives as long as this object. Only blanks may surround the document.
  // Errors are kDecode and do not quote `text`. Call once.
  Expected<const runtime::JsonValue*> Parse(std::string_view text);

 private:
  std::size_t bytes_max_;
  runtime::Projection all_ = runtime::Projection::All();
  runtime::JsonFilter filter_{all_, {.depth_max = kDepthMax}};
  std::optional<runtime::ParsedJson> parsed_;
};

}  // namespace capstan::readinessgate
