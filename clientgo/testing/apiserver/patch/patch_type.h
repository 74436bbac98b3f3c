// SPDX-License-Identifier: Apache-2.0
// The types of a built-in kind as a strategic merge patch sees them. Mirrors
// k8s.io/apimachinery/pkg/util/strategicpatch/meta.go.
#pragma once

#include <string_view>

#include "clientgo/testing/apiserver/types/built_in.h"
#include "clientgo/testing/apiserver/types/status.h"

namespace capstan::testing::apiserver {

// PatchType is the Go type of a value.
struct PatchType {
  const runtime::Message* message = nullptr;  // null: a type without fields
  std::string_view kind = "struct";           // "map", "slice", ...
};

// PatchListField is how the list of a field is merged.
struct PatchListField {
  PatchType items;
  std::string_view key;  // empty: the items have no key
  bool merged = false;   // instead of replaced
};

// Returns the field that Go's decoder takes for the name, or the error of kube-apiserver for a
// patch that merges something that the type does not have.
Result<const runtime::Field*> FindField(const PatchType& type, std::string_view name);
Result<PatchListField> FindListField(const PatchType& type, std::string_view name);
PatchType TypeOf(const runtime::Field& field);

}  // namespace capstan::testing::apiserver
