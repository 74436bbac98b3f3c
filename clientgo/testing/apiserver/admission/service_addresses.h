// SPDX-License-Identifier: Apache-2.0
// The addresses and node ports of Services: allocated when a Service is created, and kept when an
// update omits them. Mirrors alloc.go and storage.go of
// k8s.io/kubernetes/pkg/registry/core/service/storage for a cluster with IPv4, where this is not a
// plugin. Differs: an address that the user chooses may be outside of the range.
#pragma once

#include <optional>

#include "clientgo/testing/apiserver/admission/plugins.h"

namespace capstan::testing::apiserver {

// Returns why the Service cannot have an address or port that it chose, or there is no free one;
// nullopt: the Service has what it needs. A dry run may choose any port. A kube-apiserver does this
// behind the mutating webhooks and before the object is validated.
std::optional<Status> SetServiceAddresses(const PluginRequest& request,
                                          runtime::JsonDocument& service);

}  // namespace capstan::testing::apiserver
