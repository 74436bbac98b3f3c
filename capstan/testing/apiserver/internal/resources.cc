// SPDX-License-Identifier: Apache-2.0
#include "capstan/testing/apiserver/internal/resources.h"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "capstan/clientgo/util/text.h"
#include "capstan/testing/apiserver/internal/json_edit.h"

namespace capstan::testing::apiserver {
namespace {

constexpr std::string_view kAdmission = "admissionregistration.k8s.io";
constexpr std::string_view kApps = "apps";
constexpr std::string_view kRbac = "rbac.authorization.k8s.io";
constexpr std::string_view kCertManager = "cert-manager.io";

constexpr std::array kResources = {
    Resource{.plural = "namespaces", .kind = "Namespace", .short_names = "ns", .status = true},
    Resource{.plural = "pods",
             .kind = "Pod",
             .short_names = "po",
             .namespaced = true,
             .status = true,
             .generation = true},
    Resource{.plural = "nodes", .kind = "Node", .short_names = "no", .status = true},
    Resource{.plural = "secrets", .kind = "Secret", .namespaced = true},
    Resource{.plural = "configmaps", .kind = "ConfigMap", .short_names = "cm", .namespaced = true},
    Resource{.plural = "events",
             .kind = "Event",
             .short_names = "ev",
             .namespaced = true,
             .create_on_update = true},
    Resource{.plural = "services",
             .kind = "Service",
             .short_names = "svc",
             .namespaced = true,
             .status = true,
             .create_on_update = true},
    Resource{.plural = "serviceaccounts",
             .kind = "ServiceAccount",
             .short_names = "sa",
             .namespaced = true},
    Resource{.group = kApps,
             .plural = "deployments",
             .kind = "Deployment",
             .short_names = "deploy",
             .namespaced = true,
             .status = true,
             .scale = true,
             .generation = true},
    Resource{.group = kApps,
             .plural = "replicasets",
             .kind = "ReplicaSet",
             .short_names = "rs",
             .namespaced = true,
             .status = true,
             .scale = true,
             .generation = true},
    Resource{.group = kApps,
             .plural = "statefulsets",
             .kind = "StatefulSet",
             .short_names = "sts",
             .namespaced = true,
             .status = true,
             .scale = true,
             .generation = true},
    Resource{.group = kApps,
             .plural = "daemonsets",
             .kind = "DaemonSet",
             .short_names = "ds",
             .namespaced = true,
             .status = true,
             .generation = true},
    Resource{.group = "batch",
             .plural = "jobs",
             .kind = "Job",
             .namespaced = true,
             .status = true,
             .generation = true},
    Resource{.group = "batch",
             .plural = "cronjobs",
             .kind = "CronJob",
             .short_names = "cj",
             .namespaced = true,
             .status = true,
             .generation = true},
    Resource{.group = kRbac,
             .plural = "roles",
             .kind = "Role",
             .namespaced = true,
             .create_on_update = true},
    Resource{.group = kRbac,
             .plural = "rolebindings",
             .kind = "RoleBinding",
             .namespaced = true,
             .create_on_update = true},
    Resource{
        .group = kRbac, .plural = "clusterroles", .kind = "ClusterRole", .create_on_update = true},
    Resource{.group = kRbac,
             .plural = "clusterrolebindings",
             .kind = "ClusterRoleBinding",
             .create_on_update = true},
    Resource{.group = "coordination.k8s.io",
             .plural = "leases",
             .kind = "Lease",
             .namespaced = true,
             .create_on_update = true,
             .update_needs_version = true},
    Resource{.group = kAdmission,
             .plural = "validatingwebhookconfigurations",
             .kind = "ValidatingWebhookConfiguration",
             .generation = true,
             .api_extension = true,
             .update_needs_version = true},
    Resource{.group = kAdmission,
             .plural = "mutatingwebhookconfigurations",
             .kind = "MutatingWebhookConfiguration",
             .generation = true,
             .api_extension = true,
             .update_needs_version = true},
    Resource{.group = "apiregistration.k8s.io",
             .plural = "apiservices",
             .kind = "APIService",
             .status = true,
             .api_extension = true,
             .update_needs_version = true},
    Resource{.group = "apiextensions.k8s.io",
             .plural = "customresourcedefinitions",
             .kind = "CustomResourceDefinition",
             .short_names = "crd,crds",
             .status = true,
             .generation = true,
             .api_extension = true,
             .update_needs_version = true},
    Resource{.group = kCertManager,
             .plural = "certificates",
             .kind = "Certificate",
             .short_names = "cert",
             .namespaced = true,
             .status = true,
             .generation = true,
             .custom = true,
             .update_needs_version = true},
    Resource{.group = kCertManager,
             .plural = "certificaterequests",
             .kind = "CertificateRequest",
             .short_names = "cr",
             .namespaced = true,
             .status = true,
             .generation = true,
             .custom = true,
             .update_needs_version = true},
};

constexpr std::array kListKeys = std::to_array<std::pair<std::string_view, std::string_view>>({
    {"webhooks", "name"},
    {"matchConditions", "name"},
    {"conditions", "type"},
    {"ownerReferences", "uid"},
    {"containers", "name"},
    {"initContainers", "name"},
    {"env", "name"},
    {"volumes", "name"},
    {"volumeMounts", "mountPath"},
    {"readinessGates", "conditionType"},
    {"podIPs", "ip"},
    {"addresses", "type"},
});

constexpr std::string_view kVersion =
    R"({"major":"1","minor":"34","gitVersion":"v1.34.4+capstan","gitCommit":"","gitTreeState":"",)"
    R"("buildDate":"1970-01-01T00:00:00Z","goVersion":"","compiler":"","platform":"linux/amd64"})";

std::string ApiVersions(std::string_view server_address) {
  return R"({"kind":"APIVersions","versions":["v1"],"serverAddressByClientCIDRs":)"
         R"([{"clientCIDR":"0.0.0.0/0","serverAddress":)" +
         Quote(server_address) + "}]}";
}

// The first version is the preferred one.
std::string GroupJson(std::string_view group, const std::vector<const Resource*>& resources,
                      bool with_type) {
  std::vector<std::string> versions;
  for (const Resource* const resource : resources) {
    if (resource->group != group) continue;
    std::string version = R"({"groupVersion":)" + Quote(resource->ApiVersion()) + R"(,"version":)" +
                          Quote(resource->version) + "}";
    if (std::find(versions.begin(), versions.end(), version) == versions.end()) {
      versions.push_back(std::move(version));
    }
  }
  std::string all;
  for (const std::string& version : versions) all += (all.empty() ? "" : ",") + version;
  return std::string(with_type ? R"({"kind":"APIGroup","apiVersion":"v1",)" : "{") + R"("name":)" +
         Quote(group) + R"(,"versions":[)" + all + R"(],"preferredVersion":)" + versions.front() +
         "}";
}

std::string GroupList(const std::vector<const Resource*>& resources) {
  std::string groups;
  std::string_view previous;
  for (const Resource* const resource : resources) {
    if (resource->group == previous) continue;  // the resources are ordered by group
    previous = resource->group;
    groups += (groups.empty() ? "" : ",") + GroupJson(resource->group, resources, false);
  }
  return R"({"kind":"APIGroupList","apiVersion":"v1","groups":[)" + groups + "]}";
}

std::string ResourceJson(const Resource& resource) {
  std::string json = R"({"name":)" + Quote(resource.plural);
  json += R"(,"singularName":)" + Quote(resource.singular.empty()
                                            ? clientgo::util::LowerAscii(resource.kind)
                                            : std::string(resource.singular));
  json += std::string(R"(,"namespaced":)") + (resource.namespaced ? "true" : "false");
  json += R"(,"kind":)" + Quote(resource.kind);
  if (resource.api_extension) json += R"(,"categories":["api-extensions"])";
  if (resource.kind == "Pod" || resource.kind == "Service" || resource.group == kApps ||
      resource.group == "batch") {
    json += R"(,"categories":["all"])";
  }
  json +=
      R"(,"verbs":["create","delete","deletecollection","get","list","patch","update","watch"])";
  std::string short_names;
  for (const std::string_view name : clientgo::util::Split(resource.short_names, ',')) {
    short_names += (short_names.empty() ? "" : ",") + Quote(name);
  }
  if (!short_names.empty()) json += R"(,"shortNames":[)" + short_names + "]";
  return json + "}";
}

// A subresource with a kind of another group names that group and its version.
struct Subresource {
  std::string_view name;
  std::string_view group = {};
  std::string_view version = {};
  std::string_view kind;
  std::string_view verbs = R"("get","patch","update")";
};

std::vector<Subresource> SubresourcesOf(const Resource& resource) {
  std::vector<Subresource> all;
  if (resource.kind == "Pod") {
    all.push_back({.name = "binding", .kind = "Binding", .verbs = R"("create")"});
    all.push_back({.name = "eviction",
                   .group = "policy",
                   .version = "v1",
                   .kind = "Eviction",
                   .verbs = R"("create")"});
  }
  if (resource.scale) {
    all.push_back({.name = "scale", .group = "autoscaling", .version = "v1", .kind = "Scale"});
  }
  if (resource.status) all.push_back({.name = "status", .kind = resource.kind});
  return all;
}

std::string SubresourceJson(const Resource& resource, const Subresource& subresource) {
  const std::string name = std::string(resource.plural) + "/" + std::string(subresource.name);
  std::string json = R"({"name":)" + Quote(name) + R"(,"singularName":"","namespaced":)" +
                     (resource.namespaced ? "true" : "false");
  if (!subresource.group.empty()) {
    json += R"(,"group":)" + Quote(subresource.group);
    json += R"(,"version":)" + Quote(subresource.version);
  }
  json += R"(,"kind":)" + Quote(subresource.kind);
  return json + R"(,"verbs":[)" + std::string(subresource.verbs) + "]}";
}

std::optional<std::string> ResourceList(std::string_view group_version,
                                        const std::vector<const Resource*>& all) {
  std::string resources;
  for (const Resource* const resource : all) {
    if (resource->ApiVersion() != group_version) continue;
    resources += (resources.empty() ? "" : ",") + ResourceJson(*resource);
    for (const Subresource& subresource : SubresourcesOf(*resource)) {
      resources += "," + SubresourceJson(*resource, subresource);
    }
  }
  if (resources.empty()) return std::nullopt;
  // The list of the core group has no apiVersion.
  const bool core = group_version.find('/') == std::string_view::npos;
  return R"({"kind":"APIResourceList",)" + std::string(core ? "" : R"("apiVersion":"v1",)") +
         R"("groupVersion":)" + Quote(group_version) + R"(,"resources":[)" + resources + "]}";
}

}  // namespace

std::string Resource::ApiVersion() const {
  return group.empty() ? std::string(version) : std::string(group) + "/" + std::string(version);
}

std::string Resource::Qualified() const {
  return group.empty() ? std::string(plural) : std::string(plural) + "." + std::string(group);
}

std::span<const Resource> Resources() { return kResources; }

const Resource* FindResource(std::string_view group, std::string_view version,
                             std::string_view plural) {
  for (const Resource& resource : kResources) {
    if (resource.group == group && resource.version == version && resource.plural == plural) {
      return &resource;
    }
  }
  return nullptr;
}

const Resource* FindKind(std::string_view api_version, std::string_view kind) {
  for (const Resource& resource : kResources) {
    if (resource.kind == kind && resource.ApiVersion() == api_version) return &resource;
  }
  return nullptr;
}

std::string_view ListKey(std::string_view field) {
  for (const auto& [name, key] : kListKeys) {
    if (name == field) return key;
  }
  return {};
}

bool IsAtomicMap(std::string_view field) {
  constexpr std::array<std::string_view, 7> kFields = {
      "namespaceSelector", "objectSelector", "labelSelector", "secretKeyRef",
      "configMapKeyRef",   "fieldRef",       "involvedObject"};
  return std::find(kFields.begin(), kFields.end(), field) != kFields.end();
}

bool IsSetList(std::string_view field) { return field == "finalizers"; }

std::optional<std::string> Discover(std::string_view path, std::string_view server_address,
                                    const std::vector<const Resource*>& resources) {
  while (path.size() > 1 && path.ends_with('/')) path.remove_suffix(1);
  if (path == "/version") return std::string(kVersion);
  if (path == "/api") return ApiVersions(server_address);
  if (path == "/apis") return GroupList(resources);
  if (path == "/api/v1") return ResourceList("v1", resources);
  constexpr std::string_view kApis = "/apis/";
  if (!path.starts_with(kApis)) return std::nullopt;
  path.remove_prefix(kApis.size());
  if (path.find('/') != std::string_view::npos) return ResourceList(path, resources);
  for (const Resource* const resource : resources) {
    if (resource->group == path && !path.empty()) return GroupJson(path, resources, true);
  }
  return std::nullopt;
}

}  // namespace capstan::testing::apiserver
