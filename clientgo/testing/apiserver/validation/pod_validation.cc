// SPDX-License-Identifier: Apache-2.0
#include "clientgo/testing/apiserver/validation/kind_rules.h"
#include "clientgo/testing/apiserver/validation/network_rules.h"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <set>
#include <string>
#include <string_view>

#include "clientgo/testing/apiserver/validation/validation.h"

namespace capstan::testing::apiserver {
namespace {

using Names = std::set<std::string, std::less<>>;

constexpr std::int64_t kPortMax = 65535;

std::vector<std::string> VariableNameErrors(std::string_view name) {
  const auto is_known = [](char c) { return c >= ' ' && c <= '~' && c != '='; };
  if (std::all_of(name.begin(), name.end(), is_known)) return {};
  return {
      "a valid environment variable name must consist only of printable ASCII characters other "
      "than '='"};
}

bool HasBackstep(std::string_view path) {
  while (!path.empty()) {
    const std::size_t end = path.find('/');
    if (path.substr(0, end) == "..") return true;
    path = end == std::string_view::npos ? std::string_view() : path.substr(end + 1);
  }
  return false;
}

// PodRules checks one PodSpec.
class PodRules {
 public:
  explicit PodRules(std::vector<Cause>& causes) : causes_(causes), rules_(causes) {}

  void Spec(const Place& spec, const Place* claims);
  // The rules that Pods have, and templates do not.
  void OnlyPod(const Place& spec);

 private:
  void Volumes(const Place& volumes);
  void Volume(const Place& volume);
  void VolumeSource(const Place& volume);
  void ProjectedSource(const Place& source);
  void KeysOf(const Place& source);
  void Containers(const Place& spec);
  void Container(const Place& container);
  void Ports(const Place& ports);
  void HostPorts(const std::vector<Place>& containers);
  void Variable(const Place& variable);
  void Variables(const Place& env_from);
  void Mounts(const Place& mounts);
  void RelativePath(const Place& path, const Place& shown_as);
  // Adds the causes for an item, and its name to `names` if there is no other of this name.
  void UniqueName(const Place& name, Names& names);

  std::vector<Cause>& causes_;
  FieldRules rules_;
  Names volumes_;  // that a container can mount
};

void PodRules::Spec(const Place& spec, const Place* claims) {
  if (claims != nullptr) {
    for (const Place& claim : claims->Items()) {
      volumes_.emplace(claim["metadata"]["name"].Text());
    }
  }
  Volumes(spec["volumes"]);
  Containers(spec);
  rules_.OneOf(spec["restartPolicy"], {"Always", "OnFailure", "Never"});
  rules_.OneOf(spec["dnsPolicy"], {"ClusterFirstWithHostNet", "ClusterFirst", "Default", "None"});
  rules_.Labels(spec["nodeSelector"]);
  CheckPodAffinities(spec["affinity"], rules_);
  for (const Place& gate : spec["readinessGates"].Items()) {
    const Place type = gate["conditionType"];
    for (const std::string& error : QualifiedNameErrors(type.Text())) {
      rules_.InvalidAs(type, Quote(type.Text()), error);
    }
  }
  CheckPodSpreading(spec["topologySpreadConstraints"], rules_);
  rules_.Subdomain(spec["serviceAccountName"]);
  rules_.Subdomain(spec["nodeName"]);
  rules_.Between(spec["activeDeadlineSeconds"], 1, std::numeric_limits<std::int32_t>::max());
  if (claims == nullptr) {  // A StatefulSet sets these two in its Pods.
    rules_.Label(spec["hostname"]);
    rules_.Label(spec["subdomain"]);
  }
  CheckPodTolerations(spec["tolerations"], rules_);
}

void PodRules::OnlyPod(const Place& spec) {
  for (const char* const list : {"containers", "initContainers"}) {
    for (const Place& container : spec[list].Items()) CheckImageSpace(container["image"], rules_);
  }
}

void PodRules::UniqueName(const Place& name, Names& names) {
  if (!names.emplace(name.Text()).second) rules_.Duplicate(name);
}

void PodRules::Volumes(const Place& volumes) {
  Names names;
  for (const Place& volume : volumes.Items()) {
    const std::size_t before = causes_.size();
    Volume(volume);
    const Place name = volume["name"];
    if (names.contains(name.Text())) rules_.Duplicate(name);
    if (causes_.size() != before) continue;  // Nothing can mount an invalid volume.
    names.emplace(name.Text());
    volumes_.emplace(name.Text());
  }
}

void PodRules::Volume(const Place& volume) {
  VolumeSource(volume);
  if (rules_.RequireText(volume["name"])) rules_.Label(volume["name"]);
}

// A volume without a type is an emptyDir.
void PodRules::VolumeSource(const Place& volume) {
  bool found = false;
  for (const char* const type :
       {"emptyDir", "hostPath", "gitRepo", "secret", "nfs", "persistentVolumeClaim", "downwardAPI",
        "configMap", "projected", "csi", "ephemeral", "image"}) {
    const Place source = volume[type];
    if (!source.Given()) continue;
    if (found) {
      rules_.Forbidden(source, "may not specify more than 1 volume type");
      continue;
    }
    found = true;
    const std::string_view kind = type;
    if (kind == "secret") {
      rules_.RequireText(source["secretName"]);
      KeysOf(source);
    } else if (kind == "configMap") {
      rules_.RequireText(source["name"]);
      KeysOf(source);
    } else if (kind == "persistentVolumeClaim") {
      rules_.RequireText(source["claimName"]);
    } else if (kind == "hostPath") {
      if (!rules_.RequireText(source["path"])) continue;
      if (HasBackstep(source["path"].Text())) {
        rules_.Invalid(source["path"], "must not contain '..'");
      }
      rules_.OneOf(source["type"], {"", "BlockDevice", "CharDevice", "Directory",
                                    "DirectoryOrCreate", "File", "FileOrCreate", "Socket"});
    } else if (kind == "projected") {
      for (const Place& one : source["sources"].Items()) ProjectedSource(one);
    } else if (kind == "csi") {
      rules_.RequireText(source["driver"]);
    }
  }
}

void PodRules::ProjectedSource(const Place& source) {
  bool found = false;
  for (const char* const type : {"secret", "configMap", "downwardAPI", "serviceAccountToken"}) {
    const Place one = source[type];
    if (!one.Given()) continue;
    if (found) {
      rules_.Forbidden(source, "may not specify more than 1 volume type per source");
      continue;
    }
    found = true;
    const std::string_view kind = type;
    if (kind != "secret" && kind != "configMap") continue;
    rules_.RequireText(one["name"]);
    KeysOf(one);
  }
}

// Checks the mode and the items of a volume from a ConfigMap or a Secret.
void PodRules::KeysOf(const Place& source) {
  constexpr std::int64_t kModeMax = 0777;
  const auto mode = source["defaultMode"].Number().value_or(0);
  if (mode < 0 || mode > kModeMax) {
    rules_.Invalid(source["defaultMode"],
                   "must be a number between 0 and 0777 (octal), both inclusive");
  }
  for (const Place& item : source["items"].Items()) {
    rules_.RequireText(item["key"]);
    if (rules_.RequireText(item["path"])) RelativePath(item["path"], item["path"]);
  }
}

// `shown_as` is the place that the error names.
void PodRules::RelativePath(const Place& path, const Place& shown_as) {
  const std::string_view text = path.Text();
  const std::string json = Quote(text);
  if (text.starts_with('/')) rules_.InvalidAs(shown_as, json, "must be a relative path");
  if (HasBackstep(text)) rules_.InvalidAs(shown_as, json, "must not contain '..'");
}

void PodRules::Containers(const Place& spec) {
  const std::vector<Place> containers = spec["containers"].Items();
  const std::vector<Place> init_containers = spec["initContainers"].Items();
  if (containers.empty()) rules_.Required(spec["containers"]);
  Names names;
  for (const Place& container : containers) {
    Container(container);
    UniqueName(container["name"], names);
  }
  HostPorts(containers);
  for (const Place& container : init_containers) {
    Container(container);
    rules_.OneOf(container["restartPolicy"], {"Always", "Never", "OnFailure"});
    if (!container["name"].Text().empty()) UniqueName(container["name"], names);
  }
}

void PodRules::Container(const Place& container) {
  if (rules_.RequireText(container["name"])) rules_.Label(container["name"]);
  rules_.RequireText(container["image"]);
  rules_.OneOf(container["terminationMessagePolicy"], {"File", "FallbackToLogsOnError"});
  Ports(container["ports"]);
  for (const Place& variable : container["env"].Items()) Variable(variable);
  Variables(container["envFrom"]);
  Mounts(container["volumeMounts"]);
  rules_.OneOf(container["imagePullPolicy"], {"Always", "IfNotPresent", "Never"});
}

void PodRules::Ports(const Place& ports) {
  Names names;
  for (const Place& port : ports.Items()) {
    if (const Place name = port["name"]; !name.Text().empty()) {
      const auto errors = PortNameErrors(name.Text());
      rules_.Invalid(name, errors);
      if (errors.empty()) UniqueName(name, names);
    }
    if (port["containerPort"].Number().value_or(0) == 0) {
      rules_.Required(port["containerPort"]);
    } else {
      rules_.Between(port["containerPort"], 1, kPortMax);
    }
    if (port["hostPort"].Number() != 0) rules_.Between(port["hostPort"], 1, kPortMax);
    rules_.OneOf(port["protocol"], {"SCTP", "TCP", "UDP"});
  }
}

void PodRules::HostPorts(const std::vector<Place>& containers) {
  Names used;
  for (const Place& container : containers) {
    for (const Place& port : container["ports"].Items()) {
      const auto number = port["hostPort"].Number().value_or(0);
      if (number == 0) continue;
      const std::string_view protocol = port["protocol"].Text();
      std::string key(protocol.empty() ? "TCP" : protocol);
      key += "/" + std::string(port["hostIP"].Text()) + "/" + std::to_string(number);
      const runtime::JsonValue value(rapidjson::StringRef(key.data(), key.size()));
      UniqueName(Place(value, port["hostPort"].path()), used);
    }
  }
}

void PodRules::Variable(const Place& variable) {
  const Place name = variable["name"];
  if (rules_.RequireText(name)) rules_.Invalid(name, VariableNameErrors(name.Text()));
  const Place from = variable["valueFrom"];
  if (!from.Given()) return;
  int sources = 0;
  for (const char* const type : {"fieldRef", "resourceFieldRef", "fileKeyRef"}) {
    if (from[type].Given()) ++sources;
  }
  if (from["fieldRef"].Given()) rules_.RequireText(from["fieldRef"]["fieldPath"]);
  if (from["resourceFieldRef"].Given()) rules_.RequireText(from["resourceFieldRef"]["resource"]);
  for (const char* const type : {"configMapKeyRef", "secretKeyRef"}) {
    const Place reference = from[type];
    if (!reference.Given()) continue;
    ++sources;
    const Place object = reference["name"];
    for (const std::string& error : SubdomainErrors(object.Text())) {
      rules_.InvalidAs(object, Quote(object.Text()), error);
    }
    if (rules_.RequireText(reference["key"])) {
      rules_.Invalid(reference["key"], ConfigKeyErrors(reference["key"].Text()));
    }
  }
  if (sources == 0) {
    rules_.InvalidAs(
        from, R"("")",
        "must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef` or `secretKeyRef`");
  } else if (!variable["value"].Text().empty()) {
    rules_.InvalidAs(from, R"("")", "may not be specified when `value` is not empty");
  } else if (sources > 1) {
    rules_.InvalidAs(from, R"("")", "may not have more than one field specified at a time");
  }
}

void PodRules::Variables(const Place& env_from) {
  for (const Place& source : env_from.Items()) {
    const Place prefix = source["prefix"];
    rules_.Invalid(prefix, VariableNameErrors(prefix.Text()));
    int sources = 0;
    for (const char* const type : {"configMapRef", "secretRef"}) {
      if (!source[type].Given()) continue;
      ++sources;
      if (rules_.RequireText(source[type]["name"])) rules_.Subdomain(source[type]["name"]);
    }
    if (sources == 0) {
      rules_.InvalidAs(env_from, R"("")", "must specify one of: `configMapRef` or `secretRef`");
    } else if (sources > 1) {
      rules_.InvalidAs(env_from, R"("")", "may not have more than one field specified at a time");
    }
  }
}

void PodRules::Mounts(const Place& mounts) {
  Names paths;
  for (const Place& mount : mounts.Items()) {
    const Place name = mount["name"];
    const Place path = mount["mountPath"];
    rules_.RequireText(name);
    if (!volumes_.contains(name.Text())) rules_.Missing(name);
    rules_.RequireText(path);
    if (!paths.emplace(path.Text()).second) {
      rules_.InvalidAs(path, Quote(path.Text()), "must be unique");
    }
    const Place sub_path = mount["subPath"];
    const Place expression = mount["subPathExpr"];
    RelativePath(sub_path, mounts["subPath"]);
    if (!expression.Text().empty() && !sub_path.Text().empty()) {
      rules_.Invalid(expression, "subPathExpr and subPath are mutually exclusive");
    }
    RelativePath(expression, mounts["subPathExpr"]);
  }
}

}  // namespace

void CheckPod(const Place& spec, std::vector<Cause>& causes) {
  PodRules rules(causes);
  rules.Spec(spec, nullptr);
  rules.OnlyPod(spec);
}

void CheckImageSpace(const Place& image, FieldRules& rules) {
  const std::string_view text = image.Text();
  const auto is_space = [](char c) { return c == ' ' || (c >= '\t' && c <= '\r'); };
  if (text.empty() || (!is_space(text.front()) && !is_space(text.back()))) return;
  rules.Invalid(image, "must not have leading or trailing whitespace");
}

void CheckPodTemplate(const Place& pod_template, const Place* claims, std::vector<Cause>& causes) {
  FieldRules rules(causes);
  rules.Labels(pod_template["metadata"]["labels"].At(pod_template.path() + ".labels"));
  PodRules(causes).Spec(pod_template["spec"], claims);
  if (!pod_template["spec"]["ephemeralContainers"].Items().empty()) {
    rules.Forbidden(pod_template["spec"]["ephemeralContainers"],
                    "ephemeral containers not allowed in pod template");
  }
}

void CheckPodTemplateKind(const Place& object, FieldRules& rules) {
  CheckPodTemplate(object["template"], nullptr, rules.causes());
}

}  // namespace capstan::testing::apiserver
