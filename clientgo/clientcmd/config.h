// SPDX-License-Identifier: Apache-2.0
// LoadConfig: finds the API server and the credentials the way kubectl and controller-runtime do.
// Bad input is one line that names the file, the field and the remedy. Pure but for reading files.
// Mirrors k8s.io/client-go/tools/clientcmd, and rest.InClusterConfig.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "clientgo/rest/config.h"
#include "clientgo/util/error.h"

namespace clientgo::clientcmd {

struct LoadOptions {
  std::string kubeconfig = {};  // --kubeconfig: must exist when given
  std::string context = {};     // empty: current-context
};

// What LoadConfig looks at besides its options; tests write their own.
struct Environment {
  std::string kubeconfig = {};    // $KUBECONFIG: paths with ':' between them
  std::string home = {};          // $HOME
  std::string service_host = {};  // $KUBERNETES_SERVICE_HOST
  std::string service_port = {};  // $KUBERNETES_SERVICE_PORT
  std::string service_account_dir = "/var/run/secrets/kubernetes.io/serviceaccount";

  static Environment OfProcess();
};

// --kubeconfig, then $KUBECONFIG (a list, merged; what is missing is skipped), then in-cluster,
// then ~/.kube/config unless KUBECONFIG is set. Differs from client-go: a file that chooses no
// cluster is an error, not a reason to look further.
util::Expected<rest::Config> LoadConfig(const LoadOptions& options,
                                        const Environment& environment = Environment::OfProcess());
util::Expected<rest::Config> InClusterConfig(
    const Environment& environment = Environment::OfProcess());
// Only the given files, which must exist, merged: maps first-wins, scalars first file wins.
// What a kubeconfig may say and this library cannot do is an error, never ignored.
util::Expected<rest::Config> LoadKubeconfig(const std::vector<std::string>& paths,
                                            std::string_view context);

}  // namespace clientgo::clientcmd
