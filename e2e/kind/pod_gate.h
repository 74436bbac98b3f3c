// SPDX-License-Identifier: Apache-2.0
// PodGate reads a pod from the API server for two gates of csi-driver: pod-annotation with our
// ready key, for which any value means open, and pod-ip:any. Thread-safe. It is separate from the
// driver because gRPC's headers and ours define the same macros.
#pragma once

#include <memory>
#include <string>

#include "capstan/error.h"

namespace capstan::rest {
class Client;
}

namespace e2e::kind {

class PodGate {
 public:
  // Creates a gate that uses the service account of this pod, which needs the right to get pods.
  static capstan::Expected<std::unique_ptr<PodGate>> New();
  ~PodGate();

  // Returns the key's value. Fails when it is missing or empty, or when the pod has another uid.
  capstan::Expected<std::string> Ready(const std::string& ns, const std::string& name,
                                       const std::string& uid);
  // Returns the first of the pod's addresses. Fails when there is none.
  capstan::Expected<std::string> Address(const std::string& ns, const std::string& name);

 private:
  explicit PodGate(std::unique_ptr<capstan::rest::Client> client);
  const std::unique_ptr<capstan::rest::Client> client_;
};

}  // namespace e2e::kind
