// SPDX-License-Identifier: Apache-2.0
#include "apiserver/resources.h"

#include <algorithm>
#include <array>
#include <utility>

namespace apiserver {
namespace {

constexpr std::string_view kAdmission = "admissionregistration.k8s.io";
constexpr std::string_view kCertManager = "cert-manager.io";

constexpr std::array kResources = {
    Resource{.version = "v1",
             .plural = "namespaces",
             .singular = "namespace",
             .kind = "Namespace",
             .short_names = "ns",
             .status = true,
             .zero = R"({"spec":{},"status":{}})"},
    Resource{.version = "v1",
             .plural = "pods",
             .singular = "pod",
             .kind = "Pod",
             .short_names = "po",
             .namespaced = true,
             .status = true,
             .generation = true,
             .zero = R"({"spec":{"containers":null},"status":{}})"},
    Resource{.version = "v1",
             .plural = "nodes",
             .singular = "node",
             .kind = "Node",
             .short_names = "no",
             .status = true,
             .zero = R"({"spec":{},"status":{}})"},
    Resource{.version = "v1",
             .plural = "secrets",
             .singular = "secret",
             .kind = "Secret",
             .namespaced = true},
    Resource{.version = "v1",
             .plural = "configmaps",
             .singular = "configmap",
             .kind = "ConfigMap",
             .short_names = "cm",
             .namespaced = true},
    Resource{.version = "v1",
             .plural = "events",
             .singular = "event",
             .kind = "Event",
             .short_names = "ev",
             .namespaced = true,
             .create_on_update = true,
             .zero = R"({"involvedObject":{},"source":{},"firstTimestamp":null,)"
                     R"("lastTimestamp":null,"eventTime":null,"reportingComponent":"",)"
                     R"("reportingInstance":""})"},
    Resource{.group = "coordination.k8s.io",
             .version = "v1",
             .plural = "leases",
             .singular = "lease",
             .kind = "Lease",
             .namespaced = true,
             .create_on_update = true,
             .update_needs_version = true,
             .zero = R"({"spec":{}})"},
    Resource{.group = kAdmission,
             .version = "v1",
             .plural = "validatingwebhookconfigurations",
             .singular = "validatingwebhookconfiguration",
             .kind = "ValidatingWebhookConfiguration",
             .generation = true,
             .api_extension = true,
             .update_needs_version = true},
    Resource{.group = kAdmission,
             .version = "v1",
             .plural = "mutatingwebhookconfigurations",
             .singular = "mutatingwebhookconfiguration",
             .kind = "MutatingWebhookConfiguration",
             .generation = true,
             .api_extension = true,
             .update_needs_version = true},
    Resource{.group = "apiregistration.k8s.io",
             .version = "v1",
             .plural = "apiservices",
             .singular = "apiservice",
             .kind = "APIService",
             .status = true,
             .api_extension = true,
             .update_needs_version = true,
             .zero = R"({"spec":{"groupPriorityMinimum":0,"versionPriority":0},"status":{}})"},
    Resource{.group = "apiextensions.k8s.io",
             .version = "v1",
             .plural = "customresourcedefinitions",
             .singular = "customresourcedefinition",
             .kind = "CustomResourceDefinition",
             .short_names = "crd,crds",
             .status = true,
             .generation = true,
             .api_extension = true,
             .update_needs_version = true,
             .zero = R"({"spec":{"group":"","names":{"plural":"","kind":""},"scope":"",)"
                     R"("versions":null},"status":{}})"},
    Resource{.group = kCertManager,
             .version = "v1",
             .plural = "certificates",
             .singular = "certificate",
             .kind = "Certificate",
             .short_names = "cert",
             .namespaced = true,
             .status = true,
             .generation = true,
             .custom = true,
             .update_needs_version = true},
    Resource{.group = kCertManager,
             .version = "v1",
             .plural = "certificaterequests",
             .singular = "certificaterequest",
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
  const auto* const at =
      std::find_if(kResources.begin(), kResources.end(), [&](const Resource& resource) {
        return resource.group == group && resource.version == version && resource.plural == plural;
      });
  return at == kResources.end() ? nullptr : at;
}

const Resource* FindKind(std::string_view api_version, std::string_view kind) {
  const auto* const at =
      std::find_if(kResources.begin(), kResources.end(), [&](const Resource& resource) {
        return resource.kind == kind && resource.ApiVersion() == api_version;
      });
  return at == kResources.end() ? nullptr : at;
}

std::size_t IndexOf(const Resource& resource) {
  return static_cast<std::size_t>(&resource - kResources.data());
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

}  // namespace apiserver
