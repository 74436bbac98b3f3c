// SPDX-License-Identifier: Apache-2.0
// Registry implements the writing verbs, from a request body to the storage. Creates and updates
// take the steps that write_path.cc lists. It does not depend on HTTP. A write whose admission or
// conversion is pending has no effect; its result is an error without a meaning. Mirrors
// k8s.io/apiserver/pkg/registry/generic/registry.Store.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "clientgo/testing/apiserver/admission/admission.h"
#include "clientgo/testing/apiserver/admission/conversion.h"
#include "clientgo/testing/apiserver/storage/storage.h"
#include "clientgo/testing/apiserver/types/json_edit.h"
#include "clientgo/testing/apiserver/types/status.h"

namespace capstan::testing::apiserver {

class EscalationCheck;

struct WriteRequest {
  const Resource* resource = nullptr;
  std::string namespace_ = {};
  std::string name = {};         // empty for a create
  std::string subresource = {};  // "status", "scale", "binding" or "finalize"
  std::string field_manager = {};
  bool force = false;
  bool dry_run = false;
  bool strict = false;                    // fieldValidation=Strict: a duplicate field is an error
  std::vector<std::string> repeats = {};  // the repeated keys of a YAML body, in Go's words
  bool tracked = false;                   // the patch of a Scale, which has the new managedFields
  bool in_process = false;                // a create may set the status
  bool of_collection = false;             // of a deletecollection: webhooks get no name
  const UserInfo* user = nullptr;         // null: the server itself
  Admission* admission = nullptr;         // null: no webhook is called
  const EscalationCheck* escalation = nullptr;  // null: the user may write roles and bindings
  // Null: the kind needs no conversion webhook, or the write is in the process. Such a write stores
  // the object in the version of the request.
  Conversions* conversions = nullptr;
};

struct Written {
  ObjectPtr object;
  bool created = false;                    // after Delete: finalizers keep the object
  std::vector<std::string> warnings = {};  // about fields; fieldValidation=Ignore drops them
  std::vector<std::string> advice = {};    // warnings that every request gets
};

enum class PatchKind { kJson, kMerge, kStrategic, kApply };

struct DeleteOptions {
  std::string uid = {};               // precondition
  std::string resource_version = {};  // precondition
  std::string propagation = {};       // "Foreground", "Background", "Orphan"; empty: default
  std::optional<std::int64_t> grace_period = {};  // in seconds; only Pods have one
  bool dry_run = false;
};

class Registry {
 public:
  explicit Registry(Storage& storage) : storage_(storage) {}

  Result<Written> Create(const WriteRequest& request, std::string_view body);
  Result<Written> Update(const WriteRequest& request, std::string_view body);
  Result<Written> Patch(const WriteRequest& request, PatchKind kind, std::string_view body);
  // Returns the last state of the object, with a deletionTimestamp while finalizers keep it.
  Result<Written> Delete(const WriteRequest& request, const DeleteOptions& options);
  NewObjectFields NewFields();

 private:
  // Returns the object in the version of the request, or null if there is no such object.
  Result<Document> Live(const WriteRequest& request) const;
  Result<Written> ApplyPatch(const WriteRequest& request, std::string_view body);
  // The same in each attempt of the request.
  NewObjectFields NewFields(const WriteRequest& request);
  std::string NewUid();
  std::string RandomSuffix();

  Storage& storage_;
  std::mt19937_64 random_{std::random_device{}()};
};

}  // namespace capstan::testing::apiserver
