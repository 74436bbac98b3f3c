// SPDX-License-Identifier: Apache-2.0
#include "clientgo/api/pod.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "clientgo/api/gvr.h"
#include "clientgo/api/object_metadata.h"
#include "clientgo/runtime/json.h"

namespace clientgo::api {
namespace {

std::vector<std::string> CsiDrivers(const runtime::JsonValue& pod) {
  std::vector<std::string> drivers;
  const runtime::JsonValue* volumes = runtime::FindPath(pod, {"spec", "volumes"});
  if (volumes == nullptr || !volumes->IsArray()) return drivers;
  for (const runtime::JsonValue& volume : volumes->GetArray()) {
    const runtime::JsonValue* csi = runtime::Find(volume, "csi");
    if (csi == nullptr) continue;
    const std::string_view driver = runtime::GetString(*csi, "driver");
    if (!driver.empty()) drivers.emplace_back(driver);
  }
  std::sort(drivers.begin(), drivers.end());
  drivers.erase(std::unique(drivers.begin(), drivers.end()), drivers.end());
  return drivers;
}

std::vector<std::string> PodIps(const runtime::JsonValue& pod) {
  std::vector<std::string> ips;
  const runtime::JsonValue* list = runtime::FindPath(pod, {"status", "podIPs"});
  if (list == nullptr || !list->IsArray()) return ips;
  for (const runtime::JsonValue& entry : list->GetArray()) {
    const std::string_view ip = runtime::GetString(entry, "ip");
    if (!ip.empty()) ips.emplace_back(ip);
  }
  return ips;
}

std::string StringAt(const runtime::JsonValue& pod, std::string_view object, std::string_view key) {
  const runtime::JsonValue* parent = runtime::Find(pod, object);
  return parent == nullptr ? std::string() : std::string(runtime::GetString(*parent, key));
}

std::size_t HeapBytes(const std::vector<std::string>& texts) {
  std::size_t bytes = texts.capacity() * sizeof(std::string);
  for (const std::string& text : texts) bytes += text.capacity();
  return bytes;
}

}  // namespace

Pod::Pod(const runtime::ObjectMeta& meta, Fields fields)
    : Object(meta), fields_(std::move(fields)) {}

bool Pod::UsesCsiDriver(std::string_view driver) const {
  return std::binary_search(fields_.csi_drivers.begin(), fields_.csi_drivers.end(), driver);
}

std::size_t Pod::ByteSize() const {
  return sizeof *this + TextSize() + fields_.annotations.HeapBytes() + fields_.labels.HeapBytes() +
         fields_.node_name.capacity() + fields_.phase.capacity() + HeapBytes(fields_.csi_drivers) +
         HeapBytes(fields_.pod_ips) + api::HeapBytes(fields_.conditions);
}

runtime::ResourceType MakePodType(PodFields keep) {
  auto annotations = std::make_shared<const KeptStrings::Keys>(std::move(keep.annotations));
  auto labels = std::make_shared<const KeptStrings::Keys>(std::move(keep.labels));
  auto paths = AnnotationPaths(*annotations);
  for (const std::string& key : *labels) paths.push_back({"metadata", "labels", key});
  paths.push_back({"metadata", "annotations", std::string(kMirrorAnnotation)});
  paths.push_back({"metadata", "deletionTimestamp"});
  paths.push_back({"spec", "nodeName"});
  paths.push_back({"spec", "volumes", "csi", "driver"});
  paths.push_back({"status", "phase"});
  paths.push_back({"status", "podIPs", "ip"});
  paths.push_back({"status", "conditions", "type"});
  paths.push_back({"status", "conditions", "status"});
  auto decode = [annotations, labels](
                    const runtime::ObjectMeta& meta,
                    const runtime::JsonValue& value) -> util::Expected<runtime::ObjectPtr> {
    const runtime::JsonValue* annotated = runtime::FindPath(value, {"metadata", "annotations"});
    return std::make_shared<const Pod>(
        meta,
        Pod::Fields{.annotations = KeptStrings(annotations, annotated),
                    .labels = KeptStrings(labels, runtime::FindPath(value, {"metadata", "labels"})),
                    .deleting = IsDeleting(value),
                    .mirror = annotated != nullptr &&
                              runtime::Find(*annotated, kMirrorAnnotation) != nullptr,
                    .node_name = StringAt(value, "spec", "nodeName"),
                    .csi_drivers = CsiDrivers(value),
                    .phase = StringAt(value, "status", "phase"),
                    .pod_ips = PodIps(value),
                    .conditions = DecodeConditions(value)});
  };
  return {.gvr = PodsResource(),
          .kind = "Pod",
          .namespaced = true,
          .projection = runtime::Projection(paths),
          .decode = std::move(decode)};
}

}  // namespace clientgo::api
