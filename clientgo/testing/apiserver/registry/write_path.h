// SPDX-License-Identifier: Apache-2.0
// The path of a create or an update, from the decoded object to the storage. write_path.cc has its
// steps as one list. Mirrors Create and Update of k8s.io/apiserver/pkg/registry/generic/registry.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "clientgo/testing/apiserver/patch/managed_fields.h"
#include "clientgo/testing/apiserver/registry/registry.h"

namespace capstan::testing::apiserver {

// Write is one write on its path.
struct Write {
  // Origin is the verb that made `next`. Some error texts and managedFields depend on it.
  enum class Origin { kObject, kPatch, kApply };

  Storage& storage;
  const WriteRequest& request;
  NewObjectFields fields = {};  // of a new object
  Origin origin = Origin::kObject;
  Document live = nullptr;  // null: the object is new
  Document next = nullptr;
  std::vector<std::string> warnings = {};

  bool tracked = origin == Origin::kApply;  // `next` has its managedFields
  std::string name = request.name;
  Comparison difference = {};  // between `live` and `next`
  std::vector<std::string> advice = {};
  ObjectPtr stored = nullptr;
};

// Takes the write to the storage, or returns why it is rejected.
Result<Written> Run(Write write);

// Returns why nothing can be created in a namespace. `name`: that of the new object, which may be
// empty.
std::optional<Status> CheckLifecycle(const Storage& storage, const Resource& resource,
                                     std::string_view ns, std::string_view name);
// Returns what is the same in each attempt of a request that waits for webhooks; null: it waits for
// none.
const NewObjectFields* ChosenFields(const WriteRequest& request);
// Returns the time of the request.
std::string TimeOf(const WriteRequest& request);
// Returns the function that converts the objects of the request to other versions of their kind.
InVersion InVersionOf(const WriteRequest& request);
// Returns the entry in managedFields of the manager that makes the request.
ManagedFieldsEntry NewEntry(const WriteRequest& request);
// Returns what admission knows of the request. `request` and `name`, which is that of the object,
// must outlive the result.
AdmissionAttributes AttributesOf(const WriteRequest& request, std::string_view operation,
                                 std::string_view name);
// Returns why a configuration cannot be applied, or nullopt if it can. `error` is that of its
// parser.
std::optional<Status> CheckConfiguration(const WriteRequest& request,
                                         const runtime::JsonDocument* configuration,
                                         std::string error);
// Reports whether the spec of a Namespace delays its deletion.
bool HasSpecFinalizers(const Resource& resource, const runtime::JsonValue& object);
// Returns a copy of an object, or of a patch of one, that an error may show. Of a Secret it has the
// keys of the data, and neither the values nor the annotation in which kubectl repeats them.
// kube-apiserver repeats whole Secrets in the errors of JSON patches and merge patches.
runtime::JsonDocument WithoutSecretData(const Resource& resource, const runtime::JsonValue& object);

}  // namespace capstan::testing::apiserver
