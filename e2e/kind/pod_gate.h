// SPDX-License-Identifier: Apache-2.0
// PodGate: the ready key of one pod, asked of the API server each time, as csi-driver's
// pod-annotation gate takes it: any value is open. Thread-safe. Apart from the driver because
// gRPC's headers and ours define the same macros.
#pragma once

#include <memory>
#include <string>

#include "clientgo/util/error.h"

namespace clientgo::rest {
class Client;
}

namespace e2e::kind {

class PodGate {
 public:
  // In a pod, with its service account's right to get pods.
  static clientgo::util::Expected<std::unique_ptr<PodGate>> New();
  ~PodGate();

  // The key's value. An error when it is absent or empty, or the pod of this name has another uid.
  clientgo::util::Expected<std::string> Ready(const std::string& ns, const std::string& name,
                                              const std::string& uid);

 private:
  explicit PodGate(std::unique_ptr<clientgo::rest::Client> client);
  const std::unique_ptr<clientgo::rest::Client> client_;
};

}  // namespace e2e::kind
