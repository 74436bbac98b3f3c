// SPDX-License-Identifier: Apache-2.0
#include "controllers/cainjector/targets/read_gate.h"

namespace capstan::controllers::cainjector {

using clientgo::util::MutexLock;

ReadGate& ReadGate::Get() {
  static ReadGate gate;
  return gate;
}

bool ReadGate::Enter(const std::stop_token& stop, const std::string& ns) {
  const MutexLock lock(mu_);
  const bool entered = left_.Wait(mu_, stop, [&]() CAPSTAN_REQUIRES(mu_) {
    return reading_.size() < kReadersMax && !reading_.contains(ns);
  });
  if (entered) reading_.insert(ns);
  return entered;
}

void ReadGate::Leave(std::string_view ns) {
  const MutexLock lock(mu_);
  reading_.erase(reading_.find(ns));
  left_.NotifyAll();
}

}  // namespace capstan::controllers::cainjector
