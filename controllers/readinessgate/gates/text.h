// SPDX-License-Identifier: Apache-2.0
// How gates write and check texts. Internal to this folder. Pure functions, thread-safe.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "clientgo/util/error.h"

namespace controllers::readinessgate {

// Go's %q, as in csi-driver's texts. Differs: what is valid UTF-8 beyond ASCII stays as it is.
std::string Quote(std::string_view text);
// At most that many bytes, cut between characters; what is not UTF-8 becomes U+FFFD.
std::string Clip(std::string_view text, std::size_t bytes_max);
// Go's strings.Cut: what is before and after the first separator. The second is empty without one.
std::pair<std::string_view, std::string_view> Cut(std::string_view text, char separator);

// "" when `key` may be the key of a label, else why not: "\"=\" is not allowed".
// Mirrors apimachinery's validation.IsQualifiedName.
std::string WhyNotLabelKey(std::string_view key);
// The same for annotations, where the prefix may have capitals.
std::string WhyNotAnnotationKey(std::string_view key);
// Mirrors validation.IsValidLabelValue.
std::string WhyNotLabelValue(std::string_view value);
// Mirrors validation.IsDNS1123Subdomain, in the same form.
std::string WhyNotDnsName(std::string_view name);
// Mirrors validation.ValidateNamespaceName (IsDNS1123Label), in the same form.
std::string WhyNotNamespace(std::string_view name);

}  // namespace controllers::readinessgate
