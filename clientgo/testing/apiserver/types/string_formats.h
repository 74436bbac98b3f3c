// SPDX-License-Identifier: Apache-2.0
// The formats of strings that the schemas of custom resources may have. Mirrors
// k8s.io/kube-openapi/pkg/validation/strfmt, and the list of supported formats in
// k8s.io/apiextensions-apiserver/pkg/apiserver/validation/formats.go at 1.34. As there, formats
// that are new in 1.34 are unknown, so that a rollback to 1.33 is possible. Dashes in the name of a
// format do not matter: "date-time" is "datetime".
#pragma once

#include <string_view>

namespace capstan::testing::apiserver {

// Reports whether a format is checked. Schemas may have any other, which is ignored.
bool IsKnownFormat(std::string_view format);
// Reports whether the text has the format. Any text has an unknown one.
bool HasFormat(std::string_view format, std::string_view text);

// Reports whether Go's net.ParseIP reads the text.
bool IsIpAddress(std::string_view text);

}  // namespace capstan::testing::apiserver
