// SPDX-License-Identifier: Apache-2.0
// Pod (core/v1): what readiness gates read: a few annotations and labels, the CSI drivers of its
// volumes, and of the status phase, addresses and conditions. A pod of 30 KiB becomes less than
// one. Immutable; safe to read from any thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "clientgo/api/condition.h"
#include "clientgo/api/kept_strings.h"
#include "clientgo/runtime/object.h"
#include "clientgo/runtime/resource_type.h"

namespace clientgo::api {

// What kubelet puts on the API's copy of a static pod, which nobody else should write to.
inline constexpr std::string_view kMirrorAnnotation = "kubernetes.io/config.mirror";

class Pod final : public runtime::Object {
 public:
  struct Fields {
    KeptStrings annotations;
    KeptStrings labels;
    bool deleting = false;                      // it has a deletionTimestamp
    bool mirror = false;                        // of a static pod
    std::string node_name = {};                 // spec.nodeName
    std::vector<std::string> csi_drivers = {};  // spec.volumes[].csi.driver, each once, sorted
    std::string phase = {};                     // status.phase
    std::vector<std::string> pod_ips = {};      // status.podIPs[].ip as sent, never status.podIP
    Conditions conditions = {};
  };
  Pod(const runtime::ObjectMeta& meta, Fields fields);

  // nullopt: the pod does not have it, or the type does not keep it. It may be empty.
  std::optional<std::string_view> Annotation(std::string_view key) const {
    return fields_.annotations.Find(key);
  }
  std::optional<std::string_view> Label(std::string_view key) const {
    return fields_.labels.Find(key);
  }
  const Condition* FindCondition(std::string_view type) const {
    return api::FindCondition(fields_.conditions, type);
  }
  // Does an inline CSI volume of the pod use that driver?
  bool UsesCsiDriver(std::string_view driver) const;
  // Succeeded or Failed: its containers never run again.
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

// The keys of those to keep.
struct PodFields {
  std::vector<std::string> annotations = {};
  std::vector<std::string> labels = {};
};

runtime::ResourceType MakePodType(PodFields keep);

}  // namespace clientgo::api
