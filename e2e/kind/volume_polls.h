// SPDX-License-Identifier: Apache-2.0
// VolumePolls waits for the gates of mounted volumes as csi-driver does with
// --continue-on-not-ready: the first look is one second after the mount, and after each look that
// finds a closed gate it sleeps for the backoff and waits for the next tick of one second. Each
// volume has a thread. Thread-safe.
//
// csi-lib, which contains that loop, is not available as a module, so this is written from its
// observed behaviour. It differs: it reads the pod from the API server instead of a cache, and it
// issues no certificate when the gate opens.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "capstan/error.h"
#include "e2e/kind/pod_gate.h"

namespace e2e::kind {

class VolumePolls {
 public:
  using Opened = std::function<void(const std::string& value)>;

  VolumePolls();
  ~VolumePolls();

  // Polls until `look` returns a value, and then calls `opened` with it. `backoff` is "INITIAL
  // FACTOR CAP JITTER" with times in milliseconds, such as "1000 2 10000 0.5". Does nothing if the
  // volume is polled already. Fails with kInvalidArgument for another backoff.
  capstan::Expected<void> Start(const std::string& volume, const std::string& backoff,
                                std::function<capstan::Expected<std::string>()> look,
                                Opened opened);
  // Ends the polling, and waits for the end of a look. Does nothing if it has ended.
  void Stop(const std::string& volume);

 private:
  struct State;
  const std::unique_ptr<State> state_;
};

}  // namespace e2e::kind
