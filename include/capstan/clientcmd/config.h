// SPDX-License-Identifier: Apache-2.0
// LoadConfig finds the API server and the credentials as kubectl and controller-runtime do. Errors
// are one line with the file, the field and the fix. Mirrors k8s.io/client-go/tools/clientcmd, and
// rest.InClusterConfig.
#pragma once

#include <string>

#include "capstan/clientcmd/kubeconfig.h"
#include "capstan/error.h"
#include "capstan/export.h"
#include "capstan/rest/config.h"

namespace capstan::clientcmd {

struct CAPSTAN_EXPORT LoadOptions {
  std::string kubeconfig = {};  // --kubeconfig; must exist when set
  std::string context = {};     // empty: current-context
};

// Environment is LoadConfig's input besides its options.
struct CAPSTAN_EXPORT Environment {
  std::string kubeconfig = {};    // $KUBECONFIG: paths separated by ':'
  std::string home = {};          // $HOME
  std::string service_host = {};  // $KUBERNETES_SERVICE_HOST
  std::string service_port = {};  // $KUBERNETES_SERVICE_PORT
  std::string service_account_dir = "/var/run/secrets/kubernetes.io/serviceaccount";

  static Environment OfProcess();
};

// Tries --kubeconfig, then $KUBECONFIG (a merged list; missing files are skipped), then in-cluster,
// then ~/.kube/config unless KUBECONFIG is set. Differs from client-go: a file without a
// current-context is an error and does not lead to the next source.
CAPSTAN_EXPORT Expected<rest::Config> LoadConfig(
    const LoadOptions& options, const Environment& environment = Environment::OfProcess());
CAPSTAN_EXPORT Expected<rest::Config> InClusterConfig(
    const Environment& environment = Environment::OfProcess());

}  // namespace capstan::clientcmd
