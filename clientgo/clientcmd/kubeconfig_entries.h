// SPDX-License-Identifier: Apache-2.0
// What a cluster and a user of a kubeconfig mean for a Config. Fields that are not known are
// ignored, as client-go does; fields that are known and cannot be honoured are an error. Internal
// to clientcmd; pure but for reading the CA file that a plugin wants to know.
// Mirrors the validation and conversion of client-go's tools/clientcmd.
#pragma once

#include "clientgo/clientcmd/kubeconfig_fields.h"
#include "clientgo/rest/config.h"

namespace clientgo::clientcmd {

// Errors are left in the Fields.
void ReadCluster(Fields& cluster, rest::Config& config);
// After ReadCluster: an exec plugin may be told about the cluster.
void ReadUser(Fields& user, Fields& cluster, rest::Config& config);

}  // namespace clientgo::clientcmd
