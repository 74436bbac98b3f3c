// SPDX-License-Identifier: Apache-2.0
// metadata.managedFields: which manager owns which field, and server-side apply.
// Mirrors k8s.io/apimachinery/pkg/util/managedfields and sigs.k8s.io/structured-merge-diff.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "clientgo/testing/apiserver/patch/field_set.h"
#include "clientgo/testing/apiserver/patch/merge_type.h"
#include "clientgo/testing/apiserver/patch/typed_value.h"
#include "clientgo/testing/apiserver/types/json_edit.h"
#include "clientgo/testing/apiserver/types/status.h"

namespace capstan::testing::apiserver {

// Compares two objects without the fields that no manager owns (name, uid, generation, ...).
Comparison Compare(const runtime::JsonValue& before, const runtime::JsonValue& after,
                   const MergeType& type);

struct ManagedFieldsEntry {
  std::string manager = {};    // "cert-manager-cainjector"
  std::string operation = {};  // "Apply", "Update"
  std::string api_version = {};
  std::string subresource = {};
  std::string time = {};  // RFC 3339
  FieldSet fields = {};
  MergeType type = {};  // of the object; only in a request

  bool SameOwner(const ManagedFieldsEntry& other) const;
};

std::vector<ManagedFieldsEntry> ReadManagedFields(const runtime::JsonValue& object);
void WriteManagedFields(runtime::JsonDocument& object, std::vector<ManagedFieldsEntry> entries);

// Records in `after` the fields that the manager changed by a create, update or patch, and returns
// the difference. For a create `before` has no members. `request` is an entry without operation and
// fields.
Comparison TrackUpdate(const runtime::JsonValue& before, runtime::JsonDocument& after,
                       ManagedFieldsEntry request);

// Returns the live object with the configuration merged into it, without the fields that the
// manager no longer applies, and with new managedFields. Without `force`, returns a conflict when
// another manager owns a changed field. `request` is as for TrackUpdate. REQUIRES: CheckApplied
// accepts the configuration.
Result<std::unique_ptr<runtime::JsonDocument>> Apply(const runtime::JsonValue& live,
                                                     const runtime::JsonValue& configuration,
                                                     const ManagedFieldsEntry& request, bool force);

}  // namespace capstan::testing::apiserver
