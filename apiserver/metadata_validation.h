// SPDX-License-Identifier: Apache-2.0
// The part of validation (validation.h) that is the same for every kind: names, labels,
// annotations, finalizers. Pure functions; they add to `causes`.
// Mirrors k8s.io/apimachinery/pkg/api/validation/objectmeta.go.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "apiserver/json_edit.h"
#include "apiserver/status.h"

namespace apiserver {

void ValidateMetadata(const JsonValue& object, std::vector<Cause>& causes);
void ValidateMetadataUpdate(const JsonValue& live, const JsonValue& next,
                            std::vector<Cause>& causes);
// One cause for each of `errors`.
void AddInvalid(std::vector<Cause>& causes, const std::string& field, std::string_view value,
                const std::vector<std::string>& errors);

}  // namespace apiserver
