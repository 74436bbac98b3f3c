// SPDX-License-Identifier: Apache-2.0
#include "clientgo/testing/apiserver/registry/registry.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <utility>

#include "clientgo/testing/apiserver/decoding/decoding.h"
#include "clientgo/testing/apiserver/patch/managed_fields.h"
#include "clientgo/testing/apiserver/patch/patch.h"
#include "clientgo/testing/apiserver/patch/strategic_merge.h"
#include "clientgo/testing/apiserver/registry/secret_data.h"
#include "clientgo/testing/apiserver/registry/strategy.h"
#include "clientgo/testing/apiserver/types/api_types.h"
#include "clientgo/testing/apiserver/types/go_fields.h"
#include "clientgo/testing/apiserver/types/schema.h"
#include "clientgo/testing/apiserver/validation/validation.h"

namespace capstan::testing::apiserver {
namespace {

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

ManagedFieldsEntry NewEntry(const WriteRequest& request) {
  return {.manager = request.field_manager,
          .api_version = request.resource->ApiVersion(),
          .subresource = request.subresource,
          .time = request.admission == nullptr ? NowText() : request.admission->fields().time,
          .type = MergeType(*request.resource)};
}

// `name` is the name of the object; it must outlive the result, as the request must.
AdmissionAttributes AttributesOf(const WriteRequest& request, std::string_view operation,
                                 std::string_view name) {
  return {.operation = operation,
          .resource = request.resource,
          .subresource = request.subresource,
          .namespace_ = IsNamespace(*request.resource) ? name : request.namespace_,
          .name = name};
}

// Webhooks get objects with a kind.
void SetKind(const Resource& resource, runtime::JsonDocument& object) {
  SetString(object, "kind", resource.kind, object.GetAllocator());
  SetString(object, "apiVersion", resource.ApiVersion(), object.GetAllocator());
}

bool HasSpecFinalizers(const Resource& resource, const runtime::JsonValue& object) {
  return IsNamespace(resource) && !ListAt(ObjectAt(object, "spec"), "finalizers").Empty();
}

// Sets the finalizers for the garbage collector.
void SetPropagation(runtime::JsonDocument& object, std::string_view propagation) {
  if (propagation.empty()) return;
  if (propagation != "Foreground") RemoveFinalizer(object, "foregroundDeletion");
  if (propagation != "Orphan") RemoveFinalizer(object, "orphan");
  if (propagation == "Foreground") AddFinalizer(object, "foregroundDeletion");
  if (propagation == "Orphan") AddFinalizer(object, "orphan");
}

std::optional<Status> CheckNamespace(const WriteRequest& request,
                                     const runtime::JsonDocument& object) {
  const std::string_view ns = Metadata(object, "namespace");
  if (ns.empty() || ns == request.namespace_) return std::nullopt;
  return BadRequest(
      "the namespace of the provided object does not match the namespace sent on the request");
}

std::string Joined(const std::vector<std::string>& texts) {
  std::string all;
  for (const std::string& text : texts) all += (all.empty() ? "" : ", ") + text;
  return all;
}

// The namespaces that cannot be deleted.
bool IsImmortal(const Resource& resource, std::string_view name) {
  return IsNamespace(resource) &&
         (name == "default" || name == "kube-system" || name == "kube-public");
}

// Sets the fields of an object whose finalizers delay its deletion.
void MarkDeleted(const Resource& resource, runtime::JsonDocument& object) {
  auto& allocator = object.GetAllocator();
  SetMetadata(object, "deletionTimestamp", NowText());
  if (resource.generation) SetGeneration(object, Generation(object) + 1);
  if (IsNamespace(resource)) {
    SetString(Ensure(object, "status", allocator), "phase", "Terminating", allocator);
  } else {
    Set(Ensure(object, "metadata", allocator), "deletionGracePeriodSeconds", runtime::JsonValue(0),
        allocator);
  }
}

// Completes the object. Returns why it is invalid; nullopt: it is valid.
std::optional<Status> Finish(const WriteRequest& request, runtime::JsonDocument& object,
                             bool create) {
  const Resource& resource = *request.resource;
  Normalise(resource, object);
  ApplyDefaults(resource, object);
  auto causes = Validate(resource, object, create);
  if (resource.schema != nullptr) {
    auto more = resource.schema->Validate(object, request.subresource == "status");
    causes.insert(causes.end(), more.begin(), more.end());
  }
  if (causes.empty()) return std::nullopt;
  return Invalid(resource, Metadata(object, "name"), std::move(causes));
}

// Returns why the patch cannot be applied; nullopt: it was. The error shows the patch, and never
// the object.
std::optional<Status> ApplyStrategic(const Resource& resource, runtime::JsonDocument& object,
                                     const runtime::JsonValue& patch) {
  const Message& message = *FindMessage(resource);
  const runtime::JsonDocument shown = WithoutSecretData(resource, patch);
  if (resource.secret) {
    runtime::JsonDocument tried;  // its error has no data
    tried.CopyFrom(object, tried.GetAllocator());
    auto patched = ApplyStrategicMergePatch(message, tried, shown, tried.GetAllocator());
    if (!patched) return std::move(patched.error());
  }
  auto patched = ApplyStrategicMergePatch(message, object, patch, object.GetAllocator());
  if (!patched) return std::move(patched.error());
  auto why = FindUnconvertible(message, object);
  if (!why) {
    why = FindTypeError(resource, object);
    if (why && why->starts_with("illegal base64")) why->insert(0, "error decoding from json: ");
  }
  if (!why) return std::nullopt;
  return InvalidPatch(GoText(shown), *why);
}

}  // namespace

std::string Registry::NewUid() {
  constexpr std::uint64_t kVersion4 = 0x4000;
  constexpr std::uint64_t kVariant = 0x8000000000000000;
  const std::uint64_t high = (random_() & ~std::uint64_t{0xf000}) | kVersion4;
  const std::uint64_t low = (random_() >> 2U) | kVariant;
  std::array<char, 40> text{};
  std::snprintf(text.data(), text.size(), "%08x-%04x-%04x-%04x-%012llx",
                static_cast<unsigned>(high >> 32U), static_cast<unsigned>((high >> 16U) & 0xffffU),
                static_cast<unsigned>(high & 0xffffU), static_cast<unsigned>(low >> 48U),
                static_cast<unsigned long long>(low & 0xffffffffffffU));
  return text.data();
}

std::string Registry::RandomSuffix() {
  // The alphabet of apimachinery's rand.String.
  constexpr std::string_view kAlphabet = "bcdfghjklmnpqrstvwxz2456789";
  std::string suffix;
  for (int i = 0; i < 5; ++i) suffix += kAlphabet[random_() % kAlphabet.size()];
  return suffix;
}

Result<Registry::Document> Registry::Live(const WriteRequest& request) const {
  const ObjectPtr object = storage_.Get(*request.resource, Key(request.namespace_, request.name));
  if (object == nullptr) return tl::unexpected(NotFound(*request.resource, request.name));
  return ParseObject(*object);
}

Result<Written> Registry::Create(const WriteRequest& request, std::string_view body) {
  auto decoded = DecodeObject(*request.resource, body, request.strict);
  if (!decoded) return tl::unexpected(std::move(decoded.error()));
  auto written = CreateDocument(request, std::move(decoded->object), false);
  if (written) written->warnings = std::move(decoded->warnings);
  return written;
}

NewObjectFields Registry::NewFields() {
  return {.uid = NewUid(), .name_suffix = RandomSuffix(), .time = NowText()};
}

std::optional<Status> Registry::CheckLifecycle(const WriteRequest& request,
                                               const runtime::JsonDocument& object) const {
  const Resource& namespaces = Resources().front();
  const std::string& ns = request.namespace_;
  const ObjectPtr found = storage_.Get(namespaces, ns);
  if (found == nullptr) return NotFound(namespaces, ns);
  const bool maybe = found->metadata().find("\"deletionTimestamp\"") != std::string_view::npos;
  if (!maybe || Metadata(*ParseObject(*found), "deletionTimestamp").empty()) return std::nullopt;
  std::string_view name = Metadata(object, "name");
  if (name.empty()) name = Metadata(object, "generateName");
  return NamespaceTerminating(*request.resource, name.empty() ? "Unknown" : name, ns);
}

Result<Written> Registry::CreateDocument(const WriteRequest& request, Document object,
                                         bool applied) {
  const Resource& resource = *request.resource;
  if (auto error = CheckNamespace(request, *object)) return tl::unexpected(*std::move(error));
  const std::string_view version = Metadata(*object, "resourceVersion");
  if (!version.empty() && version != "0") {
    return tl::unexpected(
        InternalError("resourceVersion should not be set on objects to be created"));
  }
  if (resource.namespaced) {
    if (auto error = CheckLifecycle(request, *object)) return tl::unexpected(*std::move(error));
  }
  const NewObjectFields fields =
      request.admission == nullptr ? NewFields() : request.admission->fields();
  SetMetadata(*object, "namespace", request.namespace_);
  if (resource.status && !request.in_process) Remove(*object, "status");
  for (const char* const key : {"uid", "creationTimestamp", "deletionTimestamp"}) {
    SetMetadata(*object, key, "");
  }
  const auto track = [&] {
    if (applied) return;
    Remove(*FindMutable(*object, "metadata"), "managedFields");
    runtime::JsonDocument zero;
    zero.Parse(ZeroJson(resource).data(), ZeroJson(resource).size());
    TrackUpdate(zero, *object, NewEntry(request));
  };
  if (request.admission != nullptr) {
    SetKind(resource, *object);
    Normalise(resource, *object);
    ApplyDefaults(resource, *object);
    track();
    const std::string given_name(Metadata(*object, "name"));
    const auto mutated =
        request.admission->Mutate(AttributesOf(request, "CREATE", given_name), object.get());
    if (!mutated) return tl::unexpected(mutated.error());
    if (auto error = CheckNamespace(request, *object)) return tl::unexpected(*std::move(error));
    if (resource.status) Remove(*object, "status");
    SetMetadata(*object, "deletionTimestamp", "");
  }
  const std::string generate_name(Metadata(*object, "generateName"));
  if (Metadata(*object, "name").empty() && !generate_name.empty()) {
    constexpr std::size_t kPrefixMax = 58;  // a label has 63 characters
    SetMetadata(*object, "name", generate_name.substr(0, kPrefixMax) + fields.name_suffix);
  }
  if (auto error = Finish(request, *object, true)) return tl::unexpected(*std::move(error));
  const std::string name(Metadata(*object, "name"));
  SetMetadata(*object, "uid", fields.uid);
  SetMetadata(*object, "creationTimestamp", fields.time);
  if (resource.generation) SetGeneration(*object, 1);
  if (request.admission == nullptr) {
    track();
  } else {
    AdmissionAttributes attributes = AttributesOf(request, "CREATE", name);
    attributes.object = object.get();
    if (auto valid = request.admission->Validate(attributes); !valid) {
      return tl::unexpected(std::move(valid.error()));
    }
  }
  return StoreNew(request, std::move(object));
}

Result<Written> Registry::StoreNew(const WriteRequest& request, Document object) {
  const Resource& resource = *request.resource;
  const std::string name(Metadata(*object, "name"));
  const std::string key = Key(request.namespace_, name);
  if (storage_.Get(resource, key) != nullptr) return tl::unexpected(AlreadyExists(resource, name));
  if (resource.prepare_for_create != nullptr) resource.prepare_for_create(*object);
  ObjectPtr stored = MakeObject(resource, *object, request.dry_run ? 0 : storage_.NextVersion());
  if (!request.dry_run) storage_.Write(resource, key, stored);
  return Written{.object = std::move(stored), .created = true};
}

Result<Written> Registry::Update(const WriteRequest& request, std::string_view body) {
  auto decoded = DecodeObject(*request.resource, body, request.strict);
  if (!decoded) return tl::unexpected(std::move(decoded.error()));
  auto written = UpdateDocument(request, std::move(decoded->object));
  if (written) written->warnings = std::move(decoded->warnings);
  return written;
}

Result<Written> Registry::UpdateDocument(const WriteRequest& request, Document next) {
  const std::string_view name = Metadata(*next, "name");
  if (name.empty()) {
    return tl::unexpected(BadRequest("the name of the object (" + request.name +
                                     " based on URL) was undeterminable: name must be provided"));
  }
  if (name != request.name) return tl::unexpected(WrongName(name, request.name));
  auto live = Live(request);
  if (!live && request.resource->create_on_update) {
    SetMetadata(*next, "resourceVersion", "");
    return CreateDocument(request, std::move(next), false);
  }
  if (!live) return tl::unexpected(std::move(live.error()));
  if (request.resource->update_needs_version && Metadata(*next, "resourceVersion").empty()) {
    return tl::unexpected(VersionRequired(*request.resource, request.name));
  }
  return Replace(request, **live, std::move(next), Origin::kUpdate);
}

Result<Written> Registry::Patch(const WriteRequest& request, PatchKind kind,
                                std::string_view body) {
  if (kind == PatchKind::kApply) return ApplyPatch(request, body);
  std::string error;
  const auto patch = ParseJson(body, &error);
  if (patch != nullptr && kind != PatchKind::kJson && !patch->IsObject()) {
    error = "json: cannot unmarshal array into Go value of type map[string]interface {}";
  }
  if (!error.empty()) {
    // kube-apiserver reports the bare error for a strategic merge patch.
    const bool bare = kind == PatchKind::kStrategic;
    return tl::unexpected(BadRequest(bare ? error : "error decoding patch: " + error));
  }
  auto live = Live(request);
  if (!live) return tl::unexpected(std::move(live.error()));
  auto next = std::make_unique<runtime::JsonDocument>();
  next->CopyFrom(**live, next->GetAllocator());
  if (kind == PatchKind::kJson) {
    if (auto patched = ApplyJsonPatch(*next, *patch); !patched) {
      return tl::unexpected(std::move(patched.error()));
    }
  } else if (kind == PatchKind::kMerge) {
    ApplyMergePatch(*next, *patch, next->GetAllocator());
  } else {
    if (auto rejected = ApplyStrategic(*request.resource, *next, *patch)) {
      return tl::unexpected(*std::move(rejected));
    }
  }
  if (!next->IsObject()) return tl::unexpected(BadRequest("the patch leaves no object"));
  auto warnings = PruneUnknown(*request.resource, *next);
  if (request.strict && !warnings.empty()) {
    const runtime::JsonDocument shown =
        WithoutSecretData(*request.resource, kind == PatchKind::kStrategic ? *patch : *next);
    return tl::unexpected(
        InvalidPatch(kind == PatchKind::kStrategic ? GoText(shown) : runtime::ToJson(shown),
                     "strict decoding error: " + Joined(warnings)));
  }
  auto written = Replace(request, **live, std::move(next), Origin::kPatch);
  if (written) written->warnings = std::move(warnings);
  return written;
}

Result<Written> Registry::ApplyPatch(const WriteRequest& request, std::string_view body) {
  std::string error;
  auto configuration = ParseJson(body, &error);
  if (configuration != nullptr && !configuration->IsObject()) {
    error =
        "error unmarshaling JSON: while decoding JSON: json: cannot unmarshal array into Go value "
        "of type map[string]interface {}";
  }
  if (!error.empty()) return tl::unexpected(BadRequest("error decoding YAML: " + error));
  const std::string_view version = runtime::GetString(*configuration, "apiVersion");
  const std::string_view kind = runtime::GetString(*configuration, "kind");
  if (version != request.resource->ApiVersion() || kind != request.resource->kind) {
    // Go's schema.GroupVersionKind writes the core group as "/v1".
    const bool group = version.find('/') != std::string_view::npos;
    return tl::unexpected(BadRequest("invalid object type: " + std::string(group ? "" : "/") +
                                     std::string(version) + ", Kind=" + std::string(kind)));
  }
  if (auto rejected = CheckApplied(*request.resource, *configuration)) {
    return tl::unexpected(*std::move(rejected));
  }
  if (auto rejected = CheckConvertible(*request.resource, *configuration)) {
    return tl::unexpected(*std::move(rejected));
  }
  const std::string_view name = Metadata(*configuration, "name");
  if (!name.empty() && name != request.name) {
    return tl::unexpected(WrongName(name, request.name));
  }
  DropResetFields(*request.resource, request.subresource, *configuration);
  runtime::JsonDocument nothing;
  nothing.SetObject();
  auto live = Live(request);
  if (!live && !request.subresource.empty()) return tl::unexpected(std::move(live.error()));
  auto next = Apply(live ? **live : nothing, *configuration, NewEntry(request), request.force);
  if (!next) return tl::unexpected(std::move(next.error()));
  if (live) return Replace(request, **live, std::move(*next), Origin::kApply);
  if (const std::string_view uid = Metadata(**next, "uid"); !uid.empty()) {
    return tl::unexpected(Conflict(*request.resource, request.name,
                                   "uid mismatch: the provided object specified uid " +
                                       std::string(uid) + ", and no existing object was found"));
  }
  if (Metadata(**next, "name").empty()) SetMetadata(**next, "name", request.name);
  SetMetadata(**next, "resourceVersion", "");
  return CreateDocument(request, std::move(*next), true);
}

std::optional<Status> Registry::CheckIdentity(const WriteRequest& request,
                                              const runtime::JsonDocument& live,
                                              const runtime::JsonDocument& next, Origin origin) {
  const Resource& resource = *request.resource;
  if (const auto why = FindTypeError(resource, next)) {
    return InvalidPatch(runtime::ToJson(WithoutSecretData(resource, next)), *why);
  }
  if (auto error = CheckNamespace(request, next)) return error;
  const std::string_view name = Metadata(next, "name");
  if (name != request.name) return WrongName(name, request.name);
  const std::string_view version = Metadata(next, "resourceVersion");
  if (version.find_first_not_of("0123456789") != std::string_view::npos) {
    return InternalError("strconv.ParseUint: parsing \"" + std::string(version) +
                         "\": invalid syntax");
  }
  if (!version.empty() && version != Metadata(live, "resourceVersion")) {
    return Conflict(resource, request.name,
                    "the object has been modified; please apply your changes to the latest "
                    "version and try again");
  }
  const std::string_view uid = Metadata(next, "uid");
  const std::string_view live_uid = Metadata(live, "uid");
  // For a patch, validation reports a changed uid.
  if (uid.empty() || uid == live_uid || origin != Origin::kUpdate) return std::nullopt;
  return Conflict(
      resource, request.name,
      "StorageError: invalid object, Code: 4, Key: /registry/" + std::string(resource.plural) +
          "/" + Key(request.namespace_, request.name) +
          ", ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: UID in precondition: " +
          std::string(uid) + ", UID in object meta: " + std::string(live_uid));
}

Result<Registry::Document> Registry::PrepareForUpdate(const WriteRequest& request,
                                                      const runtime::JsonDocument& live,
                                                      Document next, Origin origin, bool tracked) {
  const Resource& resource = *request.resource;
  // A field with a default that the request omits is not a change (a Secret's type).
  Normalise(resource, *next);
  ApplyDefaults(resource, *next);
  const bool spec = request.subresource.empty() || request.subresource == "scale";
  auto causes = ValidateUpdate(resource, live, *next, spec);
  if (!causes.empty()) return tl::unexpected(Invalid(resource, request.name, std::move(causes)));
  for (const char* const key : {"uid", "namespace", "creationTimestamp", "generation",
                                "deletionTimestamp", "deletionGracePeriodSeconds"}) {
    KeepMetadata(live, *next, key);
  }
  if (IsNamespace(resource) && request.subresource != "finalize") KeepMember(live, *next, "spec");
  if (request.subresource == "status") {
    // Only the status and its managers come from the request; for the core kinds also metadata.
    auto whole = std::make_unique<runtime::JsonDocument>();
    whole->CopyFrom(live, whole->GetAllocator());
    KeepMember(*next, *whole, "status");
    if (resource.group.empty()) {
      KeepMember(*next, *whole, "metadata");
    } else if (tracked || origin == Origin::kApply) {
      KeepMetadata(*next, *whole, "managedFields");
    }
    next = std::move(whole);
  } else if (resource.status && request.subresource != "binding") {
    KeepMember(live, *next, "status");
  }
  return next;
}

Result<Registry::Document> Registry::MutateUpdate(const WriteRequest& request,
                                                  const runtime::JsonDocument& live, Document next,
                                                  Origin origin) {
  // The managers are those of the request. What a webhook changes has none.
  if (origin != Origin::kApply) TrackUpdate(live, *next, NewEntry(request));
  SetKind(*request.resource, *next);
  AdmissionAttributes attributes = AttributesOf(request, "UPDATE", request.name);
  attributes.old_object = &live;
  const auto mutated = request.admission->Mutate(attributes, next.get());
  if (!mutated) return tl::unexpected(mutated.error());
  if (!*mutated) return next;
  if (auto error = CheckIdentity(request, live, *next, origin)) {
    return tl::unexpected(*std::move(error));
  }
  return PrepareForUpdate(request, live, std::move(next), origin, true);
}

Result<Written> Registry::Replace(const WriteRequest& request, const runtime::JsonDocument& live,
                                  Document next, Origin origin) {
  const Resource& resource = *request.resource;
  if (auto error = CheckIdentity(request, live, *next, origin)) {
    return tl::unexpected(*std::move(error));
  }
  auto prepared = PrepareForUpdate(request, live, std::move(next), origin, false);
  if (prepared && request.admission != nullptr) {
    prepared = MutateUpdate(request, live, *std::move(prepared), origin);
  }
  if (!prepared) return tl::unexpected(std::move(prepared.error()));
  next = *std::move(prepared);
  if (auto error = Finish(request, *next, false)) return tl::unexpected(*std::move(error));
  const bool tracked = origin == Origin::kApply || request.admission != nullptr;
  const Comparison difference = tracked ? Compare(live, *next, MergeType(resource))
                                        : TrackUpdate(live, *next, NewEntry(request));
  const std::string key = Key(request.namespace_, request.name);
  if (resource.generation && ChangesSpec(resource, difference)) {
    SetGeneration(*next, Generation(live) + 1);
  }
  if (request.admission != nullptr) {
    AdmissionAttributes attributes = AttributesOf(request, "UPDATE", request.name);
    attributes.object = next.get();
    attributes.old_object = &live;
    if (auto valid = request.admission->Validate(attributes); !valid) {
      return tl::unexpected(std::move(valid.error()));
    }
  }
  if (difference.empty() && SameOwners(live, *next)) {
    return Written{.object = storage_.Get(resource, key), .created = false};
  }
  const bool last_finalizer = !Metadata(*next, "deletionTimestamp").empty() &&
                              !HasFinalizers(*next) && !HasSpecFinalizers(resource, *next);
  if (request.dry_run) {
    const std::uint64_t version = storage_.Get(resource, key)->resource_version;
    return Written{.object = MakeObject(resource, *next, version), .created = false};
  }
  ObjectPtr stored = MakeObject(resource, *next, storage_.NextVersion());
  storage_.Write(resource, key, stored, last_finalizer);
  return Written{.object = std::move(stored), .created = false};
}

Result<Written> Registry::Delete(const WriteRequest& request, const DeleteOptions& options) {
  const Resource& resource = *request.resource;
  auto live = Live(request);
  if (!live) return tl::unexpected(std::move(live.error()));
  runtime::JsonDocument& object = **live;
  if (IsImmortal(resource, request.name)) {
    return tl::unexpected(
        ForbiddenBecause(resource, request.name, "this namespace may not be deleted"));
  }
  const auto mismatch = [&](const std::string& cause) {
    Status status = Conflict(resource, request.name, cause);
    // kube-apiserver names the kind here, not the resource.
    status.kind = std::string(resource.kind);
    status.message = "Operation cannot be fulfilled on " + std::string(resource.kind) + " \"" +
                     request.name + "\": " + cause;
    return tl::unexpected(std::move(status));
  };
  const std::string uid(Metadata(object, "uid"));
  const std::string version(Metadata(object, "resourceVersion"));
  if (!options.uid.empty() && options.uid != uid) {
    return mismatch("the UID in the precondition (" + options.uid +
                    ") does not match the UID in record (" + uid +
                    "). The object might have been deleted and then recreated");
  }
  if (!options.resource_version.empty() && options.resource_version != version) {
    return mismatch("the ResourceVersion in the precondition (" + options.resource_version +
                    ") does not match the ResourceVersion in record (" + version +
                    "). The object might have been modified");
  }
  if (request.admission != nullptr) {
    AdmissionAttributes attributes =
        AttributesOf(request, "DELETE",
                     request.of_collection ? std::string_view() : std::string_view(request.name));
    attributes.old_object = &object;
    const auto mutated = request.admission->Mutate(attributes, nullptr);
    if (!mutated) return tl::unexpected(mutated.error());
    if (auto valid = request.admission->Validate(attributes); !valid) {
      return tl::unexpected(std::move(valid.error()));
    }
  }
  const std::string key = Key(request.namespace_, request.name);
  runtime::JsonDocument before;
  before.CopyFrom(object, before.GetAllocator());
  const bool orphans = options.propagation.empty() && OrphansByDefault(resource, object);
  std::vector<std::string> warnings;
  if (orphans) warnings.emplace_back(kOrphansWarning);
  SetPropagation(object, orphans ? "Orphan" : options.propagation);
  const bool held = HasFinalizers(object) || HasSpecFinalizers(resource, object);
  const bool deleting = !Metadata(object, "deletionTimestamp").empty();
  if (held && deleting && object == before) {
    return Written{.object = storage_.Get(resource, key), .created = true};
  }
  if (held && !deleting) MarkDeleted(resource, object);
  ObjectPtr last = MakeObject(resource, object, storage_.NextVersion());
  if (!options.dry_run) storage_.Write(resource, key, last, !held);
  return Written{.object = std::move(last), .created = held, .warnings = std::move(warnings)};
}

}  // namespace capstan::testing::apiserver
