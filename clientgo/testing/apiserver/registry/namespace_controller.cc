// SPDX-License-Identifier: Apache-2.0
#include "clientgo/testing/apiserver/registry/namespace_controller.h"

#include <algorithm>
#include <string_view>
#include <vector>

#include "capstan/log.h"
#include "clientgo/testing/apiserver/types/json_edit.h"
#include "clientgo/testing/apiserver/types/kind_versions.h"

namespace capstan::testing::apiserver {
namespace {

constexpr std::string_view kFinalizer = "kubernetes";  // the controller's

// The namespaces are the first of the built-in resources.
const Resource& Namespaces() { return Resources().front(); }

// Returns the finalizers without that of the controller.
Json OtherFinalizers(const Object& ns) {
  std::vector<Json> others;
  const auto object = ParseObject(ns);
  for (const auto& finalizer : ListAt(ObjectAt(*object, "spec"), "finalizers").GetArray()) {
    if (runtime::ToView(finalizer) != kFinalizer) others.emplace_back(runtime::ToView(finalizer));
  }
  return Json::List(others);
}

}  // namespace

void NamespaceController::Observe(const Resource& resource, const Event& event) {
  const bool removed = event.type == EventType::kDeleted;
  if (&resource != &Namespaces()) {
    if (!removed || terminating_.empty()) return;
    const std::string_view ns = std::string_view(event.key).substr(0, event.key.find('/'));
    if (!resource.namespaced || terminating_.find(ns) == terminating_.end()) return;
    return Add({.resource = &Namespaces(), .key = std::string(ns)});
  }
  if (removed) {
    terminating_.erase(event.key);
    return;
  }
  if (event.object->metadata().find(R"("deletionTimestamp")") == std::string_view::npos) return;
  if (Metadata(*ParseObject(*event.object), "deletionTimestamp").empty()) return;
  terminating_.insert(event.key);
  Add({.resource = &Namespaces(), .key = event.key});
}

void NamespaceController::Process(const Item& item) {
  // A new namespace may have the name of one that is gone.
  if (terminating_.find(item.key) == terminating_.end() || DeleteContents(item.key)) return;
  const WriteRequest request{.resource = &Namespaces(),
                             .name = item.key,
                             .subresource = "finalize",
                             .field_manager = "kube-controller-manager",
                             .in_process = true};
  const ObjectPtr ns = storage_.Get(Namespaces(), item.key);
  if (ns == nullptr) return;
  const auto finalized = registry_.Patch(
      request, PatchKind::kMerge, Json({{"spec", {{"finalizers", OtherFinalizers(*ns)}}}}).text());
  if (finalized) return;
  WarningS("Failed to finalize a namespace", "namespace", item.key, "err",
           finalized.error().message);
}

bool NamespaceController::DeleteContents(const std::string& ns) {
  bool left = false;
  std::vector<const Resource*> kinds;  // each once, not each of its versions
  for (const Resource* const one : resources_.All()) {
    const Resource* const kind = &StoredAs(*one);
    const bool known = std::find(kinds.begin(), kinds.end(), kind) != kinds.end();
    if (one->namespaced && !known) kinds.push_back(kind);
  }
  for (const Resource* const resource : kinds) {
    std::vector<std::string> names;
    storage_.Visit(*resource, ns, storage_.resource_version(), "",
                   [&](const Storage::Entry& entry) {
                     names.emplace_back(entry.key.substr(ns.size() + 1));
                     return true;
                   });
    for (const std::string& name : names) {
      const WriteRequest request{
          .resource = resource, .namespace_ = ns, .name = name, .in_process = true};
      // There is no kubelet that would end the Pods.
      const auto deleted =
          registry_.Delete(request, {.propagation = "Background", .grace_period = 0});
      left = left || !deleted || deleted->created;
    }
  }
  return left;
}

}  // namespace capstan::testing::apiserver
