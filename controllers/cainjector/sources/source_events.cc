// SPDX-License-Identifier: Apache-2.0
#include "controllers/cainjector/sources/source_events.h"

#include <algorithm>
#include <utility>

namespace controllers::cainjector {

using clientgo::cache::SharedInformer;
using clientgo::runtime::ObjectPtr;
using clientgo::util::Expected;
using clientgo::util::MutexLock;

void SourceEvents::Watch(SharedInformer& informer, OnChange on_change) {
  const MutexLock lock(mu_);
  watched_.push_back({.informer = &informer, .on_change = std::move(on_change)});
}

void SourceEvents::Poll(std::chrono::nanoseconds period, std::function<void()> look) {
  period_ = period;
  look_ = std::move(look);
}

bool SourceEvents::Handled(const SharedInformer& informer) const {
  std::vector<std::shared_ptr<clientgo::cache::HandlerRegistration>> registrations;
  {
    const MutexLock lock(mu_);
    for (const Watched& watched : watched_) {
      if (watched.informer == &informer) registrations.push_back(watched.registration);
    }
  }
  return std::all_of(registrations.begin(), registrations.end(), [](const auto& registration) {
    return registration != nullptr && registration->HasSynced();
  });
}

Expected<void> SourceEvents::AddHandlers() {
  std::vector<Watched> watched;
  {
    const MutexLock lock(mu_);
    watched = watched_;
  }
  // Without the lock: the handler is called at once, on its thread.
  for (std::size_t i = 0; i < watched.size(); ++i) {
    const OnChange& on_change = watched[i].on_change;
    auto registration = watched[i].informer->AddEventHandler(
        {.on_add = [on_change](const ObjectPtr& object, bool) { on_change(*object); },
         .on_update = [on_change](const ObjectPtr&, const ObjectPtr& now) { on_change(*now); },
         .on_delete = [on_change](const ObjectPtr& last, bool) { on_change(*last); }});
    if (!registration) return tl::unexpected(std::move(registration.error()));
    const MutexLock lock(mu_);
    watched_[i].registration = *std::move(registration);
  }
  return {};
}

void SourceEvents::RemoveHandlers() {
  std::vector<Watched> watched;
  {
    const MutexLock lock(mu_);
    watched = watched_;
    for (Watched& each : watched_) each.registration = nullptr;
  }
  for (const Watched& each : watched) {
    if (each.registration != nullptr) each.informer->RemoveEventHandler(each.registration);
  }
}

Expected<void> SourceEvents::Start(std::stop_token stop) {
  Expected<void> added = AddHandlers();
  if (added && look_) {
    while (clock_.SleepFor(stop, period_)) look_();
  } else if (added) {
    runtime::WaitForStop(stop);
  }
  RemoveHandlers();
  if (stop.stop_requested()) return {};
  return added;
}

}  // namespace controllers::cainjector
