// SPDX-License-Identifier: Apache-2.0
#include "capstan/shared_handler.h"

#include <atomic>
#include <utility>

namespace capstan {

// Acquire sets the state before it reads the cache, and the cache changes before its handlers run.
// So each change is in what Acquire reads, or is delivered afterwards, or both.
struct SharedHandler::Subscriber {
  enum class State : std::uint8_t {
    kStopped,
    kListed,    // gets the objects of the initial list from the informer
    kReplayed,  // Acquire has delivered all objects that were in the initial list
  };

  bool Gets(bool is_in_initial_list) const {
    const State now = state;
    return now == State::kListed || (now == State::kReplayed && !is_in_initial_list);
  }

  cache::EventHandler handler;
  std::atomic<State> state = State::kStopped;
};

SharedHandler::SharedHandler(cache::SharedInformer& informer, cache::Predicate predicate)
    : informer_(informer), predicate_(std::move(predicate)) {}

SharedHandler::~SharedHandler() = default;

SharedHandler::Subscriber& SharedHandler::Subscribe(cache::EventHandler handler) {
  auto subscriber = std::make_unique<Subscriber>();
  subscriber->handler = std::move(handler);
  return *subscribers_.emplace_back(std::move(subscriber));
}

cache::EventHandler SharedHandler::ForAllSubscribers() {
  return {.on_add =
              [this](const runtime::ObjectPtr& object, bool is_in_initial_list) {
                for (const auto& each : subscribers_) {
                  if (each->Gets(is_in_initial_list))
                    each->handler.on_add(object, is_in_initial_list);
                }
              },
          .on_update =
              [this](const runtime::ObjectPtr& old_object, const runtime::ObjectPtr& new_object) {
                for (const auto& each : subscribers_) {
                  if (each->Gets(false)) each->handler.on_update(old_object, new_object);
                }
              },
          .on_delete =
              [this](const runtime::ObjectPtr& object, bool is_final_state_unknown) {
                for (const auto& each : subscribers_) {
                  if (each->Gets(false)) each->handler.on_delete(object, is_final_state_unknown);
                }
              },
          .predicate = predicate_};
}

Expected<void> SharedHandler::Acquire(Subscriber& subscriber) {
  subscriber.state = Subscriber::State::kListed;
  bool is_first = false;
  {
    const MutexLock lock(mu_);
    is_first = users_++ == 0;
  }
  if (!is_first) {
    const bool was_listed = informer_.HasSynced();
    for (const runtime::ObjectPtr& object : informer_.store().List()) {
      subscriber.handler.on_add(object, /*is_in_initial_list=*/true);
    }
    if (was_listed) subscriber.state = Subscriber::State::kReplayed;
    return {};
  }
  // Called without the lock: the informer may call the handler at once, on the handler's thread.
  auto registration = informer_.AddEventHandler(ForAllSubscribers());
  if (!registration) return tl::unexpected(std::move(registration.error()));
  const MutexLock lock(mu_);
  registration_ = *std::move(registration);
  return {};
}

void SharedHandler::Release(Subscriber& subscriber) {
  subscriber.state = Subscriber::State::kStopped;
  std::shared_ptr<cache::HandlerRegistration> unused;
  {
    const MutexLock lock(mu_);
    if (--users_ == 0) unused = std::exchange(registration_, nullptr);
  }
  if (unused != nullptr) informer_.RemoveEventHandler(unused);
}

bool SharedHandler::HasSynced() const {
  std::shared_ptr<cache::HandlerRegistration> registration;
  {
    const MutexLock lock(mu_);
    if (users_ == 0) return true;
    registration = registration_;
  }
  return registration != nullptr && registration->HasSynced();
}

}  // namespace capstan
