// SPDX-License-Identifier: Apache-2.0
#include "controllers/readinessgate/gates/objects.h"

#include <algorithm>
#include <memory>

#include "capstan/api/gvr.h"
#include "capstan/api/object_metadata.h"
#include "capstan/heap.h"
#include "capstan/runtime/json_value.h"

namespace capstan::readinessgate {
namespace {

// The kubelet sets this annotation on the API's copy of a static pod.
constexpr char kMirrorAnnotation[] = "kubernetes.io/config.mirror";

// Calls `add` for each element of the list at `path`.
template <class Add>
void ForEach(const runtime::JsonValue& object, std::initializer_list<std::string_view> path,
             Add add) {
  const runtime::JsonValue* list = runtime::FindPath(object, path);
  if (list == nullptr) return;
  for (const runtime::JsonValue& element : runtime::JsonElements(*list)) add(element);
}

const Condition* FindIn(const Conditions& conditions, std::string_view type) {
  const auto found =
      std::find_if(conditions.begin(), conditions.end(),
                   [&](const Condition& condition) { return condition.type == type; });
  return found == conditions.end() ? nullptr : &*found;
}

using Types = std::optional<std::set<std::string, std::less<>>>;

// Keeps the first of several conditions of one type of `types`. nullopt: keeps all.
Conditions DecodeConditions(const runtime::JsonValue& object, const Types& types = {}) {
  Conditions conditions;
  ForEach(object, {"status", "conditions"}, [&](const runtime::JsonValue& entry) {
    const std::string_view type = runtime::GetString(entry, "type");
    if (type.empty()) return;
    if (types && (!types->contains(type) || FindIn(conditions, type) != nullptr)) return;
    conditions.push_back(
        {.type = std::string(type), .status = std::string(runtime::GetString(entry, "status"))});
  });
  conditions.shrink_to_fit();
  return conditions;
}

std::vector<std::string> CsiDrivers(const runtime::JsonValue& pod) {
  std::vector<std::string> drivers;
  ForEach(pod, {"spec", "volumes"}, [&](const runtime::JsonValue& volume) {
    const runtime::JsonValue* csi = runtime::Find(volume, "csi");
    if (csi == nullptr) return;
    const std::string_view driver = runtime::GetString(*csi, "driver");
    if (!driver.empty()) drivers.emplace_back(driver);
  });
  std::sort(drivers.begin(), drivers.end());
  drivers.erase(std::unique(drivers.begin(), drivers.end()), drivers.end());
  return drivers;
}

std::vector<std::string> PodIps(const runtime::JsonValue& pod) {
  std::vector<std::string> ips;
  ForEach(pod, {"status", "podIPs"}, [&](const runtime::JsonValue& entry) {
    const std::string_view ip = runtime::GetString(entry, "ip");
    if (!ip.empty()) ips.emplace_back(ip);
  });
  return ips;
}

std::string StringAt(const runtime::JsonValue& pod, std::string_view object, std::string_view key) {
  const runtime::JsonValue* parent = runtime::Find(pod, object);
  return parent == nullptr ? std::string() : std::string(runtime::GetString(*parent, key));
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

const runtime::ResourceType& Node::Type() {
  static const runtime::ResourceType type = {
      .gvr = api::NodesResource(),
      .kind = "Node",
      .namespaced = false,
      .projection = {{"status", "conditions", "type"}, {"status", "conditions", "status"}},
      .decode = [](const runtime::ObjectIdentity& meta,
                   const runtime::JsonValue& value) -> Expected<runtime::ObjectPtr> {
        return runtime::MakeObject<Node>(meta, DecodeConditions(value));
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

std::vector<runtime::Projection::Path> PodPaths(const PodFields& keep) {
  auto paths = api::AnnotationPaths(keep.annotations);
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
        annotations(std::make_shared<const api::PackedStringMap::Keys>(keep.annotations)),
        markers(std::make_shared<const api::PackedStringMap::Keys>(keep.markers)),
        labels(std::make_shared<const api::PackedStringMap::Keys>(keep.labels)) {}

  Pod::Fields Decode(const runtime::JsonValue& value) const {
    const runtime::JsonValue* annotated = runtime::FindPath(value, {"metadata", "annotations"});
    Pod::Fields fields{
        .annotations = api::PackedStringMap(annotations, nullptr),
        .labels = api::PackedStringMap(labels, nullptr),
        .deleting = api::IsDeleting(value),
        .mirror = annotated != nullptr && runtime::Find(*annotated, kMirrorAnnotation) != nullptr,
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
    fields.annotations = api::PackedStringMap(annotations, annotated, keep.annotation_bytes_max);
    if (!keep.markers.empty()) {
      fields.markers = api::PackedStringMap(markers, annotated, /*bytes_max=*/0);
    }
    fields.labels = api::PackedStringMap(labels, runtime::FindPath(value, {"metadata", "labels"}));
    fields.pod_ips = PodIps(value);
    fields.conditions = DecodeConditions(value, keep.conditions);
    return fields;
  }

  const PodFields keep;
  const std::shared_ptr<const api::PackedStringMap::Keys> annotations;
  const std::shared_ptr<const api::PackedStringMap::Keys> markers;
  const std::shared_ptr<const api::PackedStringMap::Keys> labels;
};

}  // namespace

runtime::ResourceType MakePodType(PodFields keep) {
  const runtime::Projection projection(PodPaths(keep));
  const auto decoder = std::make_shared<const PodDecoder>(std::move(keep));
  return {.gvr = api::PodsResource(),
          .kind = "Pod",
          .namespaced = true,
          .projection = projection,
          .decode = [decoder](const runtime::ObjectIdentity& meta,
                              const runtime::JsonValue& value) -> Expected<runtime::ObjectPtr> {
            return runtime::MakeObject<Pod>(meta, decoder->Decode(value));
          }};
}

runtime::ResourceType MakeGateConfigMapType(const std::set<std::string, std::less<>>& keys,
                                            std::set<std::string, std::less<>> names) {
  std::vector<runtime::Projection::Path> paths;
  paths.reserve(keys.size());
  for (const std::string& key : keys) paths.push_back({"data", key});
  runtime::ResourceType type = TypeOf<api::ConfigMap>();
  type.projection = runtime::Projection(paths);
  type.decode = [keys, names = std::move(names)](
                    const runtime::ObjectIdentity& meta,
                    const runtime::JsonValue& value) -> Expected<runtime::ObjectPtr> {
    api::ConfigMap map;
    const runtime::JsonValue* members = runtime::Find(value, "data");
    const bool named = names.empty() || names.contains(meta.name);
    for (const std::string& key : keys) {
      if (!named || members == nullptr || runtime::GetString(*members, key).empty()) continue;
      map.data.emplace(key, "1");
    }
    return runtime::MakeObject<TypedObject<api::ConfigMap>>(meta, std::move(map));
  };
  return type;
}

}  // namespace capstan::readinessgate
