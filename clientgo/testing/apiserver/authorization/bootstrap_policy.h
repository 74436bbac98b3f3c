// SPDX-License-Identifier: Apache-2.0
// The ClusterRoles and ClusterRoleBindings that kube-apiserver creates at its start. Mirrors
// k8s.io/kubernetes/plugin/pkg/auth/authorizer/rbac/bootstrappolicy of Kubernetes 1.34. Differs:
// the roles of controllers, of the scheduler and of the parts of a node are left out, and so are
// the Roles in kube-system and kube-public.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace capstan::testing::apiserver {

struct BootstrapObject {
  std::string_view plural;  // of rbac.authorization.k8s.io
  std::string json;
};

// Returns the objects in the order of their creation.
std::vector<BootstrapObject> BootstrapPolicy();

}  // namespace capstan::testing::apiserver
