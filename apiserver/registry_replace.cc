// SPDX-License-Identifier: Apache-2.0
// The other half of Registry (registry.h): one object takes the place of another, or goes.
#include <utility>

#include "apiserver/decoding.h"
#include "apiserver/metadata_edit.h"
#include "apiserver/registry.h"
#include "apiserver/type_check.h"
#include "apiserver/validation.h"

namespace apiserver {
namespace {

bool ChangesSpec(const Comparison& difference) {
  const auto beyond = [](const FieldSet& set) {
    for (const auto& [element, child] : set.children) {
      if (element != "f:metadata" && element != "f:status") return true;
    }
    return false;
  };
  return beyond(difference.changed) || beyond(difference.removed);
}

bool SameOwners(const JsonValue& a, const JsonValue& b) {
  const auto left = ReadManagedFields(a);
  const auto right = ReadManagedFields(b);
  if (left.size() != right.size()) return false;
  for (std::size_t i = 0; i < left.size(); ++i) {
    if (!left[i].SameOwner(right[i]) || left[i].fields != right[i].fields) return false;
  }
  return true;
}

}  // namespace

Result<void> Registry::CheckIdentity(const WriteRequest& request, const JsonDocument& live,
                                     JsonDocument& next, Origin origin) const {
  const Resource& resource = *request.resource;
  if (const auto why = FindTypeError(resource, next)) {
    return tl::unexpected(InvalidPatch(clientgo::runtime::ToJson(next), *why));
  }
  if (auto checked = CheckNamespace(request, next); !checked) return checked;
  const std::string_view name = Metadata(next, "name");
  if (name != request.name) {
    return tl::unexpected(WrongName(name, request.name));
  }
  const std::string_view version = Metadata(next, "resourceVersion");
  if (version.find_first_not_of("0123456789") != std::string_view::npos) {
    return tl::unexpected(InternalError("strconv.ParseUint: parsing \"" + std::string(version) +
                                        "\": invalid syntax"));
  }
  if (!version.empty() && version != Metadata(live, "resourceVersion")) {
    return tl::unexpected(ObjectModified(resource, request.name));
  }
  const std::string_view uid = Metadata(next, "uid");
  const std::string_view live_uid = Metadata(live, "uid");
  // That of a patch is validated with the rest.
  if (uid.empty() || uid == live_uid || origin != Origin::kUpdate) return {};
  return tl::unexpected(Conflict(
      resource, request.name,
      "StorageError: invalid object, Code: 4, Key: /registry/" + std::string(resource.plural) +
          "/" + Key(request.namespace_, request.name) +
          ", ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: UID in precondition: " +
          std::string(uid) + ", UID in object meta: " + std::string(live_uid)));
}

Result<Written> Registry::Replace(const WriteRequest& request, const JsonDocument& live,
                                  Document next, Origin origin) {
  const Resource& resource = *request.resource;
  if (auto checked = CheckIdentity(request, live, *next, origin); !checked) {
    return tl::unexpected(std::move(checked.error()));
  }
  // What the request leaves out is not a change: a Secret's type.
  Normalise(resource, *next);
  ApplyDefaults(resource, *next);
  auto causes = ValidateUpdate(resource, live, *next);
  if (!causes.empty()) return tl::unexpected(Invalid(resource, request.name, std::move(causes)));
  for (const char* const key : {"uid", "namespace", "creationTimestamp", "generation",
                                "deletionTimestamp", "deletionGracePeriodSeconds"}) {
    KeepMetadata(live, *next, key);
  }
  if (request.subresource == "status") {
    // Only the status comes from the request, and with it who manages it; for the core kinds also
    // what the request says about metadata.
    auto whole = std::make_unique<JsonDocument>();
    whole->CopyFrom(live, whole->GetAllocator());
    KeepMember(*next, *whole, "status");
    if (resource.group.empty()) {
      KeepMember(*next, *whole, "metadata");
    } else if (origin == Origin::kApply) {
      KeepMetadata(*next, *whole, "managedFields");
    }
    next = std::move(whole);
  } else if (resource.status) {
    KeepMember(live, *next, "status");
  }
  if (auto finished = Finish(request, *next); !finished) {
    return tl::unexpected(std::move(finished.error()));
  }
  const Comparison difference =
      origin == Origin::kApply ? Compare(live, *next) : TrackUpdate(live, *next, Manager(request));
  const std::string key = Key(request.namespace_, request.name);
  if (difference.empty() && SameOwners(live, *next)) {
    return Written{.object = storage_.Get(resource, key), .created = false};
  }
  if (resource.generation && ChangesSpec(difference)) SetGeneration(*next, Generation(live) + 1);
  const bool last_finalizer =
      !Metadata(*next, "deletionTimestamp").empty() && !HasFinalizers(*next);
  if (request.dry_run) {
    const std::uint64_t version = storage_.Get(resource, key)->resource_version;
    return Written{.object = MakeObject(resource, *next, version), .created = false};
  }
  ObjectPtr stored = MakeObject(resource, *next, storage_.NextVersion());
  if (last_finalizer) {
    storage_.Remove(resource, key, stored);
  } else {
    storage_.Put(resource, key, stored);
  }
  return Written{.object = std::move(stored), .created = false};
}

Result<Written> Registry::Delete(const WriteRequest& request, const DeleteOptions& options) {
  const Resource& resource = *request.resource;
  auto live = Live(request);
  if (!live) return tl::unexpected(std::move(live.error()));
  JsonDocument& object = **live;
  const auto mismatch = [&](const std::string& cause) {
    Status status = Conflict(resource, request.name, cause);
    // Here the real server names the kind, not the resource.
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
  const std::string key = Key(request.namespace_, request.name);
  if (!options.finalizer.empty()) AddFinalizer(object, options.finalizer);
  const bool held = HasFinalizers(object);
  if (held && !Metadata(object, "deletionTimestamp").empty()) {
    return Written{.object = storage_.Get(resource, key), .created = true};
  }
  if (held) {
    SetMetadata(object, "deletionTimestamp", NowText());
    auto& allocator = object.GetAllocator();
    Set(Ensure(object, "metadata", allocator), "deletionGracePeriodSeconds", JsonValue(0),
        allocator);
    if (resource.generation) SetGeneration(object, Generation(object) + 1);
  }
  ObjectPtr last = MakeObject(resource, object, storage_.NextVersion());
  if (request.dry_run) return Written{.object = std::move(last), .created = held};
  if (held) {
    storage_.Put(resource, key, last);
  } else {
    storage_.Remove(resource, key, last);
  }
  return Written{.object = std::move(last), .created = held};
}

}  // namespace apiserver
