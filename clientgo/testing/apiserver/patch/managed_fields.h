// SPDX-License-Identifier: Apache-2.0
// metadata.managedFields: which manager owns which field, and server-side apply.
// Mirrors k8s.io/apimachinery/pkg/util/managedfields and sigs.k8s.io/structured-merge-diff.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
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

// VersionedObject is an object in one version of its kind. `type_error` is not empty if the version
// does not declare all its fields, or if the kind does not have the version any more.
struct VersionedObject {
  std::unique_ptr<runtime::JsonDocument> object = {};
  MergeType type = {};
  std::string type_error = {};
};

// InVersion returns an object in the version of a manager, or an error while the conversion is
// pending. If it is empty, all versions of the kind are alike.
using InVersion = std::function<Result<VersionedObject>(const runtime::JsonValue& object,
                                                        std::string_view api_version)>;

// Records in `after` the fields that the manager changed by a create, update or patch, and returns
// the difference. For a create `before` has no members. `request` is an entry without operation and
// fields. The fields of a manager that uses another version are compared in that version. If the
// object has a type_error in that version, `after` has no managers. Kubernetes 1.37 keeps them. The
// error is that of `in_version`.
Result<Comparison> TrackUpdate(const runtime::JsonValue& before, runtime::JsonDocument& after,
                               ManagedFieldsEntry request, const InVersion& in_version = {});

// Records the fields of an object without managers as those of "before-first-apply". `owned` is the
// object without the fields that the request cannot change, and `zero` the zero value of its kind.
// `request` is as for TrackUpdate.
void TrackBeforeFirstApply(const runtime::JsonValue& zero, const runtime::JsonValue& owned,
                           ManagedFieldsEntry request, runtime::JsonDocument& live);

// Returns the live object with the configuration merged into it, without the fields that the
// manager no longer applies, and with new managedFields. Without `force`, returns a conflict when
// another manager owns a changed field, and an error when the object does not have the type of a
// manager's version. `request` and `in_version` are as for TrackUpdate.
// REQUIRES: CheckApplied accepts the configuration.
Result<std::unique_ptr<runtime::JsonDocument>> Apply(const runtime::JsonValue& live,
                                                     const runtime::JsonValue& configuration,
                                                     const ManagedFieldsEntry& request, bool force,
                                                     const InVersion& in_version = {});

}  // namespace capstan::testing::apiserver
