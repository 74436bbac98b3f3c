// SPDX-License-Identifier: Apache-2.0
// ClusterTrustBundles as a target: spec.trustBundle. Has no upstream.
//
// The field is required, so its creator always owns it, and a write takes it over: otherwise no
// bundle could ever be written. spec.signerName stays, and each write of a bundle with a signer
// needs the right to attest for it.
#pragma once

#include <string>
#include <string_view>

#include "capstan/error.h"
#include "capstan/rest/client.h"
#include "controllers/cainjector/targets/target.h"

namespace capstan::cainjector {

// `version` is "v1" or "v1beta1".
const Target& ClusterTrustBundleTarget(std::string_view version);
// Returns the newest of these versions that the API server serves, or "v1" when it serves none.
Expected<std::string> FindClusterTrustBundleVersion(const rest::CallOptions& call,
                                                    rest::Client& client);

}  // namespace capstan::cainjector
