// SPDX-License-Identifier: Apache-2.0
// PodOutput: what a pod is to carry of us, what it does carry, and the patch from one to the other.
// Plain data and pure functions.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "clientgo/api/pod.h"
#include "clientgo/util/clock.h"

namespace controllers::readinessgate {

struct OutputKinds {
  bool annotation = true;
  bool condition = false;
  friend bool operator==(const OutputKinds&, const OutputKinds&) = default;
};

struct PodOutput {
  std::optional<std::string> ready = {};   // the gate key; nullopt: absent
  std::optional<std::string> status = {};  // why it waits, JSON
  std::string condition = {};              // status of the pod condition: "True"; empty: none
  friend bool operator==(const PodOutput&, const PodOutput&) = default;
};

// What the pod carries now, of `kinds`.
PodOutput HeldBy(const clientgo::api::Pod& pod, OutputKinds kinds);

// The two requests that a write may take. Each has the uid and the resourceVersion of the pod that
// was looked at, so that it never lands on a successor of the same name.
enum class PatchPart { kMetadata, kStatus };
struct PatchTarget {
  std::string_view uid;
  std::string_view resource_version;
};
// Of kMetadata: a JSON merge patch of what differs of `ready` and `status`.
std::string MetadataPatch(const PatchTarget& target, const PodOutput& held,
                          const PodOutput& wanted);
// Of kStatus, subresource status: a strategic merge patch, which leaves others' conditions alone.
std::string ConditionPatch(const PatchTarget& target, const PodOutput& wanted,
                           clientgo::util::Clock::WallTime now);

// Is the version `a` before `b`? false when one of them is no number.
bool IsOlderVersion(std::string_view a, std::string_view b);

}  // namespace controllers::readinessgate
