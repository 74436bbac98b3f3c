// SPDX-License-Identifier: Apache-2.0
#include "clientgo/transport/http2_connection.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

#include "capstan/log.h"
#include "capstan/thread.h"
#include "capstan/time.h"
#include "clientgo/transport/compression.h"
#include "clientgo/transport/socket.h"

namespace capstan::transport {
namespace {

using std::chrono::steady_clock;

// The thread reads at most this often before others get the mutex.
constexpr int kReadsMax = 4;
// A reader that waits keeps no larger buffer.
constexpr std::size_t kIdleBufferBytes = std::size_t{4} * 1024;

Http2Keepalive::Options KeepaliveOptions(const TransportOptions& options) {
  return {.ping_after = options.ping_after,
          .ping_timeout = options.ping_timeout,
          .idle_timeout = options.idle_connection_timeout,
          .unresponsive_after = options.unresponsive_after};
}

}  // namespace

Http2Connection::Http2Connection(std::shared_ptr<ConnectionPool> pool,
                                 std::unique_ptr<Connection> connection)
    : pool_(std::move(pool)),
      wake_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)),
      connection_(std::move(connection)),
      session_(pool_->route().server),
      keepalive_(KeepaliveOptions(pool_->options()), steady_clock::now()),
      buffer_(kTlsRecordBytes),
      thread_(StartThread("http2", [this](const std::stop_token& stop) { Run(stop); })) {}

Http2Connection::~Http2Connection() {
  thread_.request_stop();
  Wake();
}

void Http2Connection::Wake() const {
  const std::uint64_t one = 1;
  [[maybe_unused]] const ssize_t written = write(wake_.get(), &one, sizeof(one));
}

Error Http2Connection::MakeError(std::string_view what) const {
  return {.reason = ErrorReason::kUnexpectedEof,
          .message = pool_->route().server.HostPort() + ": " + std::string(what)};
}

bool Http2Connection::Reserve() {
  MutexLock lock(mu_);
  if (!usable()) return false;
  if (keepalive_.IsUnresponsive(steady_clock::now())) {
    if (!std::exchange(reported_, true)) pool_->OnUnanswered(connection_->endpoint());
    return false;
  }
  ++reserved_;
  offered_ = true;
  return true;
}

void Http2Connection::Offer() {
  MutexLock lock(mu_);
  if (std::exchange(offered_, true)) return;
  Wake();
}

bool Http2Connection::IsClosed() const {
  MutexLock lock(mu_);
  return closed_.has_value();
}

Expected<void> Http2Connection::AwaitUsable(const std::stop_token& stop, Clock::TimePoint until) {
  MutexLock lock(mu_);
  const bool ready = Clock::Real().WaitUntil(mu_, ready_, stop, until, [&]() CAPSTAN_REQUIRES(mu_) {
    return closed_ || (session_.has_settings() && session_.accepts_streams());
  });
  if (closed_) return Err(*closed_);
  if (ready) return {};
  if (stop.stop_requested()) return Err(ErrorReason::kCanceled, "the request was canceled");
  return Err(MakeError(session_.has_settings() ? "the server allows no HTTP/2 streams"
                                               : "the server sent no HTTP/2 settings"));
}

void Http2Connection::Retire() {
  MutexLock lock(mu_);
  retired_ = true;
  Wake();
}

Expected<Http2Connection::StreamPtr> Http2Connection::Start(const HttpRequest& request) {
  const auto encoding =
      AcceptEncoding(request.compression, endpoint(), pool_->route().proxy.has_value());
  MutexLock lock(mu_);
  --reserved_;
  if (!usable()) return nullptr;
  auto stream = session_.Submit(request, encoding);
  if (!stream) return stream;
  SendNow();
  // The first stream starts the timer of the PING.
  if (session_.open_streams() == 1) Wake();
  return stream;
}

Expected<std::optional<Http2Connection::Head>> Http2Connection::ReadHead(Http2Stream& stream,
                                                                         Clock::TimePoint until) {
  MutexLock lock(mu_);
  const bool ready = Clock::Real().WaitUntil(
      mu_, stream.changed, {}, until,
      [&]() CAPSTAN_REQUIRES(mu_) { return stream.answered || stream.error; });
  if (!ready) return std::nullopt;
  if (!stream.answered) return Err(*stream.error);
  return Head{.status = stream.status, .headers = std::move(stream.headers)};
}

Expected<bool> Http2Connection::ReadBody(Http2Stream& stream, std::string& body,
                                         Clock::TimePoint until) {
  MutexLock lock(mu_);
  stream.waker = nullptr;
  Consume(stream, body, kIdleBufferBytes);
  const bool ready = Clock::Real().WaitUntil(
      mu_, stream.changed, {}, until, [&]() CAPSTAN_REQUIRES(mu_) { return Readable(stream); });
  if (!ready) return false;
  body.swap(stream.received);
  if (body.empty() && stream.error) return Err(*stream.error);
  return true;
}

bool Http2Connection::Suspend(Http2Stream& stream, std::string& body, Waker& waker) {
  MutexLock lock(mu_);
  Consume(stream, body, 0);
  if (Readable(stream)) return false;
  stream.waker = &waker;
  return true;
}

void Http2Connection::Consume(Http2Stream& stream, std::string& body, std::size_t idle_bytes_max) {
  if (!body.empty()) {
    session_.Consume(stream, body.size());
    SendNow();
  }
  body.clear();
  if (!stream.received.empty()) return;
  if (std::max(body.capacity(), stream.received.capacity()) <= idle_bytes_max) return;
  body = std::string();
  stream.received = std::string();
}

std::optional<Clock::TimePoint> Http2Connection::SendingSince(const Http2Stream& stream) const {
  MutexLock lock(mu_);
  if (stream.sent) return std::nullopt;
  return stream.progress_at;
}

Http2Connection::Failure Http2Connection::FailureOf(const Http2Stream& stream) const {
  MutexLock lock(mu_);
  return {.refused = stream.refused, .disconnected = stream.disconnected && !silent_};
}

void Http2Connection::Abandon(Http2Stream& stream, const std::optional<Error>& error) {
  MutexLock lock(mu_);
  if (error && !stream.error) {
    stream.error = error;
    stream.Notify();
  }
  if (!error) stream.waker = nullptr;
  session_.Abandon(stream);
  SendNow();
  if (retired_) Wake();
}

void Http2Connection::PingAfterSilence(Clock::TimePoint since, Clock::Duration silence) {
  MutexLock lock(mu_);
  if (closed_ || !keepalive_.PingsAfterSilence(since, silence, steady_clock::now())) return;
  session_.Ping();
  SendNow();
  Wake();  // for the time of the PING's answer
}

void Http2Connection::SendNow() {
  if (closed_ || send_error_) return;
  if (auto sent = Send(); !sent) send_error_ = std::move(sent.error());
  // The thread waits until the kernel takes more. After an error it first reads what the server has
  // sent, which may be GOAWAY.
  if (send_error_ || connection_->has_unsent()) Wake();
}

Expected<void> Http2Connection::Send() {
  for (;;) {
    if (auto flushed = connection_->Flush(); !flushed) return flushed;
    if (connection_->has_unsent()) return {};
    // Small frames share a TLS record and a system call.
    std::string bytes;
    while (bytes.size() < kTlsRecordBytes) {
      const auto next = session_.Send();
      if (!next) return Err(next.error());
      if (next->empty()) break;
      bytes.append(*next);
    }
    if (bytes.empty()) return {};
    if (auto written = connection_->TryWrite(bytes); !written) return written;
  }
}

void Http2Connection::Run(const std::stop_token& stop) {
  while (AwaitWork()) {
    MutexLock lock(mu_);
    if (stop.stop_requested()) return Close(MakeError("the connection is not used any more"));
    if (closed_) return;
    if (const auto worked = Work(); !worked) return Close(worked.error());
  }
}

bool Http2Connection::AwaitWork() {
  std::array<pollfd, 2> polled{};
  Clock::TimePoint until;
  {
    MutexLock lock(mu_);
    if (closed_) return false;
    const int events = connection_->has_unsent() ? POLLIN | POLLOUT : POLLIN;
    polled[0] = {.fd = connection_->fd(), .events = static_cast<short>(events), .revents = 0};
    polled[1] = {.fd = wake_.get(), .events = POLLIN, .revents = 0};
    until = more_to_read_ ? steady_clock::now() : keepalive_.Next(active());
  }
  poll(polled.data(), polled.size(), PollTimeout(until));
  if (polled[1].revents != 0) {
    std::uint64_t count = 0;
    [[maybe_unused]] const ssize_t taken = read(wake_.get(), &count, sizeof(count));
  }
  return true;
}

Expected<void> Http2Connection::Work() {
  if (auto received = Receive(); !received) return received;
  if (session_.has_settings()) ready_.NotifyAll();
  if (send_error_) return Err(*send_error_);
  if (auto sent = Send(); !sent) return sent;
  const auto finished = session_.Finished();
  if (!finished) return Err(finished.error());
  if (*finished) return Err(MakeError("the server closes the connection (GOAWAY)"));
  if (retired_ && session_.open_streams() == 0) {
    return Err(MakeError("the connection is not used any more"));
  }
  return KeepAlive();
}

Expected<void> Http2Connection::Receive() {
  more_to_read_ = true;
  for (int reads = 0; reads < kReadsMax; ++reads) {
    const auto count = connection_->TryRead(buffer_.data(), buffer_.size());
    if (!count) return Err(count.error());
    if (*count == 0) return Err(MakeError("unexpected EOF"));
    if (*count < 0) {
      more_to_read_ = false;
      return {};
    }
    keepalive_.OnBytes(steady_clock::now());
    reported_ = false;
    auto taken = session_.Receive({buffer_.data(), static_cast<std::size_t>(*count)});
    if (!taken) return taken;
  }
  return {};
}

Expected<void> Http2Connection::KeepAlive() {
  switch (keepalive_.Due(steady_clock::now(), active())) {
    case Http2Keepalive::Action::kNone:
      return {};
    case Http2Keepalive::Action::kPing:
      session_.Ping();
      return Send();
    case Http2Keepalive::Action::kDead:
      silent_ = true;
      pool_->OnUnanswered(connection_->endpoint());
      return Err(MakeError("the server did not answer a PING within " +
                           FormatDuration(pool_->options().ping_timeout)));
    case Http2Keepalive::Action::kUnused:
      break;
  }
  return Err(MakeError("the connection is not used any more"));
}

void Http2Connection::Close(const Error& error) {
  if (session_.open_streams() > 0) {
    V(1).InfoS("Closing an HTTP/2 connection", "streams", session_.open_streams(), "err", error);
  }
  closed_ = error;
  ready_.NotifyAll();
  session_.Fail(error);
  connection_->Cancel();
}

}  // namespace capstan::transport
