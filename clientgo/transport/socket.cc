// SPDX-License-Identifier: Apache-2.0
#include "clientgo/transport/socket.h"

#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <string>
#include <system_error>
#include <utility>

#include "clientgo/util/text.h"

namespace clientgo::transport {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;
using util::Err;
using util::ErrorReason;

tl::unexpected<util::Error> Canceled() {
  return Err(ErrorReason::kCanceled, "the request was canceled");
}

// What a broken connection says; whoever reads it may try again.
tl::unexpected<util::Error> StreamError(int code) {
  const bool reset = code == ECONNRESET || code == EPIPE;
  return Err(ErrorReason::kUnexpectedEof, reset ? "connection reset by peer" : DescribeErrno(code));
}

bool WouldBlock(int code) { return code == EAGAIN || code == EWOULDBLOCK; }

}  // namespace

std::string DescribeErrno(int code) {
  std::string text = std::system_category().message(code);
  if (!text.empty()) text.front() = util::LowerAscii(text.front());
  return text;
}

int PollTimeout(util::Clock::TimePoint until) {
  const auto now = steady_clock::now();
  if (until <= now) return 0;
  const auto left = std::chrono::ceil<milliseconds>(until - now).count();
  return static_cast<int>(std::min<milliseconds::rep>(left, INT_MAX));
}

Socket::~Socket() { Close(); }

void Socket::Close() {
  util::MutexLock lock(mu_);
  if (fd_ >= 0) close(fd_);
  fd_ = -1;
}

bool Socket::canceled() const {
  util::MutexLock lock(mu_);
  return canceled_;
}

void Socket::Cancel() {
  util::MutexLock lock(mu_);
  canceled_ = true;
  if (dialer_ != nullptr) dialer_->Cancel();
  // Wakes a poll in progress, in whatever state the connection is.
  if (fd_ >= 0) shutdown(fd_, SHUT_RDWR);
}

util::Expected<Endpoint> Socket::Connect(const std::vector<Endpoint>& endpoints,
                                         const DialOptions& options) {
  Close();
  Dialer dialer;
  {
    util::MutexLock lock(mu_);
    if (canceled_) return Canceled();
    dialer_ = &dialer;
  }
  auto dialed = dialer.Dial(endpoints, options, deadline_);
  util::MutexLock lock(mu_);
  dialer_ = nullptr;
  if (canceled_) return Canceled();
  if (!dialed) return Err(std::move(dialed.error()));
  fd_ = dialed->socket.Release();
  return dialed->endpoint;
}

util::Expected<bool> Socket::Wait(short events, milliseconds timeout) const {
  const auto end = std::min<steady_clock::time_point>(deadline_, steady_clock::now() + timeout);
  for (;;) {
    pollfd waiting{.fd = fd_, .events = events, .revents = 0};
    const int ready = poll(&waiting, 1, PollTimeout(end));
    if (ready < 0 && errno == EINTR) continue;
    if (canceled()) return Canceled();
    if (ready < 0) return StreamError(errno);
    if (ready > 0) return true;
    const auto now = steady_clock::now();
    if (now >= deadline_) return Err(ErrorReason::kDeadlineExceeded, "i/o timeout");
    if (now >= end) return false;
  }
}

util::Expected<void> Socket::WaitForPeer(short events) const {
  const auto ready = Wait(events, idle_timeout_);
  if (!ready) return Err(ready.error());
  if (!*ready) return Err(ErrorReason::kUnexpectedEof, std::string(kIdleTooLong));
  return {};
}

util::Expected<std::ptrdiff_t> Socket::TryRead(char* out, std::size_t size) {
  for (;;) {
    const ssize_t count = recv(fd_, out, size, 0);
    if (count >= 0) {
      if (count == 0 && canceled()) return Canceled();
      return count;
    }
    if (errno == EINTR) continue;
    if (WouldBlock(errno)) return -1;
    return canceled() ? Canceled() : StreamError(errno);
  }
}

util::Expected<std::size_t> Socket::Read(char* out, std::size_t size) {
  for (;;) {
    auto count = TryRead(out, size);
    if (!count) return Err(std::move(count.error()));
    if (*count >= 0) return static_cast<std::size_t>(*count);
    if (auto ready = WaitForPeer(POLLIN); !ready) return Err(std::move(ready.error()));
  }
}

util::Expected<void> Socket::Write(std::string_view bytes) {
  while (!bytes.empty()) {
    // Without the flag a peer that is gone would end the process by SIGPIPE.
    const ssize_t count = send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (count >= 0) {
      bytes.remove_prefix(static_cast<std::size_t>(count));
    } else if (WouldBlock(errno)) {
      if (auto ready = WaitForPeer(POLLOUT); !ready) return ready;
    } else if (errno != EINTR) {
      return canceled() ? Canceled() : StreamError(errno);
    }
  }
  return {};
}

bool Socket::IsQuiet() const {
  pollfd now{.fd = fd_, .events = POLLIN | POLLRDHUP, .revents = 0};
  return fd_ >= 0 && poll(&now, 1, 0) == 0;
}

}  // namespace clientgo::transport
