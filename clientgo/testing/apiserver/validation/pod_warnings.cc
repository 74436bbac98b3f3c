// SPDX-License-Identifier: Apache-2.0
#include "clientgo/testing/apiserver/validation/pod_warnings.h"

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "capstan/quantity.h"
#include "capstan/text.h"
#include "clientgo/testing/apiserver/validation/pod_rules.h"
#include "clientgo/testing/apiserver/validation/validation.h"

namespace capstan::testing::apiserver {
namespace {

using Texts = std::vector<std::string>;

constexpr std::string_view kNoSelector = "a null labelSelector results in matching no pod";

void WarnAt(const Place& place, const std::string& what, Texts& warnings) {
  warnings.push_back(place.path() + ": " + what);
}

// An amount of bytes has no fraction.
void WarnOfFractions(const Place& amounts, Texts& warnings) {
  for (const char* const name : {"memory", "ephemeral-storage"}) {
    const Place amount = amounts.Entry(name);
    const auto quantity = Quantity::Parse(amount.Text());
    if (!quantity || quantity->milli() % 1000 == 0) continue;
    WarnAt(amount,
           "fractional byte value " + Quote(amount.Text()) + " is invalid, must be an integer",
           warnings);
  }
}

// Warns of items of a list that have the same text as an item before.
void WarnOfRepetition(const Place& list, const char* member, const std::string& what,
                      Texts& warnings) {
  std::set<std::string_view> seen;
  for (const Place& item : list.Items()) {
    const Place text = item[member];
    if (!seen.insert(text.Text()).second) WarnAt(text, what + Quote(text.Text()), warnings);
  }
}

void WarnOfVolumes(const Place& volumes, Texts& warnings) {
  constexpr std::pair<const char*, const char*> kDeprecated[] = {
      {"photonPersistentDisk", "deprecated in v1.11, non-functional in v1.16+"},
      {"gitRepo", "deprecated in v1.11, and disabled by default in v1.33+"},
      {"scaleIO", "deprecated in v1.16, non-functional in v1.22+"},
      {"flocker", "deprecated in v1.22, non-functional in v1.25+"},
      {"storageos", "deprecated in v1.22, non-functional in v1.25+"},
      {"quobyte", "deprecated in v1.22, non-functional in v1.25+"},
      {"glusterfs", "deprecated in v1.25, non-functional in v1.26+"},
      {"cephfs", "deprecated in v1.28, non-functional in v1.31+"},
      {"rbd", "deprecated in v1.28, non-functional in v1.31+"}};
  for (const Place& volume : volumes.Items()) {
    for (const auto& [type, what] : kDeprecated) {
      if (!volume[type].Given()) continue;
      const bool storage = std::string_view(type) == "storageos";
      WarnAt(storage ? volume["storageOS"] : volume[type], what, warnings);
    }
  }
  for (const Place& volume : volumes.Items()) {
    for (const Place& source : volume["projected"]["sources"].Items()) {
      if (!source.value().IsObject() || !source.value().ObjectEmpty()) continue;
      warnings.push_back("volume " + Quote(volume["name"].Text()) +
                         " (Projected) has no sources provided");
    }
  }
}

void WarnOfVariables(const Place& variables, Texts& warnings) {
  std::set<std::string_view> seen;
  for (const Place& variable : variables.Items()) {
    const std::string_view name = variable["name"].Text();
    if (seen.insert(name).second) continue;
    // A variable may extend the former value.
    const std::string reference = "$(" + std::string(name) + ")";
    const std::string_view value = variable["value"].Text();
    const bool extends = !variable["valueFrom"].Given() && value != reference &&
                         value.find(reference) != std::string_view::npos;
    if (extends) continue;
    WarnAt(
        variable,
        "hides previous definition of " + Quote(name) + ", which may be dropped when using apply",
        warnings);
  }
}

void WarnOfPorts(const std::vector<Place>& containers, Texts& warnings) {
  std::map<std::string, std::vector<Place>> ports;
  const auto host_port = [](const Place& port) { return port["hostPort"].Number().value_or(0); };
  for (const Place& container : containers) {
    for (const Place& port : container["ports"].Items()) {
      std::vector<Place>& others =
          ports[std::to_string(port["containerPort"].Number().value_or(0)) + "/" +
                std::string(port["protocol"].Text())];
      const std::string_view address = port["hostIP"].Text();
      for (const Place& other : others) {
        const std::string_view other_address = other["hostIP"].Text();
        const bool same_port = host_port(port) == host_port(other);
        if (address == other_address && same_port) {
          WarnAt(port, "duplicate port definition with " + other.path(), warnings);
        } else if (host_port(port) == 0 || host_port(other) == 0) {
          WarnAt(port, "overlapping port definition with " + other.path(), warnings);
        } else if (same_port && address.empty() != other_address.empty()) {
          WarnAt(port, "dangerously ambiguous port definition with " + other.path(), warnings);
        }
      }
      others.push_back(port);
    }
  }
  std::map<std::string_view, std::string> names;
  for (const Place& container : containers) {
    for (const Place& port : container["ports"].Items()) {
      const std::string_view name = port["name"].Text();
      if (name.empty()) continue;
      const auto [first, added] = names.emplace(name, port.path());
      if (added) continue;
      WarnAt(port,
             "duplicate port name " + Quote(name) + " with " + first->second +
                 ", services and probes that select ports by name will use " + first->second,
             warnings);
    }
  }
}

void WarnOfAffinity(const Place& affinity, Texts& warnings) {
  for (const char* const kind : {"podAffinity", "podAntiAffinity"}) {
    for (const Place& term :
         affinity[kind]["requiredDuringSchedulingIgnoredDuringExecution"].Items()) {
      const Place selector = term["labelSelector"];
      if (!selector.Given()) WarnAt(selector, std::string(kNoSelector), warnings);
    }
    for (const Place& term :
         affinity[kind]["preferredDuringSchedulingIgnoredDuringExecution"].Items()) {
      const Place selector = term["podAffinityTerm"]["labelSelector"];
      if (!selector.Given()) WarnAt(selector, std::string(kNoSelector), warnings);
    }
  }
}

// Warns of annotations that have no effect any more.
void WarnOfAnnotations(const Place& annotations, Texts& warnings) {
  constexpr std::pair<const char*, const char*> kDeprecated[] = {
      {"scheduler.alpha.kubernetes.io/critical-pod",
       R"(non-functional in v1.16+; use the "priorityClassName" field instead)"},
      {"security.alpha.kubernetes.io/sysctls",
       R"(non-functional in v1.11+; use the "sysctls" field instead)"},
      {"security.alpha.kubernetes.io/unsafe-sysctls",
       R"(non-functional in v1.11+; use the "sysctls" field instead)"}};
  for (const auto& [key, what] : kDeprecated) {
    if (annotations[key].Given()) WarnAt(annotations.Entry(key), what, warnings);
  }
}

void WarnOfSeccomp(const Place& annotation, const Place& context, Texts& warnings) {
  if (!annotation.Given() || context["seccompProfile"].Given()) return;
  WarnAt(annotation, R"(non-functional in v1.27+; use the "seccompProfile" field instead)",
         warnings);
}

// Warns about a Pod or a template.
void WarnOfPod(const Place& pod, Texts& warnings) {
  const Place spec = pod["spec"];
  const Place annotations = pod["metadata"]["annotations"];
  for (const Place& constraint : spec["topologySpreadConstraints"].Items()) {
    const Place selector = constraint["labelSelector"];
    if (!selector.Given()) WarnAt(selector, std::string(kNoSelector), warnings);
  }
  WarnOfAnnotations(annotations, warnings);
  WarnOfVolumes(spec["volumes"], warnings);
  WarnOfRepetition(spec["hostAliases"], "ip", "duplicate ip ", warnings);
  const Place secrets = spec["imagePullSecrets"];
  WarnOfRepetition(secrets, "name", "duplicate name ", warnings);
  for (const Place& secret : secrets.Items()) {
    if (secret["name"].Text().empty()) WarnAt(secret["name"], R"(invalid empty name "")", warnings);
  }
  WarnOfFractions(spec["overhead"], warnings);
  WarnOfSeccomp(annotations.Entry("seccomp.security.alpha.kubernetes.io/pod"),
                spec["securityContext"], warnings);
  const std::vector<Place> containers = AllContainers(spec);
  for (const Place& container : containers) {
    WarnOfSeccomp(annotations.Entry("container.seccomp.security.alpha.kubernetes.io/" +
                                    std::string(container["name"].Text())),
                  container["securityContext"], warnings);
    WarnOfFractions(container["resources"]["limits"], warnings);
    WarnOfFractions(container["resources"]["requests"], warnings);
    WarnOfVariables(container["env"], warnings);
  }
  WarnOfPorts(containers, warnings);
  if (const Place grace = spec["terminationGracePeriodSeconds"]; grace.Number().value_or(0) < 0) {
    WarnAt(grace, "must be >= 0; negative values are invalid and will be treated as 1", warnings);
  }
  WarnOfAffinity(spec["affinity"], warnings);
}

// Pods and their hosts have names that begin with that of the workload.
void WarnOfName(const Place& live, const Place& next, Texts& warnings) {
  const Place name = next["metadata"]["name"];
  if (live.Given() || DnsLabelErrors(name.Text()).empty()) return;
  WarnAt(name,
         "this is used in Pod names and hostnames, which can result in surprising behavior; a DNS "
         "label is recommended: [" +
             Join(DnsLabelErrors(name.Text()), " ") + "]",
         warnings);
}

bool ChangesSpec(const Place& live, const Place& next) {
  return !live.Given() || live["spec"].value() != next["spec"].value();
}

Texts WorkloadWarnings(const Place& live, const Place& next, bool name) {
  Texts warnings;
  if (name) WarnOfName(live, next, warnings);
  if (ChangesSpec(live, next)) WarnOfPod(next["spec"]["template"], warnings);
  return warnings;
}

void WarnOfJob(const Place& spec, Texts& warnings) {
  constexpr std::int64_t kCompletions = 100'000;
  constexpr std::int64_t kParallelism = 10'000;
  if (spec["completionMode"].Text() == "Indexed" &&
      spec["completions"].Number().value_or(0) > kCompletions &&
      spec["parallelism"].Number().value_or(0) > kParallelism) {
    WarnAt(spec,
           "In Indexed Jobs with a number of completions higher than 10^5 and a parallelism higher "
           "than 10^4, Kubernetes might not be able to track completedIndexes when a big number of "
           "indexes fail",
           warnings);
  }
  WarnOfPod(spec["template"], warnings);
}

}  // namespace

Texts CronJobWarnings(const Place& live, const Place& next) {
  Texts warnings;
  WarnOfName(live, next, warnings);
  if (ChangesSpec(live, next)) WarnOfJob(next["spec"]["jobTemplate"]["spec"], warnings);
  return warnings;
}

Texts DaemonSetWarnings(const Place& live, const Place& next) {
  return WorkloadWarnings(live, next, false);
}

Texts DeploymentWarnings(const Place& live, const Place& next) {
  return WorkloadWarnings(live, next, true);
}

Texts JobWarnings(const Place& live, const Place& next) {
  Texts warnings;
  WarnOfName(live, next, warnings);
  if (ChangesSpec(live, next)) WarnOfJob(next["spec"], warnings);
  return warnings;
}

Texts PodTemplateWarnings(const Place& live, const Place& next) {
  Texts warnings;
  if (!live.Given()) WarnOfPod(next["template"], warnings);
  return warnings;
}

// An update of a Pod has no warnings: users seldom write Pods.
Texts PodWarnings(const Place& live, const Place& next) {
  Texts warnings;
  if (!live.Given()) WarnOfPod(next, warnings);
  return warnings;
}

Texts ReplicaSetWarnings(const Place& live, const Place& next) {
  return WorkloadWarnings(live, next, true);
}

Texts ReplicationControllerWarnings(const Place& live, const Place& next) {
  return WorkloadWarnings(live, next, true);
}

Texts StatefulSetWarnings(const Place& live, const Place& next) {
  Texts warnings = WorkloadWarnings(live, next, false);
  if (next["spec"]["revisionHistoryLimit"].Number().value_or(0) < 0) {
    warnings.emplace_back(
        "spec.revisionHistoryLimit: a negative value retains all historical revisions; a value >= "
        "0 "
        "is recommended");
  }
  return warnings;
}

}  // namespace capstan::testing::apiserver
