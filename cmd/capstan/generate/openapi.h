// SPDX-License-Identifier: Apache-2.0
// A kind as the OpenAPI v3 of an API server describes it: for a kind that has no
// CustomResourceDefinition, such as those of an aggregated API server. Pure.
#pragma once

#include <string>

#include "capstan/error.h"
#include "capstan/runtime/json_value.h"

namespace capstan::cmd::generate {

// ServedKind is what discovery says of a kind.
struct ServedKind {
  std::string group = {};
  std::string version = {};
  std::string kind = {};
  std::string plural = {};
  bool namespaced = true;
  bool has_status = false;  // the subresource
};

// Returns a CustomResourceDefinition with the schema of the kind, for ReadDefinition. `document` is
// that of the kind's group and version. A struct inside of itself may have any fields.
// kInvalidArgument: the document does not have the kind.
Expected<std::string> DefinitionOf(const ServedKind& kind, const runtime::JsonValue& document);

}  // namespace capstan::cmd::generate
