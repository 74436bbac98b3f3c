// SPDX-License-Identifier: Apache-2.0
// The parts of the validation of a PodSpec, each in a file of its own. The texts are those of
// kube-apiserver 1.34. Mirrors a part of k8s.io/kubernetes/pkg/apis/core/validation.
#pragma once

#include <initializer_list>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "clientgo/testing/apiserver/validation/field_rules.h"

namespace capstan::testing::apiserver {

// PodScope is what the rules of a container need of its Pod.
struct PodScope {
  Place spec;
  bool is_pod;                                                  // not a template
  std::map<std::string_view, Place, std::less<>> volumes = {};  // the valid ones, by their names
  std::set<std::string_view> claims = {};                       // names of resourceClaims

  // Containers on the users of the host are the default.
  bool UsesHostUsers() const { return !spec["hostUsers"].value().IsFalse(); }
};

// Returns the init containers, the containers and the ephemeral containers.
std::vector<Place> AllContainers(const Place& spec);
// Check a path in a volume. `shown_as` is the place that the errors name.
void CheckPathNoBacksteps(const Place& path, const Place& shown_as, FieldRules& rules);
void CheckDescendingPath(const Place& path, const Place& shown_as, FieldRules& rules);
// Also "..data" is reserved.
void CheckNonReservedPath(const Place& path, FieldRules& rules);
void CheckMode(const Place& mode, FieldRules& rules);
// A port is a number or a name.
void CheckPortNumberOrName(const Place& port, FieldRules& rules);

// Adds the valid volumes to the scope. `pod_name` is empty for a template.
void CheckVolumes(const Place& volumes, std::string_view pod_name, PodScope& scope,
                  FieldRules& rules);
void CheckProjectedVolume(const Place& source, FieldRules& rules);
void CheckDownwardApiVolume(const Place& source, FieldRules& rules);
void CheckKeyToPath(const Place& item, FieldRules& rules);

void CheckContainers(const PodScope& scope, FieldRules& rules);

// Checks env and envFrom of a container.
void CheckEnvironment(const Place& container, FieldRules& rules);
// Checks a reference to a field of the Pod. `paths` are in the order of the error text.
void CheckFieldReference(const Place& reference, std::initializer_list<std::string_view> paths,
                         FieldRules& rules);
// Checks a reference to a resource of a container, which a file in a volume must name.
void CheckResourceReference(const Place& reference, bool needs_container, FieldRules& rules);

// Check the probes and the lifecycle of a container that runs beside others.
void CheckProbes(const Place& container, const PodScope& scope, FieldRules& rules);

void CheckContainerResources(const Place& requirements, const PodScope& scope, FieldRules& rules);
void CheckResizePolicy(const Place& policy, const PodScope& scope, FieldRules& rules);
void CheckPodResources(const PodScope& scope, FieldRules& rules);
void CheckOverhead(const PodScope& scope, FieldRules& rules);

void CheckSecurityContext(const Place& context, const PodScope& scope, FieldRules& rules);
void CheckPodSecurityContext(const Place& spec, FieldRules& rules);
void CheckSeccompProfile(const Place& profile, FieldRules& rules);
void CheckAppArmorProfile(const Place& profile, FieldRules& rules);
// Checks the annotations of a Pod or of a template that have a meaning for its spec.
void CheckPodAnnotations(const Place& annotations, const Place& spec, FieldRules& rules);
// The annotations that are the former form of profiles say what the fields say.
void CheckProfilesMatch(const Place& annotations, const Place& spec, FieldRules& rules);

void CheckWindowsOptions(const Place& options, FieldRules& rules);
// Checks what depends on the operating system of the Pod.
void CheckPodOs(const Place& spec, FieldRules& rules);
void CheckHostProcess(const Place& spec, FieldRules& rules);

// Checks the spec of a PersistentVolumeClaim, of a template of one, or of an ephemeral volume.
void CheckClaimSpec(const Place& spec, FieldRules& rules);

}  // namespace capstan::testing::apiserver
