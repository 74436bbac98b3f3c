// SPDX-License-Identifier: Apache-2.0
#include "clientgo/transport/http2_response.h"

#include <algorithm>
#include <utility>

#include "clientgo/transport/compression.h"

namespace capstan::transport {

using std::chrono::steady_clock;
using TimePoint = Clock::TimePoint;

Http2Response::Http2Response(std::shared_ptr<ConnectionPool> pool,
                             std::shared_ptr<Http2Connection> connection,
                             std::shared_ptr<Http2Stream> stream, std::stop_token stop,
                             const HttpRequest& request, const ExchangeLimits& limits)
    : pool_(std::move(pool)),
      connection_(std::move(connection)),
      stream_(std::move(stream)),
      stop_(std::move(stop)),
      limits_(limits),
      idle_timeout_(request.idle_timeout),
      long_running_(request.long_running),
      compression_(request.compression),
      begin_(steady_clock::now()),
      silence_max_(limits.answer == TimePoint::max() ? Clock::Duration::max()
                                                     : SilenceMax(limits.answer - begin_)),
      checked_(begin_) {
  on_stop_.emplace(stop_, [connection = connection_.get(), stream = stream_.get()] {
    connection->Abandon(
        *stream, Error{.reason = ErrorReason::kCanceled, .message = "the request was canceled"});
  });
}

Http2Response::~Http2Response() {
  on_stop_.reset();
  connection_->Abandon(*stream_);
}

Error Http2Response::MakeError(ErrorReason reason, std::string_view what) const {
  return {.reason = reason, .message = pool_->route().server.HostPort() + ": " + std::string(what)};
}

Clock::Duration Http2Response::SilenceMax(Clock::Duration limit) {
  constexpr int kParts = 4;
  return limit / kParts;
}

// Whether other requests may use the connection is decided by the answer to a PING.
Error Http2Response::Unanswered(std::string_view step, TimePoint since) {
  connection_->PingAfterSilence(since, SilenceMax(steady_clock::now() - since));
  return {.reason = ErrorReason::kDeadlineExceeded,
          .message = limits_.Overrun(pool_->route().server.HostPort(), answered_, step)};
}

TimePoint Http2Response::next_check() const {
  const auto period = pool_->options().certificate_check_period;
  return long_running_ && period.count() > 0 ? checked_ + period : TimePoint::max();
}

Expected<void> Http2Response::CheckCertificate() {
  if (steady_clock::now() < next_check()) return {};
  checked_ = steady_clock::now();
  const auto current = pool_->Material();
  if (!current || (*current)->SameClient(*connection_->material())) return {};
  connection_->Retire();
  return Err(
      MakeError(ErrorReason::kUnexpectedEof, "closed because the client certificate changed"));
}

Expected<bool> Http2Response::ReadHeadOnce() {
  if (auto current = CheckCertificate(); !current) return Err(std::move(current.error()));
  TimePoint until = std::min(limits_.answer, next_check());
  if (silence_max_ != Clock::Duration::max()) {
    until = std::min<TimePoint>(until, steady_clock::now() + silence_max_);
  }
  const auto sending_since = connection_->SendingSince(*stream_);
  if (sending_since) until = std::min<TimePoint>(until, *sending_since + idle_timeout_);
  auto head = connection_->ReadHead(*stream_, until);
  if (!head) return Err(std::move(head.error()));
  if (*head) {
    head_ = std::move(**head);
    answered_ = true;
    return true;
  }
  if (steady_clock::now() >= limits_.answer) {
    return Err(
        Unanswered(sending_since ? "sending the request" : "waiting for the response", begin_));
  }
  if (silence_max_ != Clock::Duration::max()) {
    connection_->PingAfterSilence(begin_, silence_max_);
  }
  // Other requests may be answered, so the request itself must make progress.
  const auto still_since = connection_->SendingSince(*stream_);
  if (still_since && steady_clock::now() >= *still_since + idle_timeout_) {
    return Err(MakeError(ErrorReason::kUnexpectedEof, kIdleTooLong));
  }
  return false;
}

Expected<void> Http2Response::Start() {
  for (;;) {
    auto answered = ReadHeadOnce();
    if (!answered) return Err(std::move(answered.error()));
    if (*answered)
      return CheckEncoding(head_.headers, compression_, pool_->route().server.HostPort());
  }
}

TimePoint Http2Response::idle_end() {
  if (!waiting_since_) waiting_since_ = steady_clock::now();
  return *waiting_since_ + idle_timeout_;
}

std::optional<TimePoint> Http2Response::Suspend(Waker& waker) {
  if (stop_.stop_requested() || error_) return std::nullopt;
  if (auto current = CheckCertificate(); !current) {
    error_ = std::move(current.error());
    return std::nullopt;
  }
  const TimePoint until = std::min(limits_.end, idle_end());
  if (steady_clock::now() >= until) return std::nullopt;
  if (!connection_->Suspend(*stream_, body_, waker)) return std::nullopt;
  return std::min(until, next_check());
}

Expected<std::string_view> Http2Response::Read(Clock::Duration max_silence) {
  if (stop_.stop_requested()) return Err(ErrorReason::kCanceled, "the request was canceled");
  if (error_) return Err(*error_);
  const auto fail = [this](Error error) {
    error_ = std::move(error);
    return Err(*error_);
  };
  const TimePoint deadline = std::min(limits_.end, Clock::Real().After(max_silence));
  const TimePoint silent_until = idle_end();
  for (;;) {
    if (auto current = CheckCertificate(); !current) return fail(std::move(current.error()));
    auto read =
        connection_->ReadBody(*stream_, body_, std::min({deadline, silent_until, next_check()}));
    if (!read) return fail(std::move(read.error()));
    if (*read) {
      waiting_since_.reset();
      return std::string_view(body_);
    }
    const auto now = steady_clock::now();
    if (now >= deadline) return fail(Unanswered("reading the body", silent_until - idle_timeout_));
    if (now >= silent_until) return fail(MakeError(ErrorReason::kUnexpectedEof, kIdleTooLong));
  }
}

}  // namespace capstan::transport
