// SPDX-License-Identifier: Apache-2.0
// FakeListerWatcher is a scripted server that records its requests. A request without a scripted
// response hangs until it is stopped or its deadline is reached.
//
// Thread-safe: script it before or while an informer runs. It uses the given clock for timeouts.
// Mirrors client-go's tools/cache/testing and watch.FakeWatcher. Differs: it makes no versions and
// has no state, so it can also act as a broken server.
#pragma once

#include <atomic>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "capstan/cache/lister_watcher.h"
#include "capstan/clock.h"
#include "capstan/mutex.h"

namespace capstan::cache {

// FakePage is one LIST response: the items, then the end of the page or an error.
struct FakePage {
  std::vector<runtime::ObjectPtr> items = {};
  runtime::ListMeta meta = {};
  std::optional<Error> error = {};
  bool hang = false;  // after the items, until stopped
};

// FakeWatch is the server's side of one watch. Events that are sent before the watch is opened are
// read then.
class FakeWatch {
 public:
  void Send(runtime::WatchEvent event);
  void Add(runtime::ObjectPtr object);
  void Modify(runtime::ObjectPtr object);
  void Delete(runtime::ObjectPtr object);
  void Bookmark(std::string resource_version, bool initial_events_end = false);
  void SendError(Error error);  // an ERROR event in the stream
  void Close();                 // a clean end
  void Break(Error error);      // the error of Watcher::Next
  // Blocks (in real time, at most 10 s) until all events were read and the reader waits for more,
  // so that the events have had their effect. Returns false if that did not happen.
  bool WaitUntilRead();
  // Called by the reader instead of Next: `waker` is notified at the next event, and the reader
  // counts as waiting. Returns false if there is an event.
  bool Suspend(transport::Waker& waker);
  // Called by the reader when it does not wait any more.
  void ForgetWaker();
  // Called by the reader. Blocks until there is an event, it is stopped (kCanceled), or there was
  // no event for `max_silence` (kDeadlineExceeded).
  Expected<std::optional<runtime::WatchEvent>> Next(const std::stop_token& stop, Clock& clock,
                                                    Clock::Duration max_silence);
  rest::Watcher::Backlog CheckBacklog();

 private:
  void Put(Expected<std::optional<runtime::WatchEvent>> next);
  void SendObject(runtime::EventType type, runtime::ObjectPtr object);

  Mutex mu_;
  CondVar changed_;
  bool reading_ CAPSTAN_GUARDED_BY(mu_) = false;
  transport::Waker* waker_ CAPSTAN_GUARDED_BY(mu_) = nullptr;
  std::deque<Expected<std::optional<runtime::WatchEvent>>> script_ CAPSTAN_GUARDED_BY(mu_);
};

class FakeListerWatcher final : public ListerWatcher {
 public:
  explicit FakeListerWatcher(Clock& clock = Clock::Real()) : clock_(clock) {}

  // The responses to the next LIST and WATCH requests, in this order.
  void OnList(FakePage page);
  std::shared_ptr<FakeWatch> OnWatch();
  void OnWatchError(Error error);

  // Returns every request, each in one line, without fields that are not set:
  //   LIST rv=0 limit=500
  //   WATCH rv=10 bookmarks timeout=300
  //   WATCH initialEvents match=NotOlderThan bookmarks timeout=300
  std::vector<std::string> Requests() const;
  // Blocks (in real time, at most 10 s) until there were `count` requests. Returns false
  // if there were fewer.
  bool WaitForRequests(std::size_t count) const;
  // Like WaitForRequests, until a LIST has returned all of its items and hangs.
  bool WaitForHanging() const;

  Expected<runtime::ListMeta> List(const rest::CallOptions& call, const rest::ListOptions& options,
                                   const std::function<void(runtime::ObjectPtr)>& on_item) override;
  Expected<std::unique_ptr<rest::Watcher>> Watch(const rest::CallOptions& call,
                                                 const rest::ListOptions& options) override;
  // Reports each response to `availability`, as a client does. Call it before anything runs. Not
  // owned.
  void SetAvailability(rest::ServerAvailability* availability) { availability_ = availability; }
  rest::ServerAvailability* availability() override { return availability_; }
  // The watches that are opened from now on can be suspended, as over HTTP/2.
  void AllowSuspend() { suspendable_ = true; }

 private:
  void Record(std::string_view verb, const rest::ListOptions& options);
  void Report(const Error* error);
  // Waits until `ready`, within the limits of the call.
  Expected<void> Await(const rest::CallOptions& call, const std::function<bool()>& ready)
      CAPSTAN_REQUIRES(mu_);

  Clock& clock_;
  mutable Mutex mu_;
  mutable CondVar changed_;
  std::deque<FakePage> pages_ CAPSTAN_GUARDED_BY(mu_);
  std::deque<Expected<std::shared_ptr<FakeWatch>>> watches_ CAPSTAN_GUARDED_BY(mu_);
  std::vector<std::string> requests_ CAPSTAN_GUARDED_BY(mu_);
  bool hanging_ CAPSTAN_GUARDED_BY(mu_) = false;
  rest::ServerAvailability* availability_ = nullptr;
  std::atomic<bool> suspendable_ = false;
};

}  // namespace capstan::cache
