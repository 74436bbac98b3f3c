// SPDX-License-Identifier: Apache-2.0
#include "apiserver/registry.h"

#include <array>
#include <cstdio>
#include <utility>

#include "apiserver/decoding.h"
#include "apiserver/metadata_edit.h"
#include "apiserver/patch.h"
#include "apiserver/type_check.h"
#include "apiserver/validation.h"

namespace apiserver {

FieldManager Registry::Manager(const WriteRequest& request) const {
  return {.name = request.field_manager,
          .subresource = request.subresource,
          .api_version = request.resource->ApiVersion(),
          .time = NowText()};
}

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
  // apimachinery's alphabet: no vowels, so that no words come out.
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

Result<void> Registry::Finish(const WriteRequest& request, JsonDocument& object) const {
  Normalise(*request.resource, object);
  ApplyDefaults(*request.resource, object);
  auto causes = Validate(*request.resource, object);
  if (causes.empty()) return {};
  const std::string name(Metadata(object, "name"));
  return tl::unexpected(Invalid(*request.resource, name, std::move(causes)));
}

Result<Written> Registry::Create(const WriteRequest& request, std::string_view body) {
  auto object = DecodeObject(*request.resource, body);
  if (!object) return tl::unexpected(std::move(object.error()));
  return CreateDocument(request, std::move(*object), false);
}

Result<Written> Registry::CreateDocument(const WriteRequest& request, Document object,
                                         bool applied) {
  const Resource& resource = *request.resource;
  if (auto checked = CheckNamespace(request, *object); !checked) {
    return tl::unexpected(std::move(checked.error()));
  }
  const std::string_view version = Metadata(*object, "resourceVersion");
  if (!version.empty() && version != "0") {
    return tl::unexpected(
        InternalError("resourceVersion should not be set on objects to be created"));
  }
  const Resource& namespaces = Resources().front();
  if (resource.namespaced && storage_.Get(namespaces, request.namespace_) == nullptr) {
    return tl::unexpected(NotFound(namespaces, request.namespace_));
  }
  const std::string generate_name(Metadata(*object, "generateName"));
  if (Metadata(*object, "name").empty() && !generate_name.empty()) {
    SetMetadata(*object, "name", generate_name + RandomSuffix());
  }
  SetMetadata(*object, "namespace", request.namespace_);
  if (resource.status && !request.in_process) Remove(*object, "status");
  if (auto finished = Finish(request, *object); !finished) {
    return tl::unexpected(std::move(finished.error()));
  }
  const std::string name(Metadata(*object, "name"));
  const std::string key = Key(request.namespace_, name);
  if (storage_.Get(resource, key) != nullptr) return tl::unexpected(AlreadyExists(resource, name));
  SetMetadata(*object, "uid", NewUid());
  SetMetadata(*object, "creationTimestamp", NowText());
  JsonValue& metadata = Ensure(*object, "metadata", object->GetAllocator());
  Remove(metadata, "deletionTimestamp");
  if (resource.generation) SetGeneration(*object, 1);
  if (!applied) {
    Remove(metadata, "managedFields");
    JsonDocument zero;
    zero.Parse(resource.zero.data(), resource.zero.size());
    TrackUpdate(zero, *object, Manager(request));
  }
  PrepareForCreate(resource, *object);
  ObjectPtr stored = MakeObject(resource, *object, request.dry_run ? 0 : storage_.NextVersion());
  if (!request.dry_run) storage_.Put(resource, key, stored);
  return Written{.object = std::move(stored), .created = true};
}

Result<void> Registry::CheckNamespace(const WriteRequest& request, const JsonDocument& object) {
  const std::string_view ns = Metadata(object, "namespace");
  if (ns.empty() || ns == request.namespace_) return {};
  return tl::unexpected(BadRequest(
      "the namespace of the provided object does not match the namespace sent on the request"));
}

Result<Written> Registry::Update(const WriteRequest& request, std::string_view body) {
  auto next = DecodeObject(*request.resource, body);
  if (!next) return tl::unexpected(std::move(next.error()));
  const std::string_view name = Metadata(**next, "name");
  if (name.empty()) {
    return tl::unexpected(BadRequest("the name of the object (" + request.name +
                                     " based on URL) was undeterminable: name must be provided"));
  }
  if (name != request.name) {
    return tl::unexpected(WrongName(name, request.name));
  }
  auto live = Live(request);
  if (!live && request.resource->create_on_update) {
    SetMetadata(**next, "resourceVersion", "");
    return CreateDocument(request, std::move(*next), false);
  }
  if (!live) return tl::unexpected(std::move(live.error()));
  if (request.resource->update_needs_version && Metadata(**next, "resourceVersion").empty()) {
    return tl::unexpected(VersionRequired(*request.resource, request.name));
  }
  return Replace(request, **live, std::move(*next), Origin::kUpdate);
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
    // A strategic patch is decoded elsewhere in the real server, without these words.
    const bool bare = kind == PatchKind::kStrategic;
    return tl::unexpected(BadRequest(bare ? error : "error decoding patch: " + error));
  }
  auto live = Live(request);
  if (!live) return tl::unexpected(std::move(live.error()));
  auto next = std::make_unique<JsonDocument>();
  next->CopyFrom(**live, next->GetAllocator());
  if (kind == PatchKind::kJson) {
    if (auto patched = ApplyJsonPatch(*next, *patch); !patched) {
      return tl::unexpected(std::move(patched.error()));
    }
  } else if (kind == PatchKind::kMerge) {
    ApplyMergePatch(*next, *patch, next->GetAllocator());
  } else {
    ApplyStrategicMergePatch(*next, *patch, next->GetAllocator());
  }
  if (!next->IsObject()) return tl::unexpected(BadRequest("the patch leaves no object"));
  return Replace(request, **live, std::move(next), Origin::kPatch);
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
  const std::string_view version = GetString(*configuration, "apiVersion");
  const std::string_view kind = GetString(*configuration, "kind");
  if (version != request.resource->ApiVersion() || kind != request.resource->kind) {
    // Go's schema.GroupVersionKind: the core group is an empty one before the '/'.
    const bool group = version.find('/') != std::string_view::npos;
    return tl::unexpected(BadRequest("invalid object type: " + std::string(group ? "" : "/") +
                                     std::string(version) + ", Kind=" + std::string(kind)));
  }
  if (auto checked = CheckApplied(*request.resource, *configuration); !checked) {
    return tl::unexpected(std::move(checked.error()));
  }
  if (FindPath(*configuration, {"metadata", "managedFields"}) != nullptr) {
    return tl::unexpected(BadRequest("metadata.managedFields must be nil"));
  }
  const std::string_view name = Metadata(*configuration, "name");
  if (!name.empty() && name != request.name) {
    return tl::unexpected(WrongName(name, request.name));
  }
  JsonDocument nothing;
  nothing.SetObject();
  auto live = Live(request);
  auto next = Apply(live ? **live : nothing, *configuration, Manager(request), request.force);
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

}  // namespace apiserver
