// SPDX-License-Identifier: Apache-2.0
// Written by hack/api_kinds.py from Kubernetes v0.37.2, with its documentation.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "capstan/bytes.h"
#include "capstan/detail/layout.h"
#include "capstan/export.h"
#include "capstan/kind.h"
#include "capstan/object_meta.h"

namespace capstan::api::core::v1 {

// ConfigMap holds configuration data for pods to consume.
struct CAPSTAN_EXPORT ConfigMap {
  // Standard object's metadata. More info:
  // https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#metadata
  ObjectMeta metadata = {};
  // Immutable, if set to true, ensures that data stored in the ConfigMap cannot be updated (only
  // object metadata can be modified). If not set to true, the field can be modified at any time.
  // Defaulted to nil.
  std::optional<bool> immutable = {};
  // Data contains the configuration data. Each key must consist of alphanumeric characters, '-',
  // '_' or '.'. Values with non-UTF-8 byte sequences must use the BinaryData field. The keys stored
  // in Data must not overlap with the keys in the BinaryData field, this is enforced during
  // validation process.
  std::map<std::string, std::string> data = {};
  // BinaryData contains the binary data. Each key must consist of alphanumeric characters, '-', '_'
  // or '.'. BinaryData can contain byte sequences that are not in the UTF-8 range. The keys stored
  // in BinaryData must not overlap with the ones in the Data field, this is enforced during
  // validation process. Using this field will require 1.10+ apiserver and kubelet. Note: BinaryData
  // keys are not currently propagated to container env vars via ConfigMapKeyRef or ConfigMapRef env
  // sources; only Data keys are used.
  std::map<std::string, Bytes> binary_data = {};
};
CAPSTAN_EXPORT bool operator==(const ConfigMap& a, const ConfigMap& b);
CAPSTAN_EXPORT const detail::StructLayout& LayoutOf(const ConfigMap*);

}  // namespace capstan::api::core::v1

template <>
inline constexpr auto capstan::kKind<capstan::api::core::v1::ConfigMap> =
    capstan::Kind("", "v1", "ConfigMap", "configmaps").Namespaced().Whole();
