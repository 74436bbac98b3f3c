// SPDX-License-Identifier: Apache-2.0
// SourceEvents: tells of every change of a source, once for all kinds of targets: one handler, and
// so one thread, for each informer of sources, however many controllers there are. What is no
// Kubernetes object is polled, on one more thread.
//
// A Runnable for the leader: elsewhere nobody acts on a change. Watch and Poll before Start, from
// one thread; Handled is thread-safe. No upstream: there every controller has every handler.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "clientgo/cache/shared_informer.h"
#include "clientgo/util/clock.h"
#include "clientgo/util/mutex.h"
#include "controllers/runtime/runnable.h"

namespace controllers::cainjector {

class SourceEvents final : public runtime::Runnable {
 public:
  explicit SourceEvents(clientgo::util::Clock& clock) : clock_(clock) {}

  using OnChange = std::function<void(const clientgo::runtime::Object&)>;
  // `on_change` runs on the informer's handler thread: for every object at the start, then for each
  // that is added, changed (as it is now) or deleted. `informer` outlives this.
  void Watch(clientgo::cache::SharedInformer& informer, OnChange on_change);
  // `look` runs every `period`.
  void Poll(std::chrono::nanoseconds period, std::function<void()> look);

  // on_change has been called for all that was there at the start.
  bool Handled(const clientgo::cache::SharedInformer& informer) const;

  clientgo::util::Expected<void> Start(std::stop_token stop) override;
  std::string name() const override { return "source-events"; }

 private:
  struct Watched {
    clientgo::cache::SharedInformer* informer = nullptr;
    OnChange on_change;
    std::shared_ptr<clientgo::cache::HandlerRegistration> registration = {};
  };
  clientgo::util::Expected<void> AddHandlers();
  void RemoveHandlers();

  clientgo::util::Clock& clock_;
  std::chrono::nanoseconds period_{0};
  std::function<void()> look_;
  mutable clientgo::util::Mutex mu_;
  std::vector<Watched> watched_ GUARDED_BY(mu_);
};

}  // namespace controllers::cainjector
