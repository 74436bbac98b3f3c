// SPDX-License-Identifier: Apache-2.0
// The defaults of the built-in kinds that are not those of a type (type_defaults.h), to which the
// table of kinds refers. Mirrors the defaulting functions of the packages in
// k8s.io/kubernetes/pkg/apis. Not set: the resources of a whole Pod.
#pragma once

#include "clientgo/testing/apiserver/types/json_edit.h"

namespace capstan::testing::apiserver {

void DefaultApiService(runtime::JsonDocument& object);
// A new APIService without a service is one of this server, which is available.
void MarkLocalAvailable(runtime::JsonDocument& api_service);
void DefaultBinding(runtime::JsonDocument& object);  // a RoleBinding or ClusterRoleBinding
void DefaultCronJob(runtime::JsonDocument& object);
void DefaultDaemonSet(runtime::JsonDocument& object);
void DefaultDefinition(runtime::JsonDocument& object);
void DefaultDeployment(runtime::JsonDocument& object);
void DefaultJob(runtime::JsonDocument& object);
void DefaultMutatingWebhooks(runtime::JsonDocument& object);
void DefaultNamespace(runtime::JsonDocument& object);
void DefaultPod(runtime::JsonDocument& object);
void DefaultReplicaSet(runtime::JsonDocument& object);
void DefaultReplicationController(runtime::JsonDocument& object);
void DefaultSecret(runtime::JsonDocument& object);
void DefaultService(runtime::JsonDocument& object);  // no address is allocated
void DefaultStatefulSet(runtime::JsonDocument& object);
void DefaultValidatingWebhooks(runtime::JsonDocument& object);

}  // namespace capstan::testing::apiserver
