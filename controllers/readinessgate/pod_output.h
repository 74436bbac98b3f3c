// SPDX-License-Identifier: Apache-2.0
// PodOutput is what the agent writes to a pod: two annotations and a condition. This file compares
// it with a pod and builds the patches. The functions are pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "capstan/clock.h"
#include "controllers/readinessgate/gates/objects.h"

namespace capstan::readinessgate {

struct OutputKinds {
  bool annotation = true;
  bool condition = false;
};

struct PodOutput {
  std::optional<std::string> ready = {};   // of kReadyKey; nullopt: absent
  std::optional<std::string> status = {};  // of kStatusKey
  std::string condition = {};              // status of kCertGatesCondition; "": no condition
  friend bool operator==(const PodOutput&, const PodOutput&) = default;
};

// Returns what the pod carries now, restricted to `kinds`.
PodOutput HeldBy(const Pod& pod, OutputKinds kinds);

// Reports whether a pod that carries `held` is closed, and one that carries `wanted` is open.
bool Opens(const PodOutput& held, const PodOutput& wanted);

// PodOutputSink makes pods carry the wanted output.
class PodOutputSink {
 public:
  virtual ~PodOutputSink() = default;
  // Replaces what `pod` should carry. Never blocks on the network.
  virtual void SetOutput(const Pod& pod, PodOutput wanted) = 0;
  virtual void Forget(std::string_view key) = 0;
};

// A write takes up to two requests. Each names the uid and resourceVersion of the pod that was
// read, so it never applies to a successor of the same name.
enum class PatchPart { kMetadata, kStatus };
struct PatchTarget {
  std::string_view uid;
  std::string_view resource_version;
};
// The kMetadata request: a JSON merge patch with the differences of `ready` and `status`.
std::string MetadataPatch(const PatchTarget& target, const PodOutput& held,
                          const PodOutput& wanted);
// The kStatus request, for subresource status: a strategic merge patch, which keeps the conditions
// of others.
std::string ConditionPatch(const PatchTarget& target, const PodOutput& wanted, Clock::WallTime now);

// Reports whether version `a` precedes `b`; false when one of them is not a number.
bool IsOlderVersion(std::string_view a, std::string_view b);

}  // namespace capstan::readinessgate
