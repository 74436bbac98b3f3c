// SPDX-License-Identifier: Apache-2.0
#include "clientgo/cache/testing/fake_lister_watcher.h"

#include <algorithm>
#include <chrono>
#include <utility>

namespace capstan::cache {
namespace {

class FakeWatcher final : public rest::Watcher {
 public:
  FakeWatcher(std::stop_token stop, Clock& clock, bool suspendable,
              std::shared_ptr<FakeWatch> watch)
      : stop_(std::move(stop)),
        clock_(clock),
        suspendable_(suspendable),
        watch_(std::move(watch)) {}
  ~FakeWatcher() override { watch_->ForgetWaker(); }
  Expected<std::optional<runtime::WatchEvent>> Next(Clock::Duration max_silence) override {
    return watch_->Next(stop_, clock_, max_silence);
  }
  Backlog CheckBacklog() override { return watch_->CheckBacklog(); }
  bool CanSuspend() const override { return suspendable_; }
  std::optional<Clock::TimePoint> Suspend(transport::Waker& waker) override {
    if (stop_.stop_requested() || !watch_->Suspend(waker)) return std::nullopt;
    return Clock::TimePoint::max();
  }

 private:
  const std::stop_token stop_;
  Clock& clock_;
  const bool suspendable_;
  const std::shared_ptr<FakeWatch> watch_;
};

void Append(std::string& line, std::string_view name, std::string_view value) {
  if (value.empty()) return;
  line.append(" ").append(name).append("=").append(value);
}

tl::unexpected<Error> Ended(const std::stop_token& stop) {
  if (stop.stop_requested()) return Err(ErrorReason::kCanceled, "stopped");
  return Err(ErrorReason::kDeadlineExceeded, "the deadline has passed");
}

std::string NonZero(std::int64_t number) { return number == 0 ? "" : std::to_string(number); }

}  // namespace

void FakeWatch::Put(Expected<std::optional<runtime::WatchEvent>> next) {
  MutexLock lock(mu_);
  script_.push_back(std::move(next));
  changed_.NotifyAll();
  if (transport::Waker* waker = std::exchange(waker_, nullptr)) waker->Wake();
}

bool FakeWatch::Suspend(transport::Waker& waker) {
  MutexLock lock(mu_);
  if (!script_.empty()) return false;
  waker_ = &waker;
  reading_ = true;
  changed_.NotifyAll();
  return true;
}

void FakeWatch::ForgetWaker() {
  MutexLock lock(mu_);
  waker_ = nullptr;
}

void FakeWatch::Send(runtime::WatchEvent event) {
  Put(std::optional<runtime::WatchEvent>(std::move(event)));
}

void FakeWatch::SendObject(runtime::EventType type, runtime::ObjectPtr object) {
  runtime::WatchEvent event;
  event.type = type;
  event.resource_version = object->resource_version();
  event.object = std::move(object);
  Send(std::move(event));
}

void FakeWatch::Add(runtime::ObjectPtr object) {
  SendObject(runtime::EventType::kAdded, std::move(object));
}
void FakeWatch::Modify(runtime::ObjectPtr object) {
  SendObject(runtime::EventType::kModified, std::move(object));
}
void FakeWatch::Delete(runtime::ObjectPtr object) {
  SendObject(runtime::EventType::kDeleted, std::move(object));
}

void FakeWatch::Bookmark(std::string resource_version, bool initial_events_end) {
  runtime::WatchEvent event;
  event.type = runtime::EventType::kBookmark;
  event.resource_version = std::move(resource_version);
  event.initial_events_end = initial_events_end;
  Send(std::move(event));
}

void FakeWatch::SendError(Error error) {
  runtime::WatchEvent event;
  event.type = runtime::EventType::kError;
  event.error = std::move(error);
  Send(std::move(event));
}

void FakeWatch::Close() { Put(std::optional<runtime::WatchEvent>()); }
void FakeWatch::Break(Error error) { Put(Err(std::move(error))); }

bool FakeWatch::WaitUntilRead() {
  MutexLock lock(mu_);
  return changed_.WaitUntil(mu_, std::stop_token(),
                            std::chrono::steady_clock::now() + std::chrono::seconds(10),
                            [&]() CAPSTAN_REQUIRES(mu_) { return reading_ && script_.empty(); });
}

Expected<std::optional<runtime::WatchEvent>> FakeWatch::Next(const std::stop_token& stop,
                                                             Clock& clock,
                                                             Clock::Duration max_silence) {
  MutexLock lock(mu_);
  waker_ = nullptr;
  reading_ = true;
  changed_.NotifyAll();
  const bool sent = clock.WaitUntil(mu_, changed_, stop, clock.After(max_silence),
                                    [&]() CAPSTAN_REQUIRES(mu_) { return !script_.empty(); });
  reading_ = false;
  if (!sent) return Ended(stop);
  auto next = std::move(script_.front());
  script_.pop_front();
  return next;
}

rest::Watcher::Backlog FakeWatch::CheckBacklog() {
  MutexLock lock(mu_);
  return script_.empty() ? rest::Watcher::Backlog::kNone : rest::Watcher::Backlog::kReceived;
}

void FakeListerWatcher::OnList(FakePage page) {
  MutexLock lock(mu_);
  pages_.push_back(std::move(page));
  changed_.NotifyAll();
}

std::shared_ptr<FakeWatch> FakeListerWatcher::OnWatch() {
  auto watch = std::make_shared<FakeWatch>();
  MutexLock lock(mu_);
  watches_.emplace_back(watch);
  changed_.NotifyAll();
  return watch;
}

void FakeListerWatcher::OnWatchError(Error error) {
  MutexLock lock(mu_);
  watches_.emplace_back(Err(std::move(error)));
  changed_.NotifyAll();
}

void FakeListerWatcher::Record(std::string_view verb, const rest::ListOptions& options) {
  std::string line(verb);
  Append(line, "rv", options.resource_version);
  if (options.send_initial_events) line += " initialEvents";
  Append(line, "match", options.resource_version_match);
  if (options.allow_watch_bookmarks) line += " bookmarks";
  Append(line, "timeout", NonZero(options.timeout.count()));
  Append(line, "limit", NonZero(options.limit));
  Append(line, "continue", options.continue_token);
  MutexLock lock(mu_);
  requests_.push_back(std::move(line));
  changed_.NotifyAll();
}

void FakeListerWatcher::Report(const Error* error) {
  if (availability_ == nullptr) return;
  if (error != nullptr && error->http_code == 0) {
    availability_->OnFailure(*error);
  } else {
    availability_->OnAnswer(error == nullptr ? 200 : error->http_code);
  }
}

std::vector<std::string> FakeListerWatcher::Requests() const {
  MutexLock lock(mu_);
  return requests_;
}

bool FakeListerWatcher::WaitForRequests(std::size_t count) const {
  MutexLock lock(mu_);
  return changed_.WaitUntil(mu_, std::stop_token(),
                            std::chrono::steady_clock::now() + std::chrono::seconds(10),
                            [&]() CAPSTAN_REQUIRES(mu_) { return requests_.size() >= count; });
}

bool FakeListerWatcher::WaitForHanging() const {
  MutexLock lock(mu_);
  return changed_.WaitUntil(mu_, std::stop_token(),
                            std::chrono::steady_clock::now() + std::chrono::seconds(10),
                            [&]() CAPSTAN_REQUIRES(mu_) { return hanging_; });
}

Expected<void> FakeListerWatcher::Await(const rest::CallOptions& call,
                                        const std::function<bool()>& ready) {
  Clock::TimePoint deadline = call.deadline;
  if (call.answer_timeout.count() > 0) {
    deadline = std::min(deadline, clock_.After(call.answer_timeout));
  }
  if (clock_.WaitUntil(mu_, changed_, call.stop, deadline, ready)) return {};
  return Ended(call.stop);
}

Expected<runtime::ListMeta> FakeListerWatcher::List(
    const rest::CallOptions& call, const rest::ListOptions& options,
    const std::function<void(runtime::ObjectPtr)>& on_item) {
  Record("LIST", options);
  FakePage page;
  {
    MutexLock lock(mu_);
    const auto answered = Await(call, [&]() CAPSTAN_REQUIRES(mu_) { return !pages_.empty(); });
    if (!answered) return Err(answered.error());
    page = std::move(pages_.front());
    pages_.pop_front();
  }
  Report(page.error ? &*page.error : nullptr);
  for (runtime::ObjectPtr& item : page.items) on_item(std::move(item));
  if (page.hang) {
    MutexLock lock(mu_);
    hanging_ = true;
    changed_.NotifyAll();
    clock_.WaitUntil(mu_, changed_, call.stop, call.deadline, [] { return false; });
    hanging_ = false;
    return Ended(call.stop);
  }
  if (page.error) return Err(*page.error);
  return page.meta;
}

Expected<std::unique_ptr<rest::Watcher>> FakeListerWatcher::Watch(
    const rest::CallOptions& call, const rest::ListOptions& options) {
  Record("WATCH", options);
  Expected<std::shared_ptr<FakeWatch>> watch;
  {
    MutexLock lock(mu_);
    const auto answered = Await(call, [&]() CAPSTAN_REQUIRES(mu_) { return !watches_.empty(); });
    if (!answered) return Err(answered.error());
    watch = std::move(watches_.front());
    watches_.pop_front();
  }
  Report(watch ? nullptr : &watch.error());
  if (!watch) return Err(std::move(watch.error()));
  return std::make_unique<FakeWatcher>(call.stop, clock_, suspendable_, std::move(*watch));
}

}  // namespace capstan::cache
