// SPDX-License-Identifier: Apache-2.0
// The addresses and node ports of Services: allocated when a Service is created, and kept when an
// update omits them. Mirrors alloc.go and storage.go of
// k8s.io/kubernetes/pkg/registry/core/service/storage for a cluster with IPv4, where this is not a
// plugin. Differs: an address that the user chooses may be outside of the range.
#pragma once

#include <optional>

#include "clientgo/testing/apiserver/admission/plugins.h"

namespace capstan::testing::apiserver {

// Gives the Service its addresses and ports. Returns an error if it chose one that it cannot have,
// or if none is free. A dry run may choose any port. Differs: in an update this comes before the
// mutating webhooks; in kube-apiserver it comes after them.
std::optional<Status> SetServiceAddresses(const PluginRequest& request,
                                          runtime::JsonDocument& service);

}  // namespace capstan::testing::apiserver
