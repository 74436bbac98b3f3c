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

const Condition* FindIn(const Conditions& conditions, std::string_view type) {
  const auto found =
      std::find_if(conditions.begin(), conditions.end(),
                   [&](const Condition& condition) { return condition.type == type; });
  return found == conditions.end() ? nullptr : &*found;
}

using Types = std::optional<std::set<std::string, std::less<>>>;

// Keeps the first of several conditions of one type of `types`. nullopt: keeps all.
Conditions DecodeConditions(const JsonValue& object, const Types& types = {}) {
  Conditions conditions;
  ForEach(object, {"status", "conditions"}, [&](const JsonValue& entry) {
    const std::string_view type = GetString(entry, "type");
    if (type.empty()) return;
    if (types && (!types->contains(type) || FindIn(conditions, type) != nullptr)) return;
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

std::size_t HeapBytes(const Conditions& conditions) {
  std::size_t bytes = conditions.capacity() * sizeof(Condition);
  for (const Condition& condition : conditions) {
    bytes += HeapBytesOf(condition.type) + HeapBytesOf(condition.status);
  }
  return bytes;
}

// The containers never run again.
bool IsFinal(std::string_view phase) { return phase == "Succeeded" || phase == "Failed"; }

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

bool Pod::IsFinished() const { return IsFinal(phase()); }

bool Pod::UsesCsiDriver(std::string_view driver) const {
  return std::binary_search(fields_.csi_drivers.begin(), fields_.csi_drivers.end(), driver);
}

std::size_t Pod::ByteSize() const {
  return BlockBytes() + fields_.annotations.HeapBytes() + fields_.labels.HeapBytes() +
         (fields_.markers ? fields_.markers->HeapBytes() : 0) + HeapBytesOf(fields_.node_name) +
         HeapBytesOf(fields_.phase) + HeapBytes(fields_.csi_drivers) + HeapBytes(fields_.pod_ips) +
         HeapBytes(fields_.conditions);
}

namespace {

bool Contains(const std::vector<std::string>& texts, std::string_view text) {
  return std::find(texts.begin(), texts.end(), text) != texts.end();
}

std::vector<clientgo::runtime::Projection::Path> PodPaths(const PodFields& keep) {
  auto paths = clientgo::api::AnnotationPaths(keep.annotations);
  for (const std::string& key : keep.markers) paths.push_back({"metadata", "annotations", key});
  for (const std::string& key : keep.labels) paths.push_back({"metadata", "labels", key});
  paths.push_back({"metadata", "annotations", kMirrorAnnotation});
  paths.push_back({"metadata", "deletionTimestamp"});
  paths.push_back({"spec", "nodeName"});
  paths.push_back({"spec", "volumes", "csi", "driver"});
  paths.push_back({"status", "phase"});
  paths.push_back({"status", "podIPs", "ip"});
  paths.push_back({"status", "conditions", "type"});
  paths.push_back({"status", "conditions", "status"});
  return paths;
}

// PodDecoder makes Pods of what PodFields name. All its Pods share the keys.
struct PodDecoder {
  explicit PodDecoder(PodFields the_fields)
      : keep(std::move(the_fields)),
        annotations(std::make_shared<const PackedStringMap::Keys>(keep.annotations)),
        markers(std::make_shared<const PackedStringMap::Keys>(keep.markers)),
        labels(std::make_shared<const PackedStringMap::Keys>(keep.labels)) {}

  Pod::Fields Decode(const JsonValue& value) const {
    const JsonValue* annotated = FindPath(value, {"metadata", "annotations"});
    Pod::Fields fields{
        .annotations = PackedStringMap(annotations, nullptr),
        .labels = PackedStringMap(labels, nullptr),
        .deleting = clientgo::api::IsDeleting(value),
        .mirror = annotated != nullptr && Find(*annotated, kMirrorAnnotation) != nullptr,
        .node_name = StringAt(value, "spec", "nodeName"),
        .csi_drivers = CsiDrivers(value),
        .phase = StringAt(value, "status", "phase")};
    if (!keep.csi_driver.empty()) {
      const bool used = Contains(fields.csi_drivers, keep.csi_driver);
      fields.csi_drivers.clear();
      if (used) fields.csi_drivers = {keep.csi_driver};
      fields.csi_drivers.shrink_to_fit();
      if (!used || fields.mirror || IsFinal(fields.phase)) return fields;
    }
    fields.annotations = PackedStringMap(annotations, annotated, keep.annotation_bytes_max);
    if (!keep.markers.empty()) {
      fields.markers = PackedStringMap(markers, annotated, /*bytes_max=*/0);
    }
    fields.labels = PackedStringMap(labels, FindPath(value, {"metadata", "labels"}));
    fields.pod_ips = PodIps(value);
    fields.conditions = DecodeConditions(value, keep.conditions);
    return fields;
  }

  const PodFields keep;
  const std::shared_ptr<const PackedStringMap::Keys> annotations;
  const std::shared_ptr<const PackedStringMap::Keys> markers;
  const std::shared_ptr<const PackedStringMap::Keys> labels;
};

}  // namespace

ResourceType MakePodType(PodFields keep) {
  const clientgo::runtime::Projection projection(PodPaths(keep));
  const auto decoder = std::make_shared<const PodDecoder>(std::move(keep));
  return {.gvr = clientgo::api::PodsResource(),
          .kind = "Pod",
          .namespaced = true,
          .projection = projection,
          .decode = [decoder](const ObjectIdentity& meta,
                              const JsonValue& value) -> clientgo::util::Expected<ObjectPtr> {
            return clientgo::runtime::MakeObject<Pod>(meta, decoder->Decode(value));
          }};
}

ResourceType MakeGateConfigMapType(const std::set<std::string, std::less<>>& keys,
                                   std::set<std::string, std::less<>> names) {
  using clientgo::api::ConfigMap;
  std::vector<clientgo::runtime::Projection::Path> paths;
  paths.reserve(keys.size());
  for (const std::string& key : keys) paths.push_back({"data", key});
  ResourceType type = ConfigMap::Type();
  type.projection = clientgo::runtime::Projection(paths);
  type.decode = [keys, names = std::move(names)](
                    const ObjectIdentity& meta,
                    const JsonValue& value) -> clientgo::util::Expected<ObjectPtr> {
    ConfigMap::Data data;
    const JsonValue* members = Find(value, "data");
    const bool named = names.empty() || names.contains(meta.name);
    for (const std::string& key : keys) {
      if (!named || members == nullptr || GetString(*members, key).empty()) continue;
      data.emplace(key, "1");
    }
    return clientgo::runtime::MakeObject<ConfigMap>(meta, std::move(data));
  };
  return type;
}

}  // namespace capstan::controllers::readinessgate
