// SPDX-License-Identifier: Apache-2.0
#include "controllers/cainjector/targets/read_gate.h"

namespace capstan::cainjector {

ReadGate& ReadGate::Get() {
  static ReadGate gate;
  return gate;
}

std::optional<ReadGate::Turn> ReadGate::Enter(const std::stop_token& stop, const std::string& ns) {
  const MutexLock lock(mu_);
  const bool entered = left_.Wait(mu_, stop, [&]() CAPSTAN_REQUIRES(mu_) {
    return reading_.size() < kReadersMax && !reading_.contains(ns);
  });
  if (!entered) return std::nullopt;
  reading_.insert(ns);
  return Turn(*this, ns);
}

void ReadGate::Leave(const std::string& ns) {
  const MutexLock lock(mu_);
  reading_.erase(ns);
  left_.NotifyAll();
}

}  // namespace capstan::cainjector
