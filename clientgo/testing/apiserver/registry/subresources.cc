// SPDX-License-Identifier: Apache-2.0
#include "clientgo/testing/apiserver/registry/subresources.h"

#include <cstdint>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include "capstan/logging.h"
#include "capstan/text.h"
#include "clientgo/testing/apiserver/patch/managed_fields.h"
#include "clientgo/testing/apiserver/patch/patch.h"
#include "clientgo/testing/apiserver/patch/strategic_merge.h"
#include "clientgo/testing/apiserver/registry/scale_managers.h"
#include "clientgo/testing/apiserver/registry/write_path.h"

namespace capstan::testing::apiserver {
namespace {

constexpr Resource kScale = {
    .group = "autoscaling", .plural = "scales", .kind = "Scale", .namespaced = true};

// Returns the members of a path: "spec" and "replicas" of ".spec.replicas".
std::vector<std::string_view> PathSteps(std::string_view path) {
  if (path.starts_with('.')) path.remove_prefix(1);
  return Split(path, '.');
}

// Returns the value at a path, or null.
const runtime::JsonValue* FindAt(const runtime::JsonValue& object, std::string_view path) {
  const runtime::JsonValue* value = path.empty() ? nullptr : &object;
  for (const std::string_view step : PathSteps(path)) {
    value = value == nullptr || !value->IsObject() ? nullptr : runtime::Find(*value, step);
  }
  return value;
}

std::int64_t NumberAtPath(const runtime::JsonValue& object, std::string_view path) {
  const runtime::JsonValue* const value = FindAt(object, path);
  return value != nullptr && value->IsInt64() ? value->GetInt64() : 0;
}

// Returns a label selector as a query has it: "a=b,c in (d,e),!f".
std::string SelectorText(const runtime::JsonValue& selector) {
  std::vector<std::string> all;
  const auto add = [&](std::string requirement) { all.push_back(std::move(requirement)); };
  // A ReplicationController selects labels.
  for (const runtime::JsonValue* const labels : {&selector, &ObjectAt(selector, "matchLabels")}) {
    for (const auto& label : labels->GetObject()) {
      if (label.value.IsString()) {
        add(std::string(runtime::ToView(label.name)) + "=" +
            std::string(runtime::ToView(label.value)));
      }
    }
  }
  for (const runtime::JsonValue& expression : ListAt(selector, "matchExpressions").GetArray()) {
    const std::string key(runtime::GetString(expression, "key"));
    const std::string_view with = runtime::GetString(expression, "operator");
    std::vector<std::string_view> listed;
    for (const runtime::JsonValue& value : ListAt(expression, "values").GetArray()) {
      if (value.IsString()) listed.push_back(runtime::ToView(value));
    }
    const std::string values = Join(listed, ",");
    if (with == "In") add(std::string(key).append(" in (").append(values).append(")"));
    if (with == "NotIn") add(std::string(key).append(" notin (").append(values).append(")"));
    if (with == "Exists") add(key);
    if (with == "DoesNotExist") add("!" + key);
  }
  return Join(all, ",");
}

// Returns the members of the metadata that are not empty.
Json MetadataOf(const runtime::JsonValue& object, std::initializer_list<const char*> keys) {
  Json metadata = Json::Object();
  for (const char* const key : keys) metadata.Add(key, OmitEmpty(Metadata(object, key)));
  return metadata;
}

// The replicas of a custom object without replicas, in the Scale that a patch changes.
constexpr std::int64_t kNoReplicas = std::numeric_limits<std::int32_t>::min();

// Returns the request of a Scale as one of an object of the kind Scale.
WriteRequest RequestOfScale(const WriteRequest& request) {
  WriteRequest of_scale = request;
  of_scale.resource = &kScale;
  return of_scale;
}

// Returns the Scale of an object with its managers.
std::unique_ptr<runtime::JsonDocument> LiveScale(const Resource& resource,
                                                 const runtime::JsonValue& object) {
  std::string error;
  auto scale = ParseJson(ScaleJson(resource, object).text(), &error);
  if (FindNoReplicas(resource, object)) {
    auto& allocator = scale->GetAllocator();
    Set(Ensure(*scale, "spec", allocator), "replicas", runtime::JsonValue(kNoReplicas), allocator);
  }
  WriteManagedFields(*scale, ManagersOfScale(resource, object));
  return scale;
}

// Records in a new Scale which manager changed it.
Result<std::unique_ptr<runtime::JsonDocument>> Tracked(
    const WriteRequest& request, const runtime::JsonValue& before,
    std::unique_ptr<runtime::JsonDocument> scale) {
  if (NumberAt(ObjectAt(*scale, "spec"), "replicas") == 0) {
    const runtime::JsonValue* const zero = runtime::FindPath(*scale, {"spec", "replicas"});
    if (zero != nullptr && zero->IsInt64()) Remove(*FindMutable(*scale, "spec"), "replicas");
  }
  auto entry = NewEntry(RequestOfScale(request));
  const auto tracked = TrackUpdate(before, *scale, std::move(entry));
  if (!tracked) return tl::unexpected(tracked.error());
  return scale;
}

// Applies a configuration to the Scale of an object.
Result<std::unique_ptr<runtime::JsonDocument>> ApplyScale(
    const WriteRequest& request, runtime::JsonDocument& before,
    const runtime::JsonDocument* configuration, std::string error) {
  const WriteRequest of_scale = RequestOfScale(request);
  if (auto rejected = CheckConfiguration(of_scale, configuration, std::move(error))) {
    return tl::unexpected(*std::move(rejected));
  }
  const std::string why =
      " object (/; autoscaling/v1, Kind=Scale) to proper version: request to convert CR to an "
      "invalid group/version: autoscaling/v1";
  if (request.resource->custom && ReadManagedFields(before).empty()) {
    return tl::unexpected(InternalError(
        "failed to create manager for existing fields: failed to convert live" + why));
  }
  TrackBeforeFirstApply(runtime::JsonDocument(rapidjson::kObjectType), before, NewEntry(of_scale),
                        before);
  auto scale = Apply(before, *configuration, NewEntry(of_scale), request.force);
  if (!scale) return scale;
  if (request.resource->custom) {
    return tl::unexpected(InternalError("failed to convert new" + why));
  }
  return scale;
}

}  // namespace

Result<std::unique_ptr<runtime::JsonDocument>> ParseSubresource(std::string_view body,
                                                                std::string_view api_version,
                                                                std::string_view kind) {
  std::string error;
  auto object = ParseJson(body, &error);
  if (object == nullptr || !object->IsObject()) {
    return tl::unexpected(BadRequest("the object provided is unrecognized (must be of type " +
                                     std::string(kind) + "): " + error));
  }
  const std::string_view given_version = runtime::GetString(*object, "apiVersion");
  const std::string_view given_kind = runtime::GetString(*object, "kind");
  const bool same = (given_kind.empty() || given_kind == kind) &&
                    (given_version.empty() || given_version == api_version);
  if (same) return object;
  return tl::unexpected(BadRequest("converting (" + std::string(given_version) + "." +
                                   std::string(given_kind) + ") to (" + std::string(api_version) +
                                   "." + std::string(kind) + "): unknown conversion"));
}

Json ScaleJson(const Resource& resource, const runtime::JsonValue& object) {
  const runtime::JsonValue& spec = ObjectAt(object, "spec");
  const ScalePaths& paths = resource.scale_paths;
  std::int64_t wanted = NumberAt(spec, "replicas");
  std::int64_t ready = NumberAt(ObjectAt(object, "status"), "replicas");
  std::string selector;
  if (!resource.custom) {
    selector = SelectorText(ObjectAt(spec, "selector"));
  } else {
    const runtime::JsonValue* const text = FindAt(object, paths.selector);
    wanted = NumberAtPath(object, paths.replicas);
    ready = NumberAtPath(object, paths.status_replicas);
    if (text != nullptr && text->IsString()) selector = runtime::ToView(*text);
  }
  return {{"kind", "Scale"},
          {"apiVersion", "autoscaling/v1"},
          {"metadata", MetadataOf(object, {"name", "namespace", "uid", "resourceVersion",
                                           "creationTimestamp"})},
          // Go's encoder omits 0 here, and not in the status.
          {"spec", {{"replicas", wanted != 0 ? Json(wanted) : Json()}}},
          {"status", {{"replicas", ready}, {"selector", OmitEmpty(selector)}}}};
}

std::optional<Status> FindNoReplicas(const Resource& resource, const runtime::JsonValue& object) {
  const std::string_view path = resource.scale_paths.replicas;
  if (!resource.custom || FindAt(object, path) != nullptr) return std::nullopt;
  return InternalErrorOccurred("the spec replicas field " + Quoted(path) + " does not exist");
}

Result<std::unique_ptr<runtime::JsonDocument>> UpdateScale(const WriteRequest& request,
                                                           const runtime::JsonValue& live,
                                                           std::string_view body) {
  auto scale = ParseSubresource(body, kScale.ApiVersion(), kScale.kind);
  if (!scale) return scale;
  return Tracked(request, *LiveScale(*request.resource, live), *std::move(scale));
}

Result<std::unique_ptr<runtime::JsonDocument>> PatchScale(const WriteRequest& request,
                                                          const runtime::JsonValue& live,
                                                          PatchKind kind, std::string_view body) {
  std::string error;
  const auto patch = ParseJson(body, &error);
  const auto before = LiveScale(*request.resource, live);
  if (kind == PatchKind::kApply) return ApplyScale(request, *before, patch.get(), error);
  const bool valid = patch != nullptr && (kind == PatchKind::kJson || patch->IsObject());
  if (!valid) return tl::unexpected(BadRequest("error decoding patch: " + error));
  auto scale = std::make_unique<runtime::JsonDocument>();
  scale->CopyFrom(*before, scale->GetAllocator());
  if (kind == PatchKind::kJson) {
    if (auto patched = ApplyJsonPatch(*scale, *patch); !patched) {
      return tl::unexpected(std::move(patched.error()));
    }
  } else if (kind == PatchKind::kMerge) {
    ApplyMergePatch(*scale, *patch, scale->GetAllocator());
  } else if (auto patched =
                 ApplyStrategicMergePatch(*runtime::FindMessage("autoscaling/v1", "Scale"), *scale,
                                          *patch, scale->GetAllocator());
             !patched) {
    return tl::unexpected(std::move(patched.error()));
  }
  if (!scale->IsObject()) return tl::unexpected(BadRequest("the patch leaves no object"));
  return Tracked(request, *before, std::move(scale));
}

Result<void> AdmitScale(const WriteRequest& request, const runtime::JsonValue& live,
                        runtime::JsonDocument& scale) {
  if (request.admission == nullptr) return {};
  std::string error;
  const auto old = ParseJson(ScaleJson(*request.resource, live).text(), &error);
  SetString(scale, "kind", kScale.kind, scale.GetAllocator());
  SetString(scale, "apiVersion", kScale.ApiVersion(), scale.GetAllocator());
  AdmissionAttributes attributes{.operation = "UPDATE",
                                 .resource = request.resource,
                                 .subresource = request.subresource,
                                 .kind = &kScale,
                                 .namespace_ = request.namespace_,
                                 .name = request.name,
                                 .old_object = old.get()};
  const auto mutated = request.admission->Mutate(attributes, &scale);
  if (!mutated) return tl::unexpected(mutated.error());
  attributes.object = &scale;
  return request.admission->Validate(attributes);
}

Result<std::string> PatchFromScale(const WriteRequest& request, const runtime::JsonValue& live,
                                   const runtime::JsonValue& scale, bool update) {
  const Resource& resource = *request.resource;
  const std::string_view name = Metadata(scale, "name");
  if (name.empty()) return tl::unexpected(NoName(request.name));
  if (name != request.name) return tl::unexpected(WrongName(name, request.name));
  const runtime::JsonValue& spec = ObjectAt(scale, "spec");
  const runtime::JsonValue* const replicas = runtime::Find(spec, "replicas");
  if (replicas != nullptr && !replicas->IsInt()) {
    return tl::unexpected(
        BadRequest("Scale in version \"v1\" cannot be handled as a Scale: json: cannot unmarshal "
                   "into Go struct field ScaleSpec.spec.replicas of type int32"));
  }
  const std::int64_t count = NumberAt(spec, "replicas");
  const std::string_view path = resource.custom ? resource.scale_paths.replicas : ".spec.replicas";
  if (resource.custom && count == kNoReplicas) {
    return tl::unexpected(
        BadRequest("the spec replicas field " + Quoted(path) + " cannot be empty"));
  }
  if (count < 0 && !resource.custom) {  // the validation of the object rejects it
    return tl::unexpected(Invalid(kScale, request.name,
                                  {{.reason = "FieldValueInvalid",
                                    .message = "Invalid value: " + std::to_string(count) +
                                               ": must be greater than or equal to 0",
                                    .field = "spec.replicas"}}));
  }
  const std::string_view uid = Metadata(scale, "uid");
  const std::string_view live_uid = Metadata(live, "uid");
  if (!update && !resource.custom && !uid.empty() && uid != live_uid) {
    const std::string plural = std::string(resource.plural) + "/scale";
    return tl::unexpected(Conflict({.group = resource.group, .plural = plural}, request.name,
                                   "Precondition failed: UID in precondition: " + std::string(uid) +
                                       ", UID in object meta: " + std::string(live_uid)));
  }
  runtime::JsonDocument managed(rapidjson::kObjectType);
  WriteManagedFields(managed, ManagersAfterScale(resource, live, scale));
  Json metadata = {{"resourceVersion", OmitEmpty(Metadata(scale, "resourceVersion"))},
                   {"uid", OmitEmpty(update ? uid : std::string_view())}};
  const runtime::JsonValue* const managers =
      runtime::FindPath(managed, {"metadata", "managedFields"});
  metadata.Add("managedFields", managers == nullptr ? Json(nullptr) : Json(*managers));
  Json patch = {{"metadata", std::move(metadata)}};
  std::vector<std::string_view> steps = PathSteps(path);
  Json value = count;
  for (; steps.size() > 1; steps.pop_back()) value = Json{{steps.back(), value}};
  patch.Add(steps.front(), value);
  return patch.text();
}

Result<std::string> OptionsFromEviction(const WriteRequest& request, std::string_view body) {
  const auto eviction = ParseSubresource(body, "policy/v1", "Eviction");
  if (!eviction) return tl::unexpected(eviction.error());
  if (Metadata(**eviction, "name") != request.name) {
    return tl::unexpected(BadRequest("name in URL does not match name in Eviction object"));
  }
  return runtime::ToJson(ObjectAt(**eviction, "deleteOptions"));
}

Result<std::string> PatchFromBinding(const WriteRequest& request, const runtime::JsonValue& live,
                                     std::string_view body) {
  const auto binding = ParseSubresource(body, "v1", "Binding");
  if (!binding) return tl::unexpected(binding.error());
  if (Metadata(**binding, "name") != request.name) {
    return tl::unexpected(BadRequest("name in URL does not match name in Binding object"));
  }
  // kube-apiserver returns these two errors without a Status.
  const runtime::JsonValue& target = ObjectAt(**binding, "target");
  const std::string_view node = runtime::GetString(target, "name");
  if (const std::string kind(runtime::GetString(target, "kind")); !kind.empty() && kind != "Node") {
    return tl::unexpected(InternalError("target.kind: Unsupported value: \"" + kind +
                                        R"(": supported values: "Node", "<empty>")"));
  }
  if (node.empty()) return tl::unexpected(InternalError("target.name: Required value"));
  const std::string_view uid = Metadata(**binding, "uid");
  const std::string_view live_uid = Metadata(live, "uid");
  if (!uid.empty() && uid != live_uid) {
    return tl::unexpected(
        Conflict(*request.resource, request.name,
                 "StorageError: invalid object, Code: 4, Key: /registry/pods/" +
                     Key(request.namespace_, request.name) +
                     ", ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: UID in "
                     "precondition: " +
                     std::string(uid) + ", UID in object meta: " + std::string(live_uid)));
  }
  const auto conflict = [&](const std::string& cause) {
    constexpr Resource kPodBinding = {.plural = "pods/binding", .kind = "Pod"};
    return tl::unexpected(Conflict(kPodBinding, request.name, cause));
  };
  if (!Metadata(live, "deletionTimestamp").empty()) {
    return conflict("pod " + request.name + " is being deleted, cannot be assigned to a host");
  }
  const std::string_view bound = runtime::GetString(ObjectAt(live, "spec"), "nodeName");
  if (!bound.empty()) {
    return conflict("pod " + request.name + " is already assigned to node \"" + std::string(bound) +
                    "\"");
  }
  const Json condition = {{"type", "PodScheduled"},
                          {"status", "True"},
                          {"lastProbeTime", nullptr},
                          {"lastTransitionTime", NowText()}};
  return Json({{"spec", {{"nodeName", node}}},
               {"status", {{"conditions", Json::List({condition})}}}})
      .text();
}

}  // namespace capstan::testing::apiserver
