// SPDX-License-Identifier: Apache-2.0
#include "clientgo/transport/upgraded_stream.h"

#include <poll.h>

#include <algorithm>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "capstan/mutex.h"

namespace capstan::transport {
namespace {

// TLS has one state for both directions. So the mutex is held by each call of the connection, which
// never waits, and poll(2) waits without it.
class Stream final : public UpgradedStream {
  template <class Call>
  auto WithConnection(const Call& call) {
    MutexLock lock(mu_);
    return call(*connection_);
  }

 public:
  Stream(std::unique_ptr<Connection> connection, std::string received, std::stop_token stop)
      : received_(std::move(received)),
        buffer_(kTlsRecordBytes),
        stop_(std::move(stop)),
        connection_(std::move(connection)) {
    on_stop_.emplace(stop_, [opened = connection_.get()] { opened->Cancel(); });
  }

  Expected<std::string_view> Read(Clock::Duration max_silence) override {
    if (!received_.empty()) {
      first_ = std::exchange(received_, {});
      return std::string_view(first_);
    }
    const auto end = Clock::Real().After(max_silence);
    for (;;) {
      const auto count = TryRead();
      if (!count) return Err(ErrorOf(count.error()));
      if (*count >= 0) return std::string_view(buffer_.data(), static_cast<std::size_t>(*count));
      if (Clock::Real().Now() >= end) {
        return Err(ErrorReason::kDeadlineExceeded, "the peer was silent for too long");
      }
      Await(POLLIN, end);
    }
  }

  Expected<void> Write(std::string_view bytes) override {
    MutexLock writing(writing_);  // the bytes of two calls are not mixed
    while (!bytes.empty()) {
      const std::string_view part = bytes.substr(0, kTlsRecordBytes);
      bytes.remove_prefix(part.size());
      auto sent = WithConnection([&](Connection& each) { return each.TryWrite(part); });
      while (sent && WithConnection([](Connection& each) { return each.has_unsent(); })) {
        Await(POLLOUT, Clock::TimePoint::max());
        sent = WithConnection([](Connection& each) { return each.Flush(); });
      }
      if (!sent) return Err(ErrorOf(sent.error()));
    }
    return {};
  }

 private:
  Expected<std::ptrdiff_t> TryRead() {
    return WithConnection(
        [&](Connection& each) { return each.TryRead(buffer_.data(), buffer_.size()); });
  }

  void Await(short events, Clock::TimePoint end) const {
    pollfd waited = {.fd = fd_, .events = events, .revents = 0};
    poll(&waited, 1, PollTimeout(end));
  }

  Error ErrorOf(const Error& error) const {
    if (!stop_.stop_requested()) return error;
    return {.reason = ErrorReason::kCanceled, .message = "the request was canceled"};
  }

  std::string received_;
  std::string first_;
  std::vector<char> buffer_;
  const std::stop_token stop_;
  Mutex writing_;
  Mutex mu_;
  const std::unique_ptr<Connection> connection_;  // mu_ guards its calls
  const int fd_ = connection_->fd();
  // Last, so that it is destroyed before the connection.
  std::optional<std::stop_callback<std::function<void()>>> on_stop_;
};

}  // namespace

std::unique_ptr<UpgradedStream> NewUpgradedStream(std::unique_ptr<Connection> connection,
                                                  std::string received, std::stop_token stop) {
  connection->set_deadline(Clock::TimePoint::max());
  connection->set_idle_timeout(Socket::kNoTimeout);
  return std::make_unique<Stream>(std::move(connection), std::move(received), std::move(stop));
}

}  // namespace capstan::transport
