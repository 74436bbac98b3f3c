// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "clientgo/testing/apiserver/validation/kind_rules.h"
#include "clientgo/testing/apiserver/validation/network_rules.h"
#include "clientgo/testing/apiserver/validation/pod_rules.h"

namespace capstan::testing::apiserver {
namespace {

using Names = std::set<std::string, std::less<>>;

constexpr std::int64_t kPortMax = 65535;
constexpr const char* kHooks[] = {"lifecycle", "livenessProbe", "readinessProbe", "startupProbe"};

void CheckPorts(const Place& ports, FieldRules& rules) {
  Names names;
  for (const Place& port : ports.Items()) {
    if (const Place name = port["name"]; !name.Text().empty()) {
      const auto errors = PortNameErrors(name.Text());
      rules.Invalid(name, errors);
      if (errors.empty() && !names.emplace(name.Text()).second) rules.Duplicate(name);
    }
    if (port["containerPort"].Number().value_or(0) == 0) {
      rules.Required(port["containerPort"]);
    } else {
      rules.Between(port["containerPort"], 1, kPortMax);
    }
    if (port["hostPort"].Number() != 0) rules.Between(port["hostPort"], 1, kPortMax);
    rules.RequireOneOf(port["protocol"], {"SCTP", "TCP", "UDP"});
  }
}

// Checks that each port of the host has one container. `shown_as` is the list of the containers.
void CheckHostPorts(const std::vector<Place>& containers, const Place& shown_as,
                    FieldRules& rules) {
  Names used;
  for (std::size_t i = 0; i < containers.size(); ++i) {
    const Place container = containers[i].At(shown_as.path() + "[" + std::to_string(i) + "]");
    for (const Place& port : container["ports"].Items()) {
      const auto number = port["hostPort"].Number().value_or(0);
      if (number == 0) continue;
      const std::string key = std::string(port["protocol"].Text()) + "/" +
                              std::string(port["hostIP"].Text()) + "/" + std::to_string(number);
      if (!used.insert(key).second) rules.DuplicateAs(port["hostPort"], Quote(key));
    }
  }
}

// Returns the paths of mounts or devices by the names of their volumes. Of those with one name, the
// last one counts.
std::map<std::string_view, std::string_view> PathsOf(const Place& list, const char* member) {
  std::map<std::string_view, std::string_view> paths;
  for (const Place& item : list.Items()) paths[item["name"].Text()] = item[member].Text();
  return paths;
}

bool HasPath(const std::map<std::string_view, std::string_view>& paths, std::string_view path) {
  return std::any_of(paths.begin(), paths.end(),
                     [&](const auto& one) { return one.second == path; });
}

void CheckPropagation(const Place& mount, const Place& container, const Place& mounts,
                      FieldRules& rules) {
  const Place propagation = mount["mountPropagation"].At(mounts["mountPropagation"].path());
  rules.GivenOneOf(propagation, {"Bidirectional", "HostToContainer", "None"});
  if (propagation.Text() == "Bidirectional" &&
      !container["securityContext"]["privileged"].IsTrue()) {
    rules.Forbidden(propagation,
                    "Bidirectional mount propagation is available only to privileged containers");
  }
  const Place recursive = mount["recursiveReadOnly"].At(mounts["recursiveReadOnly"].path());
  if (recursive.Text() != "Enabled" && recursive.Text() != "IfPossible") {
    return rules.GivenOneOf(recursive, {"Disabled", "Enabled", "IfPossible"});
  }
  if (!mount["readOnly"].IsTrue()) {
    rules.Forbidden(recursive, "may only be specified when readOnly is true");
  }
  if (propagation.Given() && propagation.Text() != "None") {
    rules.Forbidden(recursive,
                    "may only be specified when mountPropagation is None or not specified");
  }
}

void CheckMounts(const Place& container, const PodScope& scope, FieldRules& rules) {
  const Place mounts = container["volumeMounts"];
  const auto devices = PathsOf(container["volumeDevices"], "devicePath");
  Names paths;
  for (const Place& mount : mounts.Items()) {
    const Place name = mount["name"];
    const Place path = mount["mountPath"];
    rules.RequireText(name);
    if (!scope.volumes.contains(name.Text())) rules.Missing(name);
    rules.RequireText(path);
    if (!paths.emplace(path.Text()).second) rules.InvalidText(path, "must be unique");
    if (devices.contains(name.Text())) {
      rules.InvalidText(name, "must not already exist in volumeDevices");
    }
    if (HasPath(devices, path.Text())) {
      rules.InvalidText(path, "must not already exist as a path in volumeDevices");
    }
    const Place sub_path = mount["subPath"];
    const Place expression = mount["subPathExpr"];
    CheckDescendingPath(sub_path, mounts["subPath"], rules);
    if (!expression.Text().empty() && !sub_path.Text().empty()) {
      rules.Invalid(expression, "subPathExpr and subPath are mutually exclusive");
    }
    CheckDescendingPath(expression, mounts["subPathExpr"], rules);
    CheckPropagation(mount, container, mounts, rules);
  }
}

void CheckDevices(const Place& container, const PodScope& scope, FieldRules& rules) {
  const auto mounts = PathsOf(container["volumeMounts"], "mountPath");
  std::vector<Cause> ignored;
  Names names;
  Names paths;
  for (const Place& device : container["volumeDevices"].Items()) {
    const Place name = device["name"];
    const Place path = device["devicePath"];
    const auto volume = scope.volumes.find(name.Text());
    rules.RequireText(name);
    if (names.contains(name.Text())) rules.Invalid(name, "must be unique");
    if (volume == scope.volumes.end()) {
      rules.Missing(name);
    } else if (!volume->second["persistentVolumeClaim"].Given() &&
               !volume->second["ephemeral"].Given()) {
      rules.InvalidText(name,
                        "can only use volume source type of PersistentVolumeClaim or Ephemeral for "
                        "block mode");
    }
    rules.RequireText(path);
    if (paths.contains(path.Text())) rules.InvalidText(path, "must be unique");
    FieldRules back(ignored);
    CheckPathNoBacksteps(path, path, back);
    if (ignored.empty()) {
      paths.emplace(path.Text());
    } else {
      rules.Invalid(path, "can not contain backsteps ('..')");
      ignored.clear();
    }
    if (mounts.contains(name.Text())) {
      rules.InvalidText(name, "must not already exist in volumeMounts");
    }
    if (HasPath(mounts, path.Text())) {
      rules.InvalidText(path, "must not already exist as a path in volumeMounts");
    }
    if (!name.Text().empty()) names.emplace(name.Text());
  }
}

// Checks what all containers have.
void CheckContainer(const Place& container, const PodScope& scope, FieldRules& rules) {
  if (rules.RequireText(container["name"])) rules.Label(container["name"]);
  rules.RequireText(container["image"]);
  rules.RequireOneOf(container["terminationMessagePolicy"], {"File", "FallbackToLogsOnError"});
  CheckPorts(container["ports"], rules);
  CheckEnvironment(container, rules);
  CheckMounts(container, scope, rules);
  CheckDevices(container, scope, rules);
  rules.RequireOneOf(container["imagePullPolicy"], {"Always", "IfNotPresent", "Never"});
  CheckContainerResources(container["resources"], scope, rules);
  CheckResizePolicy(container["resizePolicy"], scope, rules);
  CheckSecurityContext(container["securityContext"], scope, rules);
}

void CheckInitContainers(const PodScope& scope, Names& names, FieldRules& rules) {
  const Place list = scope.spec["initContainers"];
  for (const Place& container : list.Items()) {
    CheckContainer(container, scope, rules);
    const Place name = container["name"];
    if (names.contains(name.Text())) {
      rules.Duplicate(name);
    } else if (!name.Text().empty()) {
      names.emplace(name.Text());
    }
    CheckHostPorts({container}, list, rules);
    if (container["restartPolicy"].Text() == "Always") {
      CheckProbes(container, scope, rules);
      continue;
    }
    for (const char* const hook : kHooks) {
      if (!container[hook].Given()) continue;
      rules.Forbidden(container[hook],
                      "may not be set for init containers without restartPolicy=Always");
    }
  }
}

// Checks the containers for debugging. `others` are the names of the other containers.
void CheckEphemeralContainers(const PodScope& scope, const Names& others, FieldRules& rules) {
  Names names = others;
  for (const Place& container : scope.spec["ephemeralContainers"].Items()) {
    CheckContainer(container, scope, rules);
    CheckImageSpace(container["image"], rules);
    if (!names.emplace(container["name"].Text()).second) rules.Duplicate(container["name"]);
    const Place target = container["targetContainerName"];
    if (!target.Text().empty() && !others.contains(target.Text())) rules.Missing(target);
    constexpr std::string_view kNotAllowed = "cannot be set for an Ephemeral Container";
    for (const char* const member : {"ports", "resources", "resizePolicy", "livenessProbe",
                                     "readinessProbe", "startupProbe", "lifecycle"}) {
      const Place field = container[member];
      if (field.Given() &&
          !(std::string_view(member) == "resources" && IsEmptyContainer(field.value()))) {
        rules.Forbidden(field, kNotAllowed);
      }
    }
    for (const Place& mount : container["volumeMounts"].Items()) {
      for (const char* const member : {"subPath", "subPathExpr"}) {
        if (!mount[member].Text().empty()) rules.Forbidden(mount[member], kNotAllowed);
      }
    }
  }
}

}  // namespace

std::vector<Place> AllContainers(const Place& spec) {
  std::vector<Place> all;
  for (const char* const list : {"initContainers", "containers", "ephemeralContainers"}) {
    for (Place& container : spec[list].Items()) all.push_back(std::move(container));
  }
  return all;
}

void CheckContainers(const PodScope& scope, FieldRules& rules) {
  const Place list = scope.spec["containers"];
  const std::vector<Place> containers = list.Items();
  Names names;
  if (containers.empty()) rules.Required(list);
  for (const Place& container : containers) {
    CheckContainer(container, scope, rules);
    const Place name = container["name"];
    if (!names.emplace(name.Text()).second) rules.Duplicate(name);
    CheckProbes(container, scope, rules);
  }
  CheckHostPorts(containers, list, rules);
  CheckInitContainers(scope, names, rules);
  CheckEphemeralContainers(scope, names, rules);
}

}  // namespace capstan::testing::apiserver
