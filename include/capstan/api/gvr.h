// SPDX-License-Identifier: Apache-2.0
// The API resources of the kinds that capstan uses. They are functions, so that the initialization
// of other static variables can use them.
#pragma once

#include <string>
#include <utility>

#include "capstan/runtime/resource_type.h"

namespace capstan::api {

inline runtime::GroupVersionResource SecretsResource() { return {"", "v1", "secrets"}; }
inline runtime::GroupVersionResource ValidatingWebhookConfigurationsResource() {
  return {"admissionregistration.k8s.io", "v1", "validatingwebhookconfigurations"};
}
inline runtime::GroupVersionResource MutatingWebhookConfigurationsResource() {
  return {"admissionregistration.k8s.io", "v1", "mutatingwebhookconfigurations"};
}
inline runtime::GroupVersionResource ApiServicesResource() {
  return {"apiregistration.k8s.io", "v1", "apiservices"};
}
inline runtime::GroupVersionResource CustomResourceDefinitionsResource() {
  return {"apiextensions.k8s.io", "v1", "customresourcedefinitions"};
}
inline runtime::GroupVersionResource ConfigMapsResource() { return {"", "v1", "configmaps"}; }
inline runtime::GroupVersionResource PodsResource() { return {"", "v1", "pods"}; }
inline runtime::GroupVersionResource NodesResource() { return {"", "v1", "nodes"}; }
inline runtime::GroupVersionResource CertificatesResource() {
  return {"cert-manager.io", "v1", "certificates"};
}
// `version` is v1, or v1beta1 before Kubernetes 1.37.
inline runtime::GroupVersionResource ClusterTrustBundlesResource(std::string version) {
  return {"certificates.k8s.io", std::move(version), "clustertrustbundles"};
}

}  // namespace capstan::api
