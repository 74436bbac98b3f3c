// SPDX-License-Identifier: Apache-2.0
// Reads an AuthorizationConfiguration of apiserver.config.k8s.io, the file of kube-apiserver's
// --authorization-config. Mirrors k8s.io/apiserver/pkg/apis/apiserver/{load,validation} and
// LoadAndValidateData of k8s.io/kubernetes/pkg/kubeapiserver/authorizer. Differs: the type ABAC is
// an error, and the file is not read again when it changes.
#pragma once

#include <string_view>

#include "capstan/error.h"
#include "clientgo/testing/apiserver/authorization/authorizer.h"

namespace capstan::testing::apiserver {

// Returns the chain of authorizers, and reads the kubeconfig files of its webhooks. `text` is YAML
// or JSON. kInvalidArgument: it is wrong; the message is that of kube-apiserver.
Expected<AuthorizerChain> ReadAuthorizationConfiguration(std::string_view text);

}  // namespace capstan::testing::apiserver
