// SPDX-License-Identifier: Apache-2.0
// Validation of the metadata of objects. Mirrors
// k8s.io/apimachinery/pkg/api/validation/objectmeta.go and ValidateManagedFields of
// pkg/apis/meta/v1/validation. Differs: kube-apiserver repeats the causes of an update for more
// kinds.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "clientgo/testing/apiserver/types/resources.h"
#include "clientgo/testing/apiserver/validation/field_rules.h"

namespace capstan::testing::apiserver {

// Reports whether a finalizer is no standard one and has no domain: "cleanup".
bool IsShortFinalizer(std::string_view name);
// Returns the warnings about the new finalizers of a custom object. `live` is null for a create.
std::vector<std::string> FinalizerWarnings(const runtime::JsonValue* live,
                                           const runtime::JsonValue& next);

// Replaces a dash at the end of a prefix of a name, which is valid because a suffix follows it.
std::string MaskTrailingDash(std::string_view prefix);
void CheckAnnotations(const Place& annotations, FieldRules& rules);
void CheckMetadata(const Resource& resource, const Place& metadata, FieldRules& rules);
// The same for an object in a custom resource. It may lack a name and a namespace.
void CheckEmbeddedMetadata(const Place& metadata, FieldRules& rules);
// Checks what a write of this subresource changes.
void CheckMetadataUpdate(const Resource& resource, std::string_view subresource, const Place& live,
                         const Place& next, FieldRules& rules);

}  // namespace capstan::testing::apiserver
