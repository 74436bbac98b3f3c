// SPDX-License-Identifier: Apache-2.0
// GatedPods: pods that wait for the node agent, on a node that nobody has: no kubelet starts them,
// and the demo plays the part of the one who gives them addresses. One thread.
#pragma once

#include <stop_token>
#include <string>

#include "clientgo/rest/client.h"
#include "clientgo/util/error.h"

namespace cmd::capstan::demo {

inline constexpr const char* kDemoNode = "capstan-demo-node";

class GatedPods {
 public:
  // `client` outlives it; the namespace exists.
  GatedPods(clientgo::rest::Client& client, std::string ns) : client_(client), ns_(std::move(ns)) {}

  // `count` more, without an address.
  clientgo::util::Expected<void> Create(const std::stop_token& stop, int count);
  // To those that have none.
  clientgo::util::Expected<void> GiveAddresses(const std::stop_token& stop);
  struct Counts {
    int told = 0;  // the agent wrote what the pod waits for
    int open = 0;  // the agent opened its gates
  };
  clientgo::util::Expected<Counts> Count(const std::stop_token& stop);
  int count() const { return count_; }
  // Deletes them. Goes on over errors and returns the first.
  clientgo::util::Expected<void> CleanUp(const std::stop_token& stop);

 private:
  clientgo::rest::Client& client_;
  const std::string ns_;
  int count_ = 0;
  int with_address_ = 0;
};

}  // namespace cmd::capstan::demo
