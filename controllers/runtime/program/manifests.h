// SPDX-License-Identifier: Apache-2.0
// The manifests that a program prints for its deployment: its rights, and the configurations of its
// webhooks. They are made from detail::Use, so they name what the program has compiled. Pure
// functions. Each document begins with "---".
#pragma once

#include <string>

#include "capstan/detail/uses.h"

namespace capstan::program {

// Returns YAML with a Namespace, a ServiceAccount and a ClusterRole, each with the name of the
// program, and with the right to write Events. `lease` is the name of the Lease of the leader
// election; empty: there is no election. Requests through Unstructured or rest::Client are not in
// `uses`, and the author adds their rights.
std::string RbacManifest(const std::string& program, const std::string& lease,
                         const detail::Use* uses);

// Returns YAML with the configurations of the webhooks. They call the Service NAME-webhook, and the
// CA comes from the Certificate NAME-webhook. Empty: the program has no webhook.
std::string WebhookManifest(const std::string& program, const detail::Use* uses);

}  // namespace capstan::program
