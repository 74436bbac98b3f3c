// SPDX-License-Identifier: Apache-2.0
// FakeListerWatcher: a server that says what the test tells it to, request by request, and records
// what it was asked. A request without a scripted answer hangs until it is stopped or its deadline
// has come, as a server does that has nothing to say.
//
// Thread-safe: script it before or while an informer runs. No time passes in it; timeouts run on
// the clock that it was given.
// Mirrors client-go's tools/cache/testing and watch.FakeWatcher. Differs: it invents no versions
// and keeps no state, so that also a broken server can be played.
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "clientgo/cache/lister_watcher.h"
#include "clientgo/util/clock.h"
#include "clientgo/util/mutex.h"

namespace clientgo::cache::testing {

// One LIST answer: the items, then either how the page ends or an error.
struct FakePage {
  std::vector<runtime::ObjectPtr> items = {};
  runtime::ListMeta meta = {};
  std::optional<util::Error> error = {};
  bool hang = false;  // after the items, until stopped
};

// The server's side of one watch. What is sent before the watch is opened is read then.
class FakeWatch {
 public:
  void Send(runtime::WatchEvent event);
  void Add(runtime::ObjectPtr object);
  void Modify(runtime::ObjectPtr object);
  void Delete(runtime::ObjectPtr object);
  void Bookmark(std::string resource_version, bool initial_events_end = false);
  void SendError(util::Error error);  // an ERROR event in the stream
  void Close();                       // a clean end
  void Break(util::Error error);      // what Watcher::Next then fails with
  // Blocks (in real time, at most 10 s) until all of it was read and the reader asks for more, so
  // that what was sent has had its effect; false: that did not happen.
  bool WaitUntilRead();
  // What the reader side does: blocks until there is something, it is stopped (kCanceled), or there
  // was nothing for `max_silence` (kDeadlineExceeded).
  util::Expected<std::optional<runtime::WatchEvent>> Next(const std::stop_token& stop,
                                                          util::Clock& clock,
                                                          util::Clock::Duration max_silence);

 private:
  void Put(util::Expected<std::optional<runtime::WatchEvent>> next);
  void SendObject(runtime::EventType type, runtime::ObjectPtr object);

  util::Mutex mu_;
  util::CondVar changed_;
  bool reading_ GUARDED_BY(mu_) = false;
  std::deque<util::Expected<std::optional<runtime::WatchEvent>>> script_ GUARDED_BY(mu_);
};

class FakeListerWatcher final : public ListerWatcher {
 public:
  explicit FakeListerWatcher(util::Clock& clock = util::Clock::Real()) : clock_(clock) {}

  // The answers to the next LIST and WATCH requests, in this order.
  void OnList(FakePage page);
  std::shared_ptr<FakeWatch> OnWatch();
  void OnWatchError(util::Error error);

  // Every request so far, each in one line, fields that are not set left out:
  //   LIST rv=0 limit=500
  //   WATCH rv=10 bookmarks timeout=300
  //   WATCH initialEvents match=NotOlderThan bookmarks timeout=300
  std::vector<std::string> Requests() const;
  // Blocks (in real time, at most 10 s) until there were `count`; false: they did not come.
  bool WaitForRequests(std::size_t count) const;
  // The same, until a LIST has given all of its items and hangs.
  bool WaitForHanging() const;

  util::Expected<runtime::ListMeta> List(
      const rest::CallOptions& call, const rest::ListOptions& options,
      const std::function<void(runtime::ObjectPtr)>& on_item) override;
  util::Expected<std::unique_ptr<rest::Watcher>> Watch(const rest::CallOptions& call,
                                                       const rest::ListOptions& options) override;
  // Each answer is reported to it, as a client does. Before anything runs; not owned.
  void SetAvailability(rest::ServerAvailability* availability) { availability_ = availability; }
  rest::ServerAvailability* availability() override { return availability_; }

 private:
  void Record(std::string_view verb, const rest::ListOptions& options);
  void Report(const util::Error* error);
  // Waits until `ready`, as long as the call may take; the error says why it is not.
  util::Expected<void> Await(const rest::CallOptions& call, const std::function<bool()>& ready)
      REQUIRES(mu_);

  util::Clock& clock_;
  mutable util::Mutex mu_;
  mutable util::CondVar changed_;
  std::deque<FakePage> pages_ GUARDED_BY(mu_);
  std::deque<util::Expected<std::shared_ptr<FakeWatch>>> watches_ GUARDED_BY(mu_);
  std::vector<std::string> requests_ GUARDED_BY(mu_);
  bool hanging_ GUARDED_BY(mu_) = false;
  rest::ServerAvailability* availability_ = nullptr;
};

}  // namespace clientgo::cache::testing
