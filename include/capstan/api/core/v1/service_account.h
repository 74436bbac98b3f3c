// SPDX-License-Identifier: Apache-2.0
// Written by hack/api_kinds.py from Kubernetes v0.37.2, with its documentation.
#pragma once

#include <optional>

#include "capstan/api/core/v1/local_object_reference.h"
#include "capstan/api/core/v1/object_reference.h"
#include "capstan/detail/layout.h"
#include "capstan/export.h"
#include "capstan/kind.h"
#include "capstan/list.h"
#include "capstan/object_meta.h"

namespace capstan::api::core::v1 {

// ServiceAccount binds together:
// * a name, understood by users, and perhaps by peripheral systems, for an identity
// * a principal that can be authenticated and authorized
// * a set of secrets
struct CAPSTAN_EXPORT ServiceAccount {
  // Standard object's metadata. More info:
  // https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#metadata
  ObjectMeta metadata = {};
  // Secrets is a list of the secrets in the same namespace that pods running using this
  // ServiceAccount are allowed to use. Pods are only limited to this list if this service account
  // has a "kubernetes.io/enforce-mountable-secrets" annotation set to "true". The
  // "kubernetes.io/enforce-mountable-secrets" annotation is deprecated since v1.32. Prefer separate
  // namespaces to isolate access to mounted secrets. This field should not be used to find
  // auto-generated service account token secrets for use outside of pods. Instead, tokens can be
  // requested directly using the TokenRequest API, or service account token secrets can be manually
  // created. More info: https://kubernetes.io/docs/concepts/configuration/secret
  List<ObjectReference> secrets = {};
  // ImagePullSecrets is a list of references to secrets in the same namespace to use for pulling
  // any images in pods that reference this ServiceAccount. ImagePullSecrets are distinct from
  // Secrets because Secrets can be mounted in the pod, but ImagePullSecrets are only accessed by
  // the kubelet. More info:
  // https://kubernetes.io/docs/concepts/containers/images/#specifying-imagepullsecrets-on-a-pod
  List<LocalObjectReference> image_pull_secrets = {};
  // AutomountServiceAccountToken indicates whether pods running as this service account should have
  // an API token automatically mounted. Can be overridden at the pod level.
  std::optional<bool> automount_service_account_token = {};
};
CAPSTAN_EXPORT bool operator==(const ServiceAccount& a, const ServiceAccount& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const ServiceAccount*);

}  // namespace capstan::api::core::v1

template <>
inline constexpr auto capstan::kKind<capstan::api::core::v1::ServiceAccount> =
    capstan::Kind("", "v1", "ServiceAccount", "serviceaccounts").Namespaced().Whole();
