// SPDX-License-Identifier: Apache-2.0
// GatedPods creates pods that wait for the node agent, on a node that does not exist: no kubelet
// starts them, and GatedPods gives them their addresses. One thread.
#pragma once

#include <stop_token>
#include <string>

#include "capstan/error.h"
#include "capstan/rest/client.h"

namespace capstan::cmd::capstan_demo {

inline constexpr const char* kDemoNode = "capstan-demo-node";

class GatedPods {
 public:
  // `client` must outlive the GatedPods. The namespace must exist.
  GatedPods(rest::Client& client, std::string ns) : client_(client), ns_(std::move(ns)) {}

  // Creates `count` more pods without an address.
  Expected<void> Create(const std::stop_token& stop, int count);
  // Gives an address to the pods without one.
  Expected<void> GiveAddresses(const std::stop_token& stop);
  struct Counts {
    int waiting = 0;  // pods whose status the agent wrote
    int open = 0;     // pods whose gates the agent opened
  };
  Expected<Counts> Count(const std::stop_token& stop);
  int count() const { return count_; }
  // Deletes the pods. Returns the first error and continues after errors.
  Expected<void> CleanUp(const std::stop_token& stop);

 private:
  rest::Client& client_;
  const std::string ns_;
  int count_ = 0;
  int with_address_ = 0;
};

}  // namespace capstan::cmd::capstan_demo
