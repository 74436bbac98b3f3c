// SPDX-License-Identifier: Apache-2.0
#include "cmd/cri-event-broker/runtime_reader.h"

#include <sys/stat.h>

#include <chrono>
#include <utility>

#include "capstan/log.h"

namespace capstan::cmd::cri_event_broker {

using std::chrono::duration_cast;
using std::chrono::milliseconds;
using std::chrono::seconds;

namespace {

// With the jitter 1 to 1.2 s at first, and at most 60 s.
constexpr BackoffOptions kBackoff{.initial = seconds(1),
                                  .cap = seconds(50),
                                  .factor = 2.0,
                                  .jitter = 0.2,
                                  .reset_after = std::chrono::hours(24 * 365)};
constexpr auto kHealthy = seconds(30);
constexpr auto kReplacementPoll = seconds(60);
constexpr int kConnectTicks = 10;
constexpr int kStuckTicks = 5;

// Values of runtime.v1.ContainerEventType. This file does not include protobuf.
constexpr int kCreated = 0;
constexpr int kDeleted = 3;
constexpr auto kReplayAge = std::chrono::seconds(5);

// Distinguishes a socket from its successor at the same path. Returns "" when there is none.
std::string SocketIdentity(const std::string& path) {
  struct stat found {};
  if (stat(path.c_str(), &found) != 0) return "";
  // Includes the time, because a file system may reuse an inode number at once.
  return std::to_string(found.st_dev) + ":" + std::to_string(found.st_ino) + ":" +
         std::to_string(found.st_ctim.tv_sec) + "." + std::to_string(found.st_ctim.tv_nsec);
}

}  // namespace

void EventFilter::OnEvent(int type, std::int64_t created_at) {
  if (type != kCreated && type != kDeleted) return;
  const std::chrono::nanoseconds wall_now = clock_.WallNow().time_since_epoch();
  // Subtracting an untrusted number could overflow.
  if (created_at > 0 && std::chrono::nanoseconds(created_at) < wall_now - kReplayAge) {
    const Clock::TimePoint now = clock_.Now();
    if (!replayed_at_ || now - *replayed_at_ >= kReplayAge) {
      replayed_at_ = now;
      mailbox_.AddFullPass();
    }
    return;
  }
  type == kCreated ? mailbox_.AddCreated() : mailbox_.AddDeleted();
}

RuntimeReader::RuntimeReader(Clock& clock, EventMailbox& mailbox, RuntimeReaderOptions options)
    : clock_(clock), mailbox_(mailbox), options_(std::move(options)), filter_(clock, mailbox) {}

void RuntimeReader::Run(const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    const std::string identity = SocketIdentity(options_.socket);
    const StreamEnd end = ReadOne(stop);
    if (stop.stop_requested()) return;
    if (!(end.unimplemented ? WaitForReplacement(stop, identity) : WaitForRetry(stop, end))) return;
  }
}

StreamEnd RuntimeReader::ReadOne(const std::stop_token& stop) {
  const std::unique_ptr<EventStream> stream = options_.new_stream();
  {
    const MutexLock lock(mu_);
    current_ = stream.get();
  }
  connected_ = false;
  handling_ = false;
  ++attempts_;
  reading_ = true;
  StreamEnd end;
  {
    const std::stop_callback cancel(stop, [this] { CancelCurrent(); });
    end = stream->Read(*this);
  }
  reading_ = false;
  handling_ = false;
  const MutexLock lock(mu_);
  current_ = nullptr;
  return end;
}

void RuntimeReader::CancelCurrent() {
  const MutexLock lock(mu_);
  if (current_ != nullptr) current_->Cancel();
}

void RuntimeReader::OnConnected() {
  connected_at_ = clock_.Now().time_since_epoch();
  connected_ = true;
  mailbox_.AddFullPass();
}

void RuntimeReader::OnEvent(int type, std::int64_t created_at) {
  handling_ = true;
  filter_.OnEvent(type, created_at);
  ++events_;
  handling_ = false;
}

bool RuntimeReader::WaitForReplacement(const std::stop_token& stop, const std::string& identity) {
  WarningS("The container runtime does not support GetContainerEvents, waiting for another one",
           "socket", options_.socket, "fix",
           "containerd 1.7 or newer, or CRI-O with enable_pod_events");
  connected_ = false;
  backoff_.reset();
  last_logged_.clear();
  std::string now;
  do {
    if (!clock_.SleepFor(stop, kReplacementPoll)) return false;
    now = SocketIdentity(options_.socket);
  } while (now.empty() || now == identity);
  InfoS("The runtime's socket was replaced, calling it again", "socket", options_.socket);
  return true;
}

bool RuntimeReader::WaitForRetry(const std::stop_token& stop, const StreamEnd& end) {
  const bool was_connected = connected_.exchange(false);
  const Clock::Duration lasted =
      was_connected ? clock_.Now().time_since_epoch() - connected_at_.load() : Clock::Duration(0);
  if (!backoff_ || lasted >= kHealthy) backoff_.emplace(clock_, kBackoff, options_.random);
  const Clock::Duration delay = backoff_->Next();
  // A repeated failure is logged once. The end of a stream that had worked is always logged.
  if (end.message != last_logged_ || lasted >= kHealthy) {
    WarningS("Failed to read events from the container runtime, retrying", "socket",
             options_.socket, "err", end.message, "lastedSeconds",
             duration_cast<seconds>(lasted).count());
    last_logged_ = end.message;
  }
  V(2).InfoS("Waiting before the next stream", "milliseconds",
             duration_cast<milliseconds>(delay).count());
  return clock_.SleepFor(stop, delay);
}

bool RuntimeReader::Tick() {
  const int attempt = attempts_;
  const std::uint64_t events = events_;
  if (!reading_ || attempt != watched_attempt_) {
    watched_attempt_ = attempt;
    ticks_unconnected_ = ticks_connected_ = ticks_stuck_ = 0;
  }
  if (!reading_) return false;
  const bool connected = connected_;
  ticks_unconnected_ = connected ? 0 : ticks_unconnected_ + 1;
  ticks_connected_ = connected ? ticks_connected_ + 1 : 0;
  ticks_stuck_ = handling_ && events == watched_events_ ? ticks_stuck_ + 1 : 0;
  watched_events_ = events;
  if (ticks_unconnected_ >= kConnectTicks || ticks_stuck_ >= kStuckTicks) {
    WarningS("Closing the stream of events", "reason",
             connected ? "its reader is stuck" : "the runtime does not respond");
    ticks_unconnected_ = ticks_stuck_ = 0;
    CancelCurrent();
  }
  // Not at the first tick: a runtime that refuses the call has done so by the second.
  return ticks_connected_ > 1;
}

}  // namespace capstan::cmd::cri_event_broker
