// SPDX-License-Identifier: Apache-2.0
// MakeAssets makes the folder that envtest reads its programs from ($KUBEBUILDER_ASSETS), with
// links to capstan-test-server in place of kube-apiserver and etcd.
#pragma once

#include <string>

#include "capstan/error.h"

namespace capstan::cmd::cli::envtest {

struct AssetsOptions {
  std::string beside = {};  // the folder that is searched before the path
  std::string path = {};    // $PATH
  std::string cache = {};   // the folder of the user's caches
};

// Returns the folder. Each capstan-test-server has its own, so that two versions can be used at the
// same time. It has kubectl if that is on the path. Safe to call from several processes at once.
// kInvalidArgument: there is no capstan-test-server, or the folder cannot be written.
Expected<std::string> MakeAssets(const AssetsOptions& options);

}  // namespace capstan::cmd::cli::envtest
