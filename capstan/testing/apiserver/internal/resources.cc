// SPDX-License-Identifier: Apache-2.0
#include "capstan/testing/apiserver/internal/resources.h"

#include <algorithm>
#include <array>
#include <utility>

namespace capstan::testing::apiserver {
namespace {

constexpr std::string_view kAdmission = "admissionregistration.k8s.io";
constexpr std::string_view kCertManager = "cert-manager.io";

constexpr std::array kResources = {
    Resource{.plural = "namespaces",
             .kind = "Namespace",
             .short_names = "ns",
             .status = true,
             .zero = R"({"spec":{},"status":{}})"},
    Resource{.plural = "pods",
             .kind = "Pod",
             .short_names = "po",
             .categories = "all",
             .namespaced = true,
             .status = true,
             .generation = true,
             .zero = R"({"spec":{"containers":null},"status":{}})"},
    Resource{.plural = "nodes",
             .kind = "Node",
             .short_names = "no",
             .status = true,
             .zero = R"({"spec":{},"status":{}})"},
    Resource{.plural = "secrets", .kind = "Secret", .namespaced = true},
    Resource{.plural = "configmaps", .kind = "ConfigMap", .short_names = "cm", .namespaced = true},
    Resource{.plural = "events",
             .kind = "Event",
             .short_names = "ev",
             .namespaced = true,
             .create_on_update = true,
             .zero = R"({"involvedObject":{},"source":{},"firstTimestamp":null,)"
                     R"("lastTimestamp":null,"eventTime":null,"reportingComponent":"",)"
                     R"("reportingInstance":""})"},
    Resource{.group = "apps",
             .plural = "deployments",
             .kind = "Deployment",
             .short_names = "deploy",
             .categories = "all",
             .namespaced = true,
             .status = true,
             .scale = true,
             .generation = true,
             .zero = R"({"spec":{"selector":null,"template":{"metadata":{},)"
                     R"("spec":{"containers":null}},"strategy":{}},"status":{}})"},
    Resource{.group = "coordination.k8s.io",
             .plural = "leases",
             .kind = "Lease",
             .namespaced = true,
             .create_on_update = true,
             .update_needs_version = true,
             .zero = R"({"spec":{}})"},
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
             .update_needs_version = true,
             .zero = R"({"spec":{"groupPriorityMinimum":0,"versionPriority":0},"status":{}})"},
    Resource{.group = "apiextensions.k8s.io",
             .plural = "customresourcedefinitions",
             .kind = "CustomResourceDefinition",
             .short_names = "crd,crds",
             .categories = "api-extensions",
             .status = true,
             .generation = true,
             .update_needs_version = true,
             .zero = R"({"spec":{"group":"","names":{"plural":"","kind":""},"scope":"",)"
                     R"("versions":null},"status":{}})"},
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

}  // namespace capstan::testing::apiserver
