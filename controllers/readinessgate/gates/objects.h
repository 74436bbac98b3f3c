// SPDX-License-Identifier: Apache-2.0
// The parts of Pods, Nodes and ConfigMaps that readiness gates read. A Pod of 30 KiB is kept as
// less than 1 KiB. Nothing is kept in proportion to what a pod's author writes: see PodFields.
// Objects are immutable and safe to read from any thread.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "capstan/api/config_map.h"
#include "capstan/api/packed_string_map.h"
#include "capstan/runtime/object.h"
#include "capstan/runtime/resource_type.h"

namespace capstan::readinessgate {

// Condition is the type and status of an entry of status.conditions.
struct Condition {
  std::string type;
  std::string status;  // "True", "False" or "Unknown"; other text is kept unchanged
};
// In the server's order. The first of several entries of one type counts, as in kubectl.
using Conditions = std::vector<Condition>;

class Node final : public runtime::Object {
 public:
  static const runtime::ResourceType& Type();
  Node(const runtime::ObjectIdentity& meta, Conditions conditions)
      : Object(meta), conditions_(std::move(conditions)) {}

  // nullptr when the node does not have the condition.
  const Condition* FindCondition(std::string_view type) const;
  const Conditions& conditions() const { return conditions_; }
  std::size_t ByteSize() const override;

 private:
  Conditions conditions_;
};

class Pod final : public runtime::Object {
 public:
  struct Fields {
    api::PackedStringMap annotations;
    api::PackedStringMap labels;
    std::optional<api::PackedStringMap> markers = {};  // of PodFields::markers
    bool deleting = false;                             // metadata.deletionTimestamp is set
    bool mirror = false;                               // the API's copy of a static pod
    std::string node_name = {};                        // spec.nodeName
    std::vector<std::string> csi_drivers = {};  // spec.volumes[].csi.driver, unique and sorted
    std::string phase = {};                     // status.phase
    std::vector<std::string> pod_ips = {};      // status.podIPs[].ip; status.podIP is not read
    Conditions conditions = {};
  };
  Pod(const runtime::ObjectIdentity& meta, Fields fields)
      : Object(meta), fields_(std::move(fields)) {}

  // nullopt when the pod does not have the key, or its ResourceType does not keep it.
  std::optional<std::string_view> Annotation(std::string_view key) const {
    return fields_.annotations.Find(key);
  }
  // Reports whether the pod has the annotation with a value that is not empty. Of an annotation in
  // PodFields::markers.
  bool HasMarker(std::string_view key) const {
    return fields_.markers && !fields_.markers->Find(key).value_or("").empty();
  }
  std::optional<std::string_view> Label(std::string_view key) const {
    return fields_.labels.Find(key);
  }
  // nullptr when the pod does not have the condition.
  const Condition* FindCondition(std::string_view type) const;
  // Reports whether an inline CSI volume of the pod uses the driver.
  bool UsesCsiDriver(std::string_view driver) const;
  // Succeeded or Failed: the containers never run again.
  bool IsFinished() const;

  bool deleting() const { return fields_.deleting; }
  bool mirror() const { return fields_.mirror; }
  const std::string& node_name() const { return fields_.node_name; }
  const std::string& phase() const { return fields_.phase; }
  const std::vector<std::string>& pod_ips() const { return fields_.pod_ips; }
  const Conditions& conditions() const { return fields_.conditions; }
  std::size_t ByteSize() const override;

 private:
  Fields fields_;
};

using PodPtr = runtime::ObjectPtrTo<Pod>;
using NodePtr = runtime::ObjectPtrTo<Node>;

// PodFields is what MakePodType keeps of a pod.
struct PodFields {
  // The values of these annotations, together at most `annotation_bytes_max` bytes. The first value
  // beyond them is cut, and later ones are dropped.
  std::vector<std::string> annotations = {};
  std::size_t annotation_bytes_max = api::PackedStringMap::kNoLimit;
  std::vector<std::string> markers = {};  // annotations: only whether the value is empty
  std::vector<std::string> labels = {};
  std::optional<std::set<std::string, std::less<>>> conditions = {};  // their types; nullopt: all
  // Not empty: a pod without an inline volume of this driver, a mirror pod and a finished pod have
  // only their identity, node and phase.
  std::string csi_driver = {};
};
runtime::ResourceType MakePodType(PodFields keep);

// Returns a type of ConfigMaps that keeps which of `keys` have a value that is not empty, as a
// value of one byte. Not empty `names`: others have only their identity.
runtime::ResourceType MakeGateConfigMapType(const std::set<std::string, std::less<>>& keys,
                                            std::set<std::string, std::less<>> names = {});

}  // namespace capstan::readinessgate
