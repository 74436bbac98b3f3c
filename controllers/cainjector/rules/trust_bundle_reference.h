// SPDX-License-Identifier: Apache-2.0
// TrustBundleReference is the value of capstan.dev/inject-ca-from-clustertrustbundle: the name of
// one ClusterTrustBundle, or a signer name with an optional label selector, which stand for all
// bundles of that signer with these labels: "example.com/foo; team=web". A signer name has a slash,
// a name has none. Pure functions.
#pragma once

#include <string_view>

#include "capstan/error.h"
#include "capstan/label_selector.h"

namespace capstan::cainjector {

struct TrustBundleReference {
  std::string_view object;  // the name, or the signer name; a view into the value
  bool is_signer = false;
  LabelSelector selector = {};
};

// Mirror ValidateClusterTrustBundleName and ValidateSignerName in Kubernetes' pkg/apis/core.
bool IsTrustBundleName(std::string_view text);
bool IsSignerName(std::string_view text);

// The error says what is expected.
Expected<TrustBundleReference> ParseTrustBundleReference(std::string_view value);

}  // namespace capstan::cainjector
