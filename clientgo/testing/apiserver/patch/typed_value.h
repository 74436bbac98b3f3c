// SPDX-License-Identifier: Apache-2.0
// The operations of server-side apply on a value and its MergeType. Mirrors package typed of
// sigs.k8s.io/structured-merge-diff, also where it is surprising: a container from which everything
// is removed becomes null.
#pragma once

#include <string>
#include <vector>

#include "clientgo/testing/apiserver/patch/field_set.h"
#include "clientgo/testing/apiserver/patch/merge_type.h"
#include "clientgo/testing/apiserver/types/json_edit.h"

namespace capstan::testing::apiserver {

// Returns why the value does not have the type: ".data.x: expected string, got ...". Several errors
// are a list, one in each line. It is empty if the value has the type.
std::string TypeErrorText(const runtime::JsonValue& value, const MergeType& type);

// Returns the fields of a value that its manager owns.
FieldSet FieldsOfTyped(const runtime::JsonValue& value, const MergeType& type);

// Returns the value with the configuration merged into it. Items keep the order of the
// configuration.
runtime::JsonValue MergeTyped(const runtime::JsonValue& value,
                              const runtime::JsonValue& configuration, const MergeType& type,
                              JsonAllocator& allocator);

// Returns a copy of `value` that lacks `fields`.
runtime::JsonValue RemoveTyped(const runtime::JsonValue& value, const MergeType& type,
                               const FieldSet& fields, JsonAllocator& allocator);

struct Comparison {
  FieldSet changed;  // added or modified
  FieldSet removed;
  std::string error;  // not empty: a list has an item without a key
  bool empty() const { return changed.empty() && removed.empty(); }
};
Comparison CompareTyped(const runtime::JsonValue& before, const runtime::JsonValue& after,
                        const MergeType& type);

}  // namespace capstan::testing::apiserver
