// SPDX-License-Identifier: Apache-2.0
#include "clientgo/testing/apiserver/types/resources.h"

#include <algorithm>
#include <array>
#include <utility>

#include "clientgo/testing/apiserver/types/json_edit.h"
#include "clientgo/testing/apiserver/types/schema.h"

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
             .categories = "all",
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
             .categories = "all",
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
             .categories = "all",
             .namespaced = true,
             .status = true,
             .scale = true,
             .generation = true},
    Resource{.group = kApps,
             .plural = "replicasets",
             .kind = "ReplicaSet",
             .short_names = "rs",
             .categories = "all",
             .namespaced = true,
             .status = true,
             .scale = true,
             .generation = true},
    Resource{.group = kApps,
             .plural = "statefulsets",
             .kind = "StatefulSet",
             .short_names = "sts",
             .categories = "all",
             .namespaced = true,
             .status = true,
             .scale = true,
             .generation = true},
    Resource{.group = kApps,
             .plural = "daemonsets",
             .kind = "DaemonSet",
             .short_names = "ds",
             .categories = "all",
             .namespaced = true,
             .status = true,
             .generation = true},
    Resource{.group = "batch",
             .plural = "jobs",
             .kind = "Job",
             .categories = "all",
             .namespaced = true,
             .status = true,
             .generation = true},
    Resource{.group = "batch",
             .plural = "cronjobs",
             .kind = "CronJob",
             .short_names = "cj",
             .categories = "all",
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
    Resource{.group = "certificates.k8s.io",
             .plural = "clustertrustbundles",
             .kind = "ClusterTrustBundle",
             .update_needs_version = true},
    Resource{.group = kAdmission,
             .plural = "validatingwebhookconfigurations",
             .kind = "ValidatingWebhookConfiguration",
             .categories = "api-extensions",
             .generation = true,
             .update_needs_version = true},
    Resource{.group = kAdmission,
             .plural = "mutatingwebhookconfigurations",
             .kind = "MutatingWebhookConfiguration",
             .categories = "api-extensions",
             .generation = true,
             .update_needs_version = true},
    Resource{.group = "apiregistration.k8s.io",
             .plural = "apiservices",
             .kind = "APIService",
             .categories = "api-extensions",
             .status = true,
             .update_needs_version = true},
    Resource{.group = "apiextensions.k8s.io",
             .plural = "customresourcedefinitions",
             .kind = "CustomResourceDefinition",
             .short_names = "crd,crds",
             .categories = "api-extensions",
             .status = true,
             .generation = true,
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

// The kinds of cert-manager have any field. Server-side apply merges their conditions as
// cert-manager's CRDs say.
constexpr std::string_view kCertManagerSchema = R"({
  "type": "object", "x-kubernetes-preserve-unknown-fields": true, "properties": {
    "status": {"type": "object", "x-kubernetes-preserve-unknown-fields": true, "properties": {
      "conditions": {
        "type": "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["type"],
        "items": {"type": "object", "x-kubernetes-preserve-unknown-fields": true,
                  "required": ["type"], "properties": {"type": {"type": "string"}}}}}}}
})";

}  // namespace

std::string Resource::ApiVersion() const {
  return group.empty() ? std::string(version) : std::string(group) + "/" + std::string(version);
}

std::string Resource::Qualified() const {
  return group.empty() ? std::string(plural) : std::string(plural) + "." + std::string(group);
}

std::span<const Resource> Resources() {
  static const Schema cert_manager(ParseJson(kCertManagerSchema, nullptr).get());
  static const auto resources = [] {
    auto all = kResources;
    for (Resource& resource : all) {
      if (resource.custom) resource.schema = &cert_manager;
    }
    return all;
  }();
  return resources;
}

const Resource* FindResource(std::string_view group, std::string_view version,
                             std::string_view plural) {
  for (const Resource& resource : Resources()) {
    if (resource.group == group && resource.version == version && resource.plural == plural) {
      return &resource;
    }
  }
  return nullptr;
}

const Resource* FindKind(std::string_view api_version, std::string_view kind) {
  for (const Resource& resource : Resources()) {
    if (resource.kind == kind && resource.ApiVersion() == api_version) return &resource;
  }
  return nullptr;
}

}  // namespace capstan::testing::apiserver
