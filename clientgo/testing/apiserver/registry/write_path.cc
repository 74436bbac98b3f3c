// SPDX-License-Identifier: Apache-2.0
#include "clientgo/testing/apiserver/registry/write_path.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <iterator>
#include <utility>

#include "clientgo/testing/apiserver/admission/plugins.h"
#include "clientgo/testing/apiserver/authorization/escalation.h"
#include "clientgo/testing/apiserver/decoding/decoding.h"
#include "clientgo/testing/apiserver/decoding/disabled_fields.h"
#include "clientgo/testing/apiserver/registry/definition_names.h"
#include "clientgo/testing/apiserver/registry/pod_subresources.h"
#include "clientgo/testing/apiserver/registry/quota_status.h"
#include "clientgo/testing/apiserver/types/built_in.h"
#include "clientgo/testing/apiserver/types/kind_versions.h"
#include "clientgo/testing/apiserver/types/schema.h"
#include "clientgo/testing/apiserver/validation/custom_validation.h"
#include "clientgo/testing/apiserver/validation/definition_schemas.h"
#include "clientgo/testing/apiserver/validation/metadata_validation.h"
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

// Reports whether two versions of an object have equal managedFields, except for their times.
bool SameOwners(const runtime::JsonValue& a, const runtime::JsonValue& b) {
  const auto same = [](const ManagedFieldsEntry& left, const ManagedFieldsEntry& right) {
    return left.SameOwner(right) && left.api_version == right.api_version &&
           left.fields == right.fields;
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

bool IsDefinition(const Resource& resource) { return resource.kind == "CustomResourceDefinition"; }

// Returns the kind that errors of the validation name: Events have one type in Go, which is that of
// the core group.
const Resource& StoredKind(const Resource& resource) {
  return resource.group == "events.k8s.io" ? *resource.twin() : resource;
}

// The namespace of a cluster-scoped object is cleared later.
Rejection CheckNamespace(const Write& write) {
  if (!write.request.resource->namespaced) return std::nullopt;
  const std::string_view ns = Metadata(*write.next, "namespace");
  if (ns.empty() || ns == write.request.namespace_) return std::nullopt;
  return BadRequest(
      "the namespace of the provided object does not match the namespace sent on the request");
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
  if (name.empty()) return NoName(request.name);
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
Rejection Track(Write& write) {
  if (std::exchange(write.tracked, true)) return std::nullopt;
  runtime::JsonDocument zero;
  if (write.live == nullptr) {
    Remove(*FindMutable(*write.next, "metadata"), "managedFields");
    zero = ZeroObject(*write.request.resource);
  }
  const runtime::JsonDocument& before = write.live == nullptr ? zero : *write.live;
  auto difference =
      TrackUpdate(before, *write.next, NewEntry(write.request), InVersionOf(write.request));
  if (!difference) return std::move(difference.error());
  write.difference = *std::move(difference);
  return std::nullopt;
}

// Reports whether the server ignores the status of a new object.
bool DropsStatus(const Write& write) {
  const Resource& resource = *write.request.resource;
  return resource.status && !resource.status_on_create && !write.request.in_process;
}

// Removes what a create cannot set.
Rejection PrepareCreate(Write& write) {
  runtime::JsonDocument& next = *write.next;
  const Resource& resource = *write.request.resource;
  if (auto rejection = CheckNamespace(write)) return rejection;
  if (resource.namespaced) {
    const std::string_view name = Metadata(next, "name");
    if (auto rejection = CheckLifecycle(write.storage, resource, write.request.namespace_,
                                        name.empty() ? Metadata(next, "generateName") : name)) {
      return rejection;
    }
  }
  SetMetadata(next, "namespace", write.request.namespace_);
  if (DropsStatus(write)) Remove(next, "status");
  for (const char* const key : {"uid", "creationTimestamp", "deletionTimestamp",
                                "deletionGracePeriodSeconds", "selfLink"}) {
    SetMetadata(next, key, "");
  }
  write.name = Metadata(next, "name");
  return std::nullopt;
}

PluginRequest PluginRequestOf(const Write& write) {
  return {.storage = write.storage,
          .resource = *write.request.resource,
          .subresource = write.request.subresource,
          .namespace_ = write.request.namespace_,
          .live = write.live.get(),
          .user = write.request.user,
          .in_process = write.request.in_process,
          .dry_run = write.request.dry_run};
}

// Takes the fields of `next` that the request may change. The others are those of `live`.
Rejection PrepareUpdate(Write& write) {
  if (auto rejection = CheckIdentity(write)) return rejection;
  const Resource& resource = *write.request.resource;
  const std::string& subresource = write.request.subresource;
  const runtime::JsonDocument& live = *write.live;
  // A field with a default that the request omits is not a change (a Secret's type).
  Complete(write);
  DropDisabledFields(FindMessage(resource), *write.next);
  if (auto rejection = RunMutatingPlugins(PluginRequestOf(write), *write.next)) return rejection;
  if (auto rejection = BeginWrite(PluginRequestOf(write), *write.next)) return rejection;
  auto causes = ValidateUpdate(resource, live, *write.next, subresource);
  if (!causes.empty()) return Invalid(StoredKind(resource), write.name, std::move(causes));
  for (const char* const key : {"uid", "namespace", "creationTimestamp", "generation",
                                "deletionTimestamp", "deletionGracePeriodSeconds"}) {
    KeepMetadata(live, *write.next, key);
  }
  if (IsNamespace(resource) && subresource != "finalize") KeepMember(live, *write.next, "spec");
  if (subresource == "approval") {
    // Only the conditions, and the metadata.
    const Json conditions = ListAt(ObjectAt(*write.next, "status"), "conditions");
    KeepMember(live, *write.next, "spec");
    KeepMember(live, *write.next, "status");
    runtime::JsonValue& status = Ensure(*write.next, "status", write.next->GetAllocator());
    SetJson(status, "conditions", conditions, write.next->GetAllocator());
  } else if (subresource == "status") {
    // Only the status, its managers, and the metadata that the kind keeps come from the request.
    auto whole = std::make_unique<runtime::JsonDocument>();
    whole->CopyFrom(live, whole->GetAllocator());
    KeepMember(*write.next, *whole, "status");
    const std::string_view ignored =
        resource.status_updates_metadata ? std::string_view() : resource.status_ignores;
    if (ignored != "*") {
      KeepMember(*write.next, *whole, "metadata");
      if (!ignored.empty()) KeepMetadata(live, *whole, ignored);
    } else if (write.tracked) {
      KeepMetadata(*write.next, *whole, "managedFields");
    }
    write.next = std::move(whole);
  } else if (IsPodSubresource(resource, subresource)) {
    auto pod = TakeFromPod(live, *write.next, subresource);
    if (!pod) return std::move(pod.error());
    if (write.tracked) KeepMetadata(*write.next, **pod, "managedFields");
    write.next = *std::move(pod);
  } else if (resource.status && subresource != "binding") {
    KeepMember(live, *write.next, "status");
  }
  if (resource.prepare_for_update != nullptr) resource.prepare_for_update(live, *write.next);
  if (IsDefinition(resource) && subresource.empty()) {
    AcceptNames(write.storage, &live, *write.next);
  }
  return std::nullopt;
}

void Advise(Write& write, std::vector<std::string> advice) {
  std::move(advice.begin(), advice.end(), std::back_inserter(write.advice));
}

Rejection Prepare(Write& write) {
  // kube-apiserver reads a patch only after it has changed the object.
  if (write.origin == Write::Origin::kObject) Advise(write, DropRepeatedOwners(*write.next, ""));
  return write.live == nullptr ? PrepareCreate(write) : PrepareUpdate(write);
}

// Lets the plugins and the mutating webhooks change the object.
Rejection Mutate(Write& write) {
  Admission* const admission = write.request.admission;
  runtime::JsonDocument& next = *write.next;
  const Resource& resource = *write.request.resource;
  if (write.live == nullptr) {
    Complete(write);
    if (auto rejection = Track(write)) return rejection;
    if (auto rejection = RunMutatingPlugins(PluginRequestOf(write), next)) return rejection;
  }
  if (admission == nullptr) return std::nullopt;
  // Webhooks get objects with a kind.
  SetString(next, "kind", resource.kind, next.GetAllocator());
  SetString(next, "apiVersion", resource.ApiVersion(), next.GetAllocator());
  if (auto rejection = Track(write)) return rejection;
  const auto mutated = admission->Mutate(AttributesOf(write), &next);
  if (!mutated) return mutated.error();
  if (write.live != nullptr) return *mutated ? PrepareUpdate(write) : std::nullopt;
  if (DropsStatus(write)) Remove(next, "status");
  for (const char* const key : {"deletionTimestamp", "deletionGracePeriodSeconds"}) {
    SetMetadata(next, key, "");
  }
  return CheckNamespace(write);
}

// Rejects a role or binding that grants more than the user has.
Rejection CheckEscalation(Write& write) {
  const WriteRequest& request = write.request;
  if (request.escalation == nullptr) return std::nullopt;
  return request.escalation->Check(*request.resource, request.namespace_, write.live.get(),
                                   *write.next);
}

Rejection TakeMutated(Write& write) {
  Advise(write, DropRepeatedOwners(*write.next, " after mutating admission happens"));
  return std::nullopt;
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

// Checks the rules in the schema of a custom resource.
void CheckValidationRules(Write& write, std::vector<Cause>& causes) {
  RuleReport report =
      write.request.resource->schema->CheckRules(*write.next, write.live.get(), causes);
  causes.insert(causes.end(), report.causes.begin(), report.causes.end());
  for (std::string& warning : report.warnings) write.warnings.push_back(std::move(warning));
}

// Checks a custom resource in the order of kube-apiserver.
void CheckSchema(Write& write, std::vector<Cause>& causes) {
  const Schema& schema = *write.request.resource->schema;
  const bool status_only = write.request.subresource == "status";
  const auto add = [&](const std::vector<Cause>& more) {
    causes.insert(causes.end(), more.begin(), more.end());
  };
  add(schema.Validate(*write.next, write.live.get(), status_only));
  add(ValidateScale(*write.request.resource, *write.next, status_only));
  if (!status_only) add(ValidateEmbedded(schema.json(), *write.next));
  add(schema.ValidateLists(*write.next, write.live.get()));
  CheckValidationRules(write, causes);
}

// Sets what the server alone sets in a new object, before it is validated.
Rejection Identify(Write& write) {
  if (write.live != nullptr) return std::nullopt;
  runtime::JsonDocument& next = *write.next;
  const Resource& resource = *write.request.resource;
  if (auto rejection = BeginWrite(PluginRequestOf(write), next)) return rejection;
  if (!resource.namespaced) SetMetadata(next, "namespace", "");
  SetMetadata(next, "uid", write.fields.uid);
  SetMetadata(next, "creationTimestamp", write.fields.time);
  if (resource.generation) SetGeneration(next, 1);
  DropDisabledFields(FindMessage(resource), next);
  if (resource.prepare_for_create != nullptr) resource.prepare_for_create(next);
  if (IsDefinition(resource)) AcceptNames(write.storage, nullptr, next);
  return std::nullopt;
}

Rejection CheckFields(Write& write) {
  const Resource& resource = *write.request.resource;
  Complete(write);
  auto causes = Validate(resource, *write.next, write.live == nullptr);
  if (resource.schema != nullptr) CheckSchema(write, causes);
  if (!causes.empty()) return Invalid(StoredKind(resource), write.name, std::move(causes));
  if (resource.warnings != nullptr && write.request.subresource.empty()) {
    static const runtime::JsonDocument none;
    const runtime::JsonValue& live = write.live == nullptr ? none : *write.live;
    Advise(write, resource.warnings({live, ""}, {*write.next, ""}));
  }
  if (resource.custom) Advise(write, FinalizerWarnings(write.live.get(), *write.next));
  if (IsDefinition(resource) && write.request.subresource.empty()) {
    Advise(write, FormatWarnings(write.live.get(), *write.next));
  }
  return std::nullopt;
}

// Sets the generation and the managedFields of an update.
Rejection Stamp(Write& write) {
  runtime::JsonDocument& next = *write.next;
  const Resource& resource = *write.request.resource;
  if (write.live == nullptr) return std::nullopt;
  if (write.tracked) write.difference = Compare(*write.live, next, MergeType(resource));
  if (auto rejection = Track(write)) return rejection;
  if (resource.generation && ChangesSpec(resource, write.difference)) {
    SetGeneration(next, Generation(*write.live) + 1);
  }
  return std::nullopt;
}

// Lets the validating webhooks, the plugins and the quotas reject the object.
Rejection Admit(Write& write) {
  if (write.request.admission != nullptr) {
    AdmissionAttributes attributes = AttributesOf(write);
    attributes.object = write.next.get();
    auto valid = write.request.admission->Validate(attributes);
    if (!valid) return std::move(valid.error());
  }
  const PluginRequest request = PluginRequestOf(write);
  if (auto rejection = RunValidatingPlugins(request, *write.next)) return rejection;
  Registry registry(write.storage);
  return ChargeQuotas(registry, request, *write.next, write.request.dry_run);
}

// Returns why the storage does not accept the resourceVersion of a new object. It ignores a text
// that is no number.
Rejection CheckNewVersion(std::string_view text) {
  std::uint64_t version = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, version);
  if (error != std::errc() || stop != end || version == 0) return std::nullopt;
  return InternalError("resourceVersion should not be set on objects to be created");
}

// Reports whether the object waits for the end of its grace period.
bool HasGracePeriod(const runtime::JsonValue& object) {
  const runtime::JsonValue* const period =
      runtime::FindPath(object, {"metadata", "deletionGracePeriodSeconds"});
  return period != nullptr && period->IsInt64() && period->GetInt64() > 0;
}

// Returns the version in which the write stores its object.
const Resource& StorageVersion(const WriteRequest& request) {
  const KindVersions* const versions = request.resource->versions;
  if (versions == nullptr || (request.in_process && versions->webhook)) return *request.resource;
  const Resource* const storage = VersionOf(*request.resource, versions->stored.ApiVersion());
  return storage == nullptr ? *request.resource : *storage;
}

// Kept is an object as it is stored, and as the response shows it if that is another version.
struct Kept {
  Document stored;
  Document shown;
};

// Returns the new object in the version in which it is stored.
Result<Kept> Encode(const Write& write, const Resource& version) {
  const Resource& resource = *write.request.resource;
  Conversions* const conversions = write.request.conversions;
  const auto copy = [](const runtime::JsonDocument& object) {
    auto copied = std::make_unique<runtime::JsonDocument>();
    copied->CopyFrom(object, copied->GetAllocator());
    return copied;
  };
  Document next = copy(*write.next);
  SetString(*next, "kind", resource.kind, next->GetAllocator());
  SetString(*next, "apiVersion", resource.ApiVersion(), next->GetAllocator());
  auto stored = ConvertTo(version, std::move(next), conversions);
  if (!stored) return tl::unexpected(std::move(stored.error()));
  ApplyDefaults(version, **stored);
  auto shown = ConvertTo(resource, copy(**stored), conversions);
  if (!shown) return tl::unexpected(std::move(shown.error()));
  return Kept{.stored = *std::move(stored), .shown = *std::move(shown)};
}

Rejection Store(Write& write) {
  Storage& storage = write.storage;
  runtime::JsonDocument& next = *write.next;
  const Resource& resource = *write.request.resource;
  const std::string key = Key(write.request.namespace_, write.name);
  const ObjectPtr current = storage.Get(resource, key);
  const Resource& version = StorageVersion(write.request);
  if (write.live == nullptr) {
    if (!write.request.dry_run) {
      if (auto rejection = CheckNewVersion(Metadata(next, "resourceVersion"))) return rejection;
    }
    if (current != nullptr) return AlreadyExists(resource, write.name);
  } else if (write.difference.empty() && SameOwners(*write.live, next) &&
             ApiVersionOf(*current) == version.ApiVersion()) {
    write.stored = IsShownAs(resource, *current)
                       ? current
                       : MakeObject(resource, *write.live, current->resource_version);
    return std::nullopt;
  }
  Kept kept;
  if (&version != &resource) {
    auto encoded = Encode(write, version);
    if (!encoded) return std::move(encoded.error());
    kept = *std::move(encoded);
  }
  runtime::JsonDocument& shown = kept.shown == nullptr ? next : *kept.shown;
  if (write.request.dry_run) {
    write.stored = MakeObject(resource, shown, current == nullptr ? 0 : current->resource_version);
    return std::nullopt;
  }
  const bool last_finalizer = !Metadata(next, "deletionTimestamp").empty() &&
                              !HasGracePeriod(next) && !HasFinalizers(next) &&
                              !HasSpecFinalizers(resource, next);
  write.stored = MakeObject(resource, shown, storage.NextVersion());
  ObjectPtr object = write.stored;
  if (kept.stored != nullptr) object = MakeObject(version, *kept.stored, storage.NextVersion());
  storage.Write(resource, key, std::move(object), last_finalizer);
  return std::nullopt;
}

// The path. A step returns why it rejects the write.
constexpr Rejection (*kSteps[])(Write& write) = {Prepare, Mutate,   TakeMutated, CheckEscalation,
                                                 Name,    Identify, CheckFields, Stamp,
                                                 Admit,   Store};

constexpr std::string_view kHidden = "<secret contents redacted>";

void Hide(runtime::JsonValue& value) {
  if (!value.IsNull()) value.SetString(rapidjson::StringRef(kHidden.data(), kHidden.size()));
}

}  // namespace

Result<Written> Run(Write write) {
  for (const auto step : kSteps) {
    if (auto rejection = step(write)) {
      rejection->warnings = std::move(write.warnings);
      return tl::unexpected(*std::move(rejection));
    }
  }
  return Written{.object = std::move(write.stored),
                 .created = write.live == nullptr,
                 .warnings = std::move(write.warnings),
                 .advice = std::move(write.advice)};
}

std::optional<Status> CheckLifecycle(const Storage& storage, const Resource& resource,
                                     std::string_view ns, std::string_view name) {
  const Resource& namespaces = Resources().front();
  const ObjectPtr found = storage.Get(namespaces, ns);
  if (found == nullptr) return NotFound(namespaces, ns);
  const bool maybe = found->metadata().find("\"deletionTimestamp\"") != std::string_view::npos;
  if (!maybe || Metadata(*ParseObject(*found), "deletionTimestamp").empty()) return std::nullopt;
  return NamespaceTerminating(resource, name.empty() ? "Unknown" : name, ns);
}

const NewObjectFields* ChosenFields(const WriteRequest& request) {
  if (request.admission != nullptr) return &request.admission->fields();
  return request.conversions == nullptr ? nullptr : &request.conversions->fields();
}

std::string TimeOf(const WriteRequest& request) {
  const NewObjectFields* const chosen = ChosenFields(request);
  return chosen == nullptr ? NowText() : chosen->time;
}

InVersion InVersionOf(const WriteRequest& request) {
  if (!request.resource->custom) return {};
  return [&request](const runtime::JsonValue& object,
                    std::string_view api_version) -> Result<VersionedObject> {
    const Resource* const version = VersionOf(*request.resource, api_version);
    if (version == nullptr) {
      return VersionedObject{.type_error = "request to convert CR to an invalid group/version: " +
                                           std::string(api_version)};
    }
    auto copy = std::make_unique<runtime::JsonDocument>();
    copy->CopyFrom(object, copy->GetAllocator());
    if (copy->IsObject() && copy->MemberCount() == 0) {  // there was no object
      return VersionedObject{.object = std::move(copy), .type = MergeType(*version)};
    }
    auto converted = ConvertTo(*version, std::move(copy), request.conversions, Undeclared::kKept);
    if (!converted) {
      const bool pending = request.conversions != nullptr && request.conversions->pending();
      if (pending) return tl::unexpected(std::move(converted.error()));
      return VersionedObject{.type_error = std::move(converted.error().message)};
    }
    VersionedObject found{.object = *std::move(converted), .type = MergeType(*version)};
    if (version != request.resource) found.type_error = TypeErrorText(*found.object, found.type);
    return found;
  };
}

ManagedFieldsEntry NewEntry(const WriteRequest& request) {
  return {.manager = request.field_manager,
          .api_version = request.resource->ApiVersion(),
          .subresource = request.subresource,
          .time = TimeOf(request),
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

std::optional<Status> CheckConfiguration(const WriteRequest& request,
                                         const runtime::JsonDocument* configuration,
                                         std::string error) {
  const Resource& resource = *request.resource;
  if (configuration != nullptr && !configuration->IsObject()) {
    error =
        "error unmarshaling JSON: while decoding JSON: json: cannot unmarshal array into Go value "
        "of type map[string]interface {}";
  }
  if (!error.empty()) return BadRequest("error decoding YAML: " + error);
  const std::string_view version = runtime::GetString(*configuration, "apiVersion");
  const std::string_view kind = runtime::GetString(*configuration, "kind");
  if (version != resource.ApiVersion() || kind != resource.kind) {
    // Go's schema.GroupVersionKind writes the core group as "/v1".
    const bool group = version.find('/') != std::string_view::npos;
    return BadRequest("invalid object type: " + std::string(group ? "" : "/") +
                      std::string(version) + ", Kind=" + std::string(kind));
  }
  if (auto rejected = CheckApplied(resource, *configuration)) return rejected;
  if (auto rejected = CheckConvertible(resource, *configuration)) return rejected;
  const std::string_view name = Metadata(*configuration, "name");
  if (name.empty() || name == request.name) return std::nullopt;
  return WrongName(name, request.name);
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
