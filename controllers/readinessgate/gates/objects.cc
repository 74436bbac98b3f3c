// SPDX-License-Identifier: Apache-2.0
#include "controllers/readinessgate/gates/objects.h"

#include <algorithm>
#include <memory>

#include "capstan/clientgo/api/gvr.h"
#include "capstan/clientgo/api/object_metadata.h"
#include "capstan/clientgo/runtime/json_value.h"
#include "capstan/clientgo/util/heap.h"

namespace capstan::controllers::readinessgate {
namespace {

using clientgo::api::PackedStringMap;
using clientgo::runtime::Find;
using clientgo::runtime::FindPath;
using clientgo::runtime::GetString;
using clientgo::runtime::JsonValue;
using clientgo::runtime::ObjectIdentity;
using clientgo::runtime::ObjectPtr;
using clientgo::runtime::ResourceType;
using clientgo::util::HeapBytesOf;

// The kubelet sets this annotation on the API's copy of a static pod.
constexpr char kMirrorAnnotation[] = "kubernetes.io/config.mirror";

// Calls `add` for each element of the list at `path`.
template <class Add>
void ForEach(const JsonValue& object, std::initializer_list<std::string_view> path, Add add) {
  const JsonValue* list = FindPath(object, path);
  if (list == nullptr) return;
  for (const JsonValue& element : clientgo::runtime::JsonElements(*list)) add(element);
}

Conditions DecodeConditions(const JsonValue& object) {
  Conditions conditions;
  ForEach(object, {"status", "conditions"}, [&](const JsonValue& entry) {
    const std::string_view type = GetString(entry, "type");
    if (type.empty()) return;
    conditions.push_back(
        {.type = std::string(type), .status = std::string(GetString(entry, "status"))});
  });
  conditions.shrink_to_fit();
  return conditions;
}

std::vector<std::string> CsiDrivers(const JsonValue& pod) {
  std::vector<std::string> drivers;
  ForEach(pod, {"spec", "volumes"}, [&](const JsonValue& volume) {
    const JsonValue* csi = Find(volume, "csi");
    if (csi == nullptr) return;
    const std::string_view driver = GetString(*csi, "driver");
    if (!driver.empty()) drivers.emplace_back(driver);
  });
  std::sort(drivers.begin(), drivers.end());
  drivers.erase(std::unique(drivers.begin(), drivers.end()), drivers.end());
  return drivers;
}

std::vector<std::string> PodIps(const JsonValue& pod) {
  std::vector<std::string> ips;
  ForEach(pod, {"status", "podIPs"}, [&](const JsonValue& entry) {
    const std::string_view ip = GetString(entry, "ip");
    if (!ip.empty()) ips.emplace_back(ip);
  });
  return ips;
}

std::string StringAt(const JsonValue& pod, std::string_view object, std::string_view key) {
  const JsonValue* parent = Find(pod, object);
  return parent == nullptr ? std::string() : std::string(GetString(*parent, key));
}

const Condition* FindIn(const Conditions& conditions, std::string_view type) {
  const auto found =
      std::find_if(conditions.begin(), conditions.end(),
                   [&](const Condition& condition) { return condition.type == type; });
  return found == conditions.end() ? nullptr : &*found;
}

std::size_t HeapBytes(const Conditions& conditions) {
  std::size_t bytes = conditions.capacity() * sizeof(Condition);
  for (const Condition& condition : conditions) {
    bytes += HeapBytesOf(condition.type) + HeapBytesOf(condition.status);
  }
  return bytes;
}

std::size_t HeapBytes(const std::vector<std::string>& texts) {
  std::size_t bytes = texts.capacity() * sizeof(std::string);
  for (const std::string& text : texts) bytes += HeapBytesOf(text);
  return bytes;
}

}  // namespace

const ResourceType& Node::Type() {
  static const ResourceType type = {
      .gvr = clientgo::api::NodesResource(),
      .kind = "Node",
      .namespaced = false,
      .projection = {{"status", "conditions", "type"}, {"status", "conditions", "status"}},
      .decode = [](const ObjectIdentity& meta,
                   const JsonValue& value) -> clientgo::util::Expected<ObjectPtr> {
        return clientgo::runtime::MakeObject<Node>(meta, DecodeConditions(value));
      }};
  return type;
}

const Condition* Node::FindCondition(std::string_view type) const {
  return FindIn(conditions_, type);
}

std::size_t Node::ByteSize() const { return BlockBytes() + HeapBytes(conditions_); }

const Condition* Pod::FindCondition(std::string_view type) const {
  return FindIn(fields_.conditions, type);
}

bool Pod::UsesCsiDriver(std::string_view driver) const {
  return std::binary_search(fields_.csi_drivers.begin(), fields_.csi_drivers.end(), driver);
}

std::size_t Pod::ByteSize() const {
  return BlockBytes() + fields_.annotations.HeapBytes() + fields_.labels.HeapBytes() +
         HeapBytesOf(fields_.node_name) + HeapBytesOf(fields_.phase) +
         HeapBytes(fields_.csi_drivers) + HeapBytes(fields_.pod_ips) +
         HeapBytes(fields_.conditions);
}

ResourceType MakePodType(PodFields keep) {
  auto annotations = std::make_shared<const PackedStringMap::Keys>(std::move(keep.annotations));
  auto labels = std::make_shared<const PackedStringMap::Keys>(std::move(keep.labels));
  auto paths = clientgo::api::AnnotationPaths(*annotations);
  for (const std::string& key : *labels) paths.push_back({"metadata", "labels", key});
  paths.push_back({"metadata", "annotations", kMirrorAnnotation});
  paths.push_back({"metadata", "deletionTimestamp"});
  paths.push_back({"spec", "nodeName"});
  paths.push_back({"spec", "volumes", "csi", "driver"});
  paths.push_back({"status", "phase"});
  paths.push_back({"status", "podIPs", "ip"});
  paths.push_back({"status", "conditions", "type"});
  paths.push_back({"status", "conditions", "status"});
  auto decode = [annotations, labels](
                    const ObjectIdentity& meta,
                    const JsonValue& value) -> clientgo::util::Expected<ObjectPtr> {
    const JsonValue* annotated = FindPath(value, {"metadata", "annotations"});
    return clientgo::runtime::MakeObject<Pod>(
        meta, Pod::Fields{
                  .annotations = PackedStringMap(annotations, annotated),
                  .labels = PackedStringMap(labels, FindPath(value, {"metadata", "labels"})),
                  .deleting = clientgo::api::IsDeleting(value),
                  .mirror = annotated != nullptr && Find(*annotated, kMirrorAnnotation) != nullptr,
                  .node_name = StringAt(value, "spec", "nodeName"),
                  .csi_drivers = CsiDrivers(value),
                  .phase = StringAt(value, "status", "phase"),
                  .pod_ips = PodIps(value),
                  .conditions = DecodeConditions(value)});
  };
  return {.gvr = clientgo::api::PodsResource(),
          .kind = "Pod",
          .namespaced = true,
          .projection = clientgo::runtime::Projection(paths),
          .decode = std::move(decode)};
}

}  // namespace capstan::controllers::readinessgate
