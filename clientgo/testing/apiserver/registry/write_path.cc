// SPDX-License-Identifier: Apache-2.0
#include "clientgo/testing/apiserver/registry/write_path.h"

#include <algorithm>
#include <utility>

#include "clientgo/testing/apiserver/decoding/decoding.h"
#include "clientgo/testing/apiserver/types/built_in.h"
#include "clientgo/testing/apiserver/types/schema.h"
#include "clientgo/testing/apiserver/validation/validation.h"

namespace capstan::testing::apiserver {
namespace {

using Rejection = std::optional<Status>;

bool ChangesSpec(const Resource& resource, const Comparison& difference) {
  // Without the subresource, the status of a custom kind is a field like others.
  const bool counts_status = resource.custom && !resource.status;
  const auto beyond = [&](const FieldSet& set) {
    return std::any_of(set.children.begin(), set.children.end(), [&](const auto& child) {
      return child.first != "f:metadata" && (child.first != "f:status" || counts_status);
    });
  };
  return beyond(difference.changed) || beyond(difference.removed);
}

bool SameOwners(const runtime::JsonValue& a, const runtime::JsonValue& b) {
  const auto same = [](const ManagedFieldsEntry& left, const ManagedFieldsEntry& right) {
    return left.SameOwner(right) && left.fields == right.fields;
  };
  const auto left = ReadManagedFields(a);
  const auto right = ReadManagedFields(b);
  return std::equal(left.begin(), left.end(), right.begin(), right.end(), same);
}

AdmissionAttributes AttributesOf(const Write& write) {
  const bool create = write.live == nullptr;
  auto attributes = AttributesOf(write.request, create ? "CREATE" : "UPDATE", write.name);
  attributes.old_object = write.live.get();
  return attributes;
}

Rejection CheckNamespace(const Write& write) {
  const std::string_view ns = Metadata(*write.next, "namespace");
  if (ns.empty() || ns == write.request.namespace_) return std::nullopt;
  return BadRequest(
      "the namespace of the provided object does not match the namespace sent on the request");
}

// Returns why nothing can be created in the namespace of the request.
Rejection CheckLifecycle(const Write& write) {
  const Resource& namespaces = Resources().front();
  const std::string& ns = write.request.namespace_;
  const ObjectPtr found = write.storage.Get(namespaces, ns);
  if (found == nullptr) return NotFound(namespaces, ns);
  const bool maybe = found->metadata().find("\"deletionTimestamp\"") != std::string_view::npos;
  if (!maybe || Metadata(*ParseObject(*found), "deletionTimestamp").empty()) return std::nullopt;
  std::string_view name = Metadata(*write.next, "name");
  if (name.empty()) name = Metadata(*write.next, "generateName");
  return NamespaceTerminating(*write.request.resource, name.empty() ? "Unknown" : name, ns);
}

// Returns why `next` is not a version of `live`.
Rejection CheckIdentity(const Write& write) {
  const WriteRequest& request = write.request;
  const Resource& resource = *request.resource;
  const runtime::JsonDocument& next = *write.next;
  if (const auto why = FindTypeError(resource, next)) {
    return InvalidPatch(runtime::ToJson(WithoutSecretData(resource, next)), *why);
  }
  if (auto rejection = CheckNamespace(write)) return rejection;
  const std::string_view name = Metadata(next, "name");
  if (name != request.name) return WrongName(name, request.name);
  const std::string_view version = Metadata(next, "resourceVersion");
  if (version.find_first_not_of("0123456789") != std::string_view::npos) {
    return InternalError("strconv.ParseUint: parsing \"" + std::string(version) +
                         "\": invalid syntax");
  }
  if (!version.empty() && version != Metadata(*write.live, "resourceVersion")) {
    return Conflict(resource, request.name,
                    "the object has been modified; please apply your changes to the latest "
                    "version and try again");
  }
  const std::string_view uid = Metadata(next, "uid");
  const std::string_view live_uid = Metadata(*write.live, "uid");
  // For a patch, validation reports a changed uid.
  if (uid.empty() || uid == live_uid || write.origin != Write::Origin::kObject) return std::nullopt;
  return Conflict(
      resource, request.name,
      "StorageError: invalid object, Code: 4, Key: /registry/" + std::string(resource.plural) +
          "/" + Key(request.namespace_, request.name) +
          ", ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: UID in precondition: " +
          std::string(uid) + ", UID in object meta: " + std::string(live_uid));
}

void Complete(Write& write) {
  Normalise(*write.request.resource, *write.next);
  ApplyDefaults(*write.request.resource, *write.next);
}

// Adds the request to the managedFields. What a webhook changes later has no manager.
void Track(Write& write) {
  if (std::exchange(write.tracked, true)) return;
  runtime::JsonDocument zero;
  if (write.live == nullptr) {
    Remove(*FindMutable(*write.next, "metadata"), "managedFields");
    const std::string_view json = ZeroJson(*write.request.resource);
    zero.Parse(json.data(), json.size());
  }
  const runtime::JsonDocument& before = write.live == nullptr ? zero : *write.live;
  write.difference = TrackUpdate(before, *write.next, NewEntry(write.request));
}

// Removes what a create cannot set.
Rejection PrepareCreate(Write& write) {
  runtime::JsonDocument& next = *write.next;
  const Resource& resource = *write.request.resource;
  if (auto rejection = CheckNamespace(write)) return rejection;
  const std::string_view version = Metadata(next, "resourceVersion");
  if (!version.empty() && version != "0") {
    return InternalError("resourceVersion should not be set on objects to be created");
  }
  if (resource.namespaced) {
    if (auto rejection = CheckLifecycle(write)) return rejection;
  }
  SetMetadata(next, "namespace", write.request.namespace_);
  if (resource.status && !write.request.in_process) Remove(next, "status");
  for (const char* const key : {"uid", "creationTimestamp", "deletionTimestamp"}) {
    SetMetadata(next, key, "");
  }
  write.name = Metadata(next, "name");
  return std::nullopt;
}

// Takes the fields of `next` that the request may change. The others are those of `live`.
Rejection PrepareUpdate(Write& write) {
  if (auto rejection = CheckIdentity(write)) return rejection;
  const Resource& resource = *write.request.resource;
  const std::string& subresource = write.request.subresource;
  const runtime::JsonDocument& live = *write.live;
  // A field with a default that the request omits is not a change (a Secret's type).
  Complete(write);
  const bool spec = subresource.empty() || subresource == "scale";
  auto causes = ValidateUpdate(resource, live, *write.next, spec);
  if (!causes.empty()) return Invalid(resource, write.name, std::move(causes));
  for (const char* const key : {"uid", "namespace", "creationTimestamp", "generation",
                                "deletionTimestamp", "deletionGracePeriodSeconds"}) {
    KeepMetadata(live, *write.next, key);
  }
  if (IsNamespace(resource) && subresource != "finalize") KeepMember(live, *write.next, "spec");
  if (subresource == "status") {
    // Only the status and its managers come from the request; for the core kinds also metadata.
    auto whole = std::make_unique<runtime::JsonDocument>();
    whole->CopyFrom(live, whole->GetAllocator());
    KeepMember(*write.next, *whole, "status");
    if (resource.group.empty()) {
      KeepMember(*write.next, *whole, "metadata");
    } else if (write.tracked) {
      KeepMetadata(*write.next, *whole, "managedFields");
    }
    write.next = std::move(whole);
  } else if (resource.status && subresource != "binding") {
    KeepMember(live, *write.next, "status");
  }
  return std::nullopt;
}

Rejection Prepare(Write& write) {
  return write.live == nullptr ? PrepareCreate(write) : PrepareUpdate(write);
}

// Lets the mutating webhooks change the object.
Rejection Mutate(Write& write) {
  Admission* const admission = write.request.admission;
  if (admission == nullptr) return std::nullopt;
  runtime::JsonDocument& next = *write.next;
  const Resource& resource = *write.request.resource;
  // Webhooks get objects with a kind.
  SetString(next, "kind", resource.kind, next.GetAllocator());
  SetString(next, "apiVersion", resource.ApiVersion(), next.GetAllocator());
  if (write.live == nullptr) Complete(write);
  Track(write);
  const auto mutated = admission->Mutate(AttributesOf(write), &next);
  if (!mutated) return mutated.error();
  if (write.live != nullptr) return *mutated ? PrepareUpdate(write) : std::nullopt;
  if (resource.status) Remove(next, "status");
  SetMetadata(next, "deletionTimestamp", "");
  return CheckNamespace(write);
}

Rejection Name(Write& write) {
  constexpr std::size_t kPrefixMax = 58;  // a label has 63 characters
  const std::string prefix(Metadata(*write.next, "generateName"));
  if (Metadata(*write.next, "name").empty() && !prefix.empty()) {
    SetMetadata(*write.next, "name", prefix.substr(0, kPrefixMax) + write.fields.name_suffix);
  }
  write.name = Metadata(*write.next, "name");
  return std::nullopt;
}

Rejection CheckFields(Write& write) {
  const Resource& resource = *write.request.resource;
  Complete(write);
  auto causes = Validate(resource, *write.next, write.live == nullptr);
  if (resource.schema != nullptr) {
    auto more = resource.schema->Validate(*write.next, write.request.subresource == "status");
    causes.insert(causes.end(), more.begin(), more.end());
  }
  if (causes.empty()) return std::nullopt;
  return Invalid(resource, write.name, std::move(causes));
}

// Sets what the server alone sets: the identity, the generation and the managedFields.
Rejection Stamp(Write& write) {
  runtime::JsonDocument& next = *write.next;
  const Resource& resource = *write.request.resource;
  if (write.live == nullptr) {
    SetMetadata(next, "uid", write.fields.uid);
    SetMetadata(next, "creationTimestamp", write.fields.time);
    if (resource.generation) SetGeneration(next, 1);
    Track(write);
    return std::nullopt;
  }
  if (write.tracked) write.difference = Compare(*write.live, next, MergeType(resource));
  Track(write);
  if (resource.generation && ChangesSpec(resource, write.difference)) {
    SetGeneration(next, Generation(*write.live) + 1);
  }
  return std::nullopt;
}

// Lets the validating webhooks reject the object.
Rejection Admit(Write& write) {
  if (write.request.admission == nullptr) return std::nullopt;
  AdmissionAttributes attributes = AttributesOf(write);
  attributes.object = write.next.get();
  auto valid = write.request.admission->Validate(attributes);
  return valid ? std::nullopt : Rejection(std::move(valid.error()));
}

Rejection Store(Write& write) {
  Storage& storage = write.storage;
  runtime::JsonDocument& next = *write.next;
  const Resource& resource = *write.request.resource;
  const std::string key = Key(write.request.namespace_, write.name);
  const ObjectPtr current = storage.Get(resource, key);
  if (write.live == nullptr) {
    if (current != nullptr) return AlreadyExists(resource, write.name);
    if (resource.prepare_for_create != nullptr) resource.prepare_for_create(next);
  } else if (write.difference.empty() && SameOwners(*write.live, next)) {
    write.stored = current;
    return std::nullopt;
  }
  if (write.request.dry_run) {
    write.stored = MakeObject(resource, next, current == nullptr ? 0 : current->resource_version);
    return std::nullopt;
  }
  const bool last_finalizer = !Metadata(next, "deletionTimestamp").empty() &&
                              !HasFinalizers(next) && !HasSpecFinalizers(resource, next);
  write.stored = MakeObject(resource, next, storage.NextVersion());
  storage.Write(resource, key, write.stored, last_finalizer);
  return std::nullopt;
}

// The path. A step returns why it rejects the write.
constexpr Rejection (*kSteps[])(Write& write) = {Prepare, Mutate, Name, CheckFields,
                                                 Stamp,   Admit,  Store};

constexpr std::string_view kHidden = "<secret contents redacted>";

void Hide(runtime::JsonValue& value) {
  if (!value.IsNull()) value.SetString(rapidjson::StringRef(kHidden.data(), kHidden.size()));
}

}  // namespace

Result<Written> Run(Write write) {
  for (const auto step : kSteps) {
    if (auto rejection = step(write)) return tl::unexpected(*std::move(rejection));
  }
  return Written{.object = std::move(write.stored),
                 .created = write.live == nullptr,
                 .warnings = std::move(write.warnings)};
}

ManagedFieldsEntry NewEntry(const WriteRequest& request) {
  return {.manager = request.field_manager,
          .api_version = request.resource->ApiVersion(),
          .subresource = request.subresource,
          .time = request.admission == nullptr ? NowText() : request.admission->fields().time,
          .type = MergeType(*request.resource)};
}

AdmissionAttributes AttributesOf(const WriteRequest& request, std::string_view operation,
                                 std::string_view name) {
  return {.operation = operation,
          .resource = request.resource,
          .subresource = request.subresource,
          .namespace_ = IsNamespace(*request.resource) ? name : request.namespace_,
          .name = name};
}

bool HasSpecFinalizers(const Resource& resource, const runtime::JsonValue& object) {
  return IsNamespace(resource) && !ListAt(ObjectAt(object, "spec"), "finalizers").Empty();
}

runtime::JsonDocument WithoutSecretData(const Resource& resource,
                                        const runtime::JsonValue& object) {
  runtime::JsonDocument shown;
  shown.CopyFrom(object, shown.GetAllocator());
  if (!resource.secret || !shown.IsObject()) return shown;
  for (const char* const key : {"data", "stringData"}) {
    runtime::JsonValue* const data = FindMutable(shown, key);
    if (data == nullptr) continue;
    if (!data->IsObject()) {
      Hide(*data);
      continue;
    }
    for (auto member = data->MemberBegin(); data->MemberEnd() - member > 0; ++member) {
      if (!runtime::ToView(member->name).starts_with('$')) Hide(member->value);  // not a directive
    }
  }
  runtime::JsonValue* const applied = FindMutablePath(
      shown, {"metadata", "annotations", "kubectl.kubernetes.io/last-applied-configuration"});
  if (applied != nullptr) Hide(*applied);
  return shown;
}

}  // namespace capstan::testing::apiserver
