// SPDX-License-Identifier: Apache-2.0
// metadata.managedFields: who owns which field, kept up to date by every write, and server-side
// apply, which is built on it. Pure functions on documents.
// Mirrors k8s.io/apimachinery/pkg/util/managedfields and structured-merge-diff/merge.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "apiserver/field_set.h"
#include "apiserver/json_edit.h"
#include "apiserver/status.h"

namespace apiserver {

struct FieldManager {
  std::string name;         // "cert-manager-cainjector"
  std::string subresource;  // of the request
  std::string api_version;
  std::string time;  // now, RFC 3339
};

struct ManagedFieldsEntry {
  std::string manager;
  std::string operation;  // "Apply", "Update"
  std::string api_version;
  std::string subresource;
  std::string time;
  FieldSet fields;

  bool SameOwner(const ManagedFieldsEntry& other) const;
};

std::vector<ManagedFieldsEntry> ReadManagedFields(const JsonValue& object);
void WriteManagedFields(JsonDocument& object, std::vector<ManagedFieldsEntry> entries);

// Records in `after` what `manager` changed by a create, update or patch. `before` has no members
// for a create. Returns what differs.
Comparison TrackUpdate(const JsonValue& before, JsonDocument& after, const FieldManager& manager);

// The live object with the applied configuration merged into it, what the manager no longer applies
// taken out of it, and managedFields up to date. A conflict when others own what would change,
// unless `force`.
Result<std::unique_ptr<JsonDocument>> Apply(const JsonValue& live, const JsonValue& configuration,
                                            const FieldManager& manager, bool force);

}  // namespace apiserver
