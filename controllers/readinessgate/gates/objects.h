// SPDX-License-Identifier: Apache-2.0
// The parts of Pods and Nodes that readiness gates read. A Pod of 30 KiB is kept as less than 1
// KiB. Objects are immutable and safe to read from any thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "capstan/clientgo/api/packed_string_map.h"
#include "capstan/clientgo/runtime/object.h"
#include "capstan/clientgo/runtime/resource_type.h"

namespace capstan::controllers::readinessgate {

// Condition is the type and status of an entry of status.conditions.
struct Condition {
  std::string type;
  std::string status;  // "True", "False" or "Unknown"; other text is kept unchanged
};
// In the server's order. The first of several entries of one type counts, as in kubectl.
using Conditions = std::vector<Condition>;

class Node final : public clientgo::runtime::Object {
 public:
  static const clientgo::runtime::ResourceType& Type();
  Node(const clientgo::runtime::ObjectIdentity& meta, Conditions conditions)
      : Object(meta), conditions_(std::move(conditions)) {}

  // nullptr when the node does not have the condition.
  const Condition* FindCondition(std::string_view type) const;
  const Conditions& conditions() const { return conditions_; }
  std::size_t ByteSize() const override;

 private:
  Conditions conditions_;
};

class Pod final : public clientgo::runtime::Object {
 public:
  struct Fields {
    clientgo::api::PackedStringMap annotations;
    clientgo::api::PackedStringMap labels;
    bool deleting = false;                      // metadata.deletionTimestamp is set
    bool mirror = false;                        // the API's copy of a static pod
    std::string node_name = {};                 // spec.nodeName
    std::vector<std::string> csi_drivers = {};  // spec.volumes[].csi.driver, unique and sorted
    std::string phase = {};                     // status.phase
    std::vector<std::string> pod_ips = {};      // status.podIPs[].ip; status.podIP is not read
    Conditions conditions = {};
  };
  Pod(const clientgo::runtime::ObjectIdentity& meta, Fields fields)
      : Object(meta), fields_(std::move(fields)) {}

  // nullopt when the pod does not have the key, or its ResourceType does not keep it.
  std::optional<std::string_view> Annotation(std::string_view key) const {
    return fields_.annotations.Find(key);
  }
  std::optional<std::string_view> Label(std::string_view key) const {
    return fields_.labels.Find(key);
  }
  // nullptr when the pod does not have the condition.
  const Condition* FindCondition(std::string_view type) const;
  // Reports whether an inline CSI volume of the pod uses the driver.
  bool UsesCsiDriver(std::string_view driver) const;
  // Succeeded or Failed: the containers never run again.
  bool IsFinished() const { return phase() == "Succeeded" || phase() == "Failed"; }

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

using PodPtr = clientgo::runtime::ObjectPtrTo<Pod>;
using NodePtr = clientgo::runtime::ObjectPtrTo<Node>;

// PodFields names the annotations and labels that MakePodType keeps.
struct PodFields {
  std::vector<std::string> annotations = {};
  std::vector<std::string> labels = {};
};
clientgo::runtime::ResourceType MakePodType(PodFields keep);

}  // namespace capstan::controllers::readinessgate
