// SPDX-License-Identifier: Apache-2.0
// Registry: the writing verbs, from a request's body to the storage: preconditions, identity,
// generation, managedFields, finalizers. Knows nothing of HTTP.
//
// One thread, no locks. Mirrors k8s.io/apiserver/pkg/registry/generic/registry.Store.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <string_view>

#include "apiserver/managed_fields.h"
#include "apiserver/object.h"
#include "apiserver/status.h"
#include "apiserver/storage.h"

namespace apiserver {

struct WriteRequest {
  const Resource* resource = nullptr;
  std::string namespace_ = {};
  std::string name = {};         // empty: create
  std::string subresource = {};  // "status"
  std::string field_manager = {};
  bool force = false;
  bool dry_run = false;
  bool in_process = false;  // a status may be given at creation
};

struct Written {
  ObjectPtr object;
  bool created = false;  // Delete: it still exists, held by finalizers
};

enum class PatchKind { kJson, kMerge, kStrategic, kApply };

struct DeleteOptions {
  std::string uid = {};               // precondition
  std::string resource_version = {};  // precondition
  std::string finalizer = {};         // that the propagation policy asks for
  bool dry_run = false;
};

class Registry {
 public:
  explicit Registry(Storage& storage) : storage_(storage) {}

  Result<Written> Create(const WriteRequest& request, std::string_view body);
  Result<Written> Update(const WriteRequest& request, std::string_view body);
  Result<Written> Patch(const WriteRequest& request, PatchKind kind, std::string_view body);
  // The object's last state; while finalizers hold it, its state with a deletionTimestamp.
  Result<Written> Delete(const WriteRequest& request, const DeleteOptions& options);

 private:
  using Document = std::unique_ptr<JsonDocument>;
  // How `next` came to be: decides on the wording of some refusals, and on managedFields.
  enum class Origin { kUpdate, kPatch, kApply };

  static Result<void> CheckNamespace(const WriteRequest& request, const JsonDocument& object);
  Result<Document> Live(const WriteRequest& request) const;
  Result<Written> CreateDocument(const WriteRequest& request, Document object, bool applied);
  Result<Written> Replace(const WriteRequest& request, const JsonDocument& live, Document next,
                          Origin origin);
  Result<Written> ApplyPatch(const WriteRequest& request, std::string_view body);
  Result<void> CheckIdentity(const WriteRequest& request, const JsonDocument& live,
                             JsonDocument& next, Origin origin) const;
  Result<void> Finish(const WriteRequest& request, JsonDocument& object) const;
  FieldManager Manager(const WriteRequest& request) const;
  std::string NewUid();
  std::string RandomSuffix();

  Storage& storage_;
  std::mt19937_64 random_{std::random_device{}()};
};

}  // namespace apiserver
