// SPDX-License-Identifier: Apache-2.0
// Caches runs the informers of a factory. Internal to this folder.
#pragma once

#include <stop_token>
#include <string>
#include <utility>

#include "capstan/cache/informer_factory.h"
#include "capstan/runnable.h"

namespace capstan {

class Caches final : public BackgroundRunnable {
 public:
  // `informers` outlives it.
  explicit Caches(cache::SharedInformerFactory& informers) : informers_(informers) {}
  Expected<void> Begin(std::stop_token stop) override {
    informers_.Start(std::move(stop));
    return {};
  }
  void End() override { informers_.Shutdown(); }
  std::string name() const override { return "caches"; }

 private:
  cache::SharedInformerFactory& informers_;
};

}  // namespace capstan
