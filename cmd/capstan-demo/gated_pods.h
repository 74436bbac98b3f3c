// SPDX-License-Identifier: Apache-2.0
// GatedPods creates pods that wait for the node agent, on a node that does not exist: no kubelet
// starts them, and GatedPods gives them their addresses. One thread. It fails as Namespace does.
#pragma once

#include "cmd/capstan-demo/namespace.h"

namespace capstan::cmd::capstan_demo {

inline constexpr const char* kDemoNode = "capstan-demo-node";

class GatedPods {
 public:
  // `ns` must outlive the GatedPods. The namespace must exist.
  explicit GatedPods(const Namespace& ns) : ns_(ns) {}

  // Creates `count` more pods without an address.
  void Create(int count);
  // Gives an address to the pods without one.
  void GiveAddresses();
  struct Counts {
    int waiting = 0;  // pods whose status the agent wrote
    int open = 0;     // pods whose gates the agent opened
  };
  Counts Count() const;
  int count() const { return count_; }

 private:
  const Namespace& ns_;
  int count_ = 0;
  int with_address_ = 0;
};

}  // namespace capstan::cmd::capstan_demo
