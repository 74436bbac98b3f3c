// SPDX-License-Identifier: Apache-2.0
// Registry implements the writing verbs, from a request body to the storage. Creates and updates
// take the steps that write_path.cc lists. It does not depend on HTTP. A write whose admission is
// pending has no effect; its result is an error without a meaning. Mirrors
// k8s.io/apiserver/pkg/registry/generic/registry.Store.
#pragma once

#include <memory>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "clientgo/testing/apiserver/admission/admission.h"
#include "clientgo/testing/apiserver/storage/storage.h"
#include "clientgo/testing/apiserver/types/json_edit.h"
#include "clientgo/testing/apiserver/types/status.h"

namespace capstan::testing::apiserver {

struct WriteRequest {
  const Resource* resource = nullptr;
  std::string namespace_ = {};
  std::string name = {};         // empty for a create
  std::string subresource = {};  // "status", "scale", "binding" or "finalize"
  std::string field_manager = {};
  bool force = false;
  bool dry_run = false;
  bool strict = false;             // fieldValidation=Strict: a duplicate field is an error
  bool in_process = false;         // a create may set the status
  bool of_collection = false;      // of a deletecollection: webhooks get no name
  Admission* admission = nullptr;  // null: no webhook is called
};

struct Written {
  ObjectPtr object;
  bool created = false;  // after Delete: finalizers keep the object
  std::vector<std::string> warnings = {};
};

enum class PatchKind { kJson, kMerge, kStrategic, kApply };

struct DeleteOptions {
  std::string uid = {};               // precondition
  std::string resource_version = {};  // precondition
  std::string propagation = {};       // "Foreground", "Background", "Orphan"; empty: default
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
  // Returns null if there is no such object.
  std::unique_ptr<runtime::JsonDocument> Live(const WriteRequest& request) const;
  Result<Written> ApplyPatch(const WriteRequest& request, std::string_view body);
  // The same in each attempt of the request.
  NewObjectFields NewFields(const WriteRequest& request);
  std::string NewUid();
  std::string RandomSuffix();

  Storage& storage_;
  std::mt19937_64 random_{std::random_device{}()};
};

}  // namespace capstan::testing::apiserver
