// SPDX-License-Identifier: Apache-2.0
#include "clientgo/transport/socket.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdint>
#include <optional>
#include <string>
#include <system_error>
#include <utility>

#include "capstan/text.h"

namespace capstan::transport {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

// Returns the text of an errno in lower case, as Go has it and operators search for it.
std::string DescribeErrno(int code) {
  std::string text = std::system_category().message(code);
  if (!text.empty()) text.front() = LowerAscii(text.front());
  return text;
}

struct Attempt {
  FileDescriptor socket;
  Endpoint endpoint = {};
};

Error ConnectError(int code) {
  return {
      .reason = code == ECONNREFUSED ? ErrorReason::kConnectionRefused : ErrorReason::kTransport,
      .message = "connect: " + DescribeErrno(code)};
}

FileDescriptor NewSocket(const Endpoint& endpoint) {
  FileDescriptor made(
      socket(endpoint.address.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (made.get() < 0) return made;
  const int on = 1;
  setsockopt(made.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
  EnableDeadPeerDetection(made.get());
  return made;
}

// Returns the errno of a finished attempt, 0 for success.
int Outcome(const Attempt& attempt) {
  int code = 0;
  socklen_t size = sizeof(code);
  getsockopt(attempt.socket.get(), SOL_SOCKET, SO_ERROR, &code, &size);
  return code;
}

tl::unexpected<Error> Canceled() { return Err(ErrorReason::kCanceled, "the request was canceled"); }

// The error of a broken connection; the caller may retry.
tl::unexpected<Error> StreamError(int code) {
  const bool reset = code == ECONNRESET || code == EPIPE;
  return Err(ErrorReason::kUnexpectedEof, reset ? "connection reset by peer" : DescribeErrno(code));
}

bool WouldBlock(int code) { return code == EAGAIN || code == EWOULDBLOCK; }

}  // namespace

void EnableDeadPeerDetection(int fd) {
  const auto set = [fd](int level, int option, int value) {
    setsockopt(fd, level, option, &value, sizeof(value));
  };
  set(SOL_SOCKET, SO_KEEPALIVE, 1);
  set(IPPROTO_TCP, TCP_KEEPIDLE, 5);
  set(IPPROTO_TCP, TCP_KEEPINTVL, 2);
  set(IPPROTO_TCP, TCP_KEEPCNT, 3);
  set(IPPROTO_TCP, TCP_USER_TIMEOUT, 11000);
}

int PollTimeout(Clock::TimePoint until) {
  const auto now = steady_clock::now();
  if (until <= now) return 0;
  const auto left = std::chrono::ceil<milliseconds>(until - now).count();
  return static_cast<int>(std::min<milliseconds::rep>(left, INT_MAX));
}

// The attempts of one Dial.
struct Dialer::Race {
  explicit Race(const std::vector<Endpoint>& the_endpoints) : endpoints(the_endpoints) {}

  bool HasNext() const { return next < endpoints.size(); }

  void Fail(int code) {
    // A refusal is the most useful error: the machine is up, but nothing listens.
    if (!error || !IsConnectionRefused(*error)) error = ConnectError(code);
    next_start = {};
  }

  // Returns the connection if it succeeds at once.
  std::optional<Dialed> StartNext(milliseconds delay) {
    const Endpoint& endpoint = endpoints[next++];
    Attempt attempt{.socket = NewSocket(endpoint), .endpoint = endpoint};
    const auto* address = reinterpret_cast<const sockaddr*>(&endpoint.address);
    const bool made = attempt.socket.get() >= 0;
    if (made && connect(attempt.socket.get(), address, endpoint.size) == 0) {
      return Dialed{.socket = std::move(attempt.socket), .endpoint = endpoint};
    }
    if (made && errno == EINPROGRESS) {
      running.push_back(std::move(attempt));
      next_start = steady_clock::now() + delay;
    } else {
      Fail(errno);
    }
    return std::nullopt;
  }

  std::optional<Dialed> StartDue(milliseconds delay) {
    while (HasNext() && steady_clock::now() >= next_start) {
      if (auto dialed = StartNext(delay)) return dialed;
    }
    return std::nullopt;
  }

  // Waits until `wake` for an attempt to end. Returns nullopt when none has succeeded.
  Expected<std::optional<Dialed>> Await(int cancel, steady_clock::time_point wake) {
    std::vector<pollfd> polled{{.fd = cancel, .events = POLLIN, .revents = 0}};
    for (const Attempt& attempt : running) {
      polled.push_back({.fd = attempt.socket.get(), .events = POLLOUT, .revents = 0});
    }
    poll(polled.data(), polled.size(), PollTimeout(wake));
    if (polled.front().revents != 0) {
      return Err(ErrorReason::kCanceled, "the request was canceled");
    }
    // Backwards, so that erasing one does not move those still to visit.
    for (std::size_t i = running.size(); i-- > 0;) {
      if (polled[i + 1].revents == 0) continue;
      const int code = Outcome(running[i]);
      if (code == 0) {
        return Dialed{.socket = std::move(running[i].socket), .endpoint = running[i].endpoint};
      }
      Fail(code);
      running.erase(running.begin() + static_cast<std::ptrdiff_t>(i));
    }
    return std::nullopt;
  }

  const std::vector<Endpoint>& endpoints;
  std::size_t next = 0;
  steady_clock::time_point next_start = {};  // zero (at once) after a failed attempt
  std::vector<Attempt> running = {};
  std::optional<Error> error = {};
};

Dialer::Dialer() : cancel_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {}

void Dialer::Cancel() const {
  const std::uint64_t one = 1;
  [[maybe_unused]] const ssize_t written = write(cancel_.get(), &one, sizeof(one));
}

Expected<Dialer::Dialed> Dialer::Dial(const std::vector<Endpoint>& endpoints,
                                      const DialOptions& options, Clock::TimePoint deadline) {
  const auto give_up = std::min(deadline, steady_clock::now() + options.timeout);
  Race race(endpoints);
  for (;;) {
    if (auto dialed = race.StartDue(options.attempt_delay)) return std::move(*dialed);
    if (race.running.empty()) return Err(std::move(*race.error));
    const auto wake = race.HasNext() ? std::min(give_up, race.next_start) : give_up;
    auto dialed = race.Await(cancel_.get(), wake);
    if (!dialed) return Err(std::move(dialed.error()));
    if (*dialed) return std::move(**dialed);
    if (steady_clock::now() < give_up) continue;
    if (give_up == deadline) return Err(ErrorReason::kDeadlineExceeded, "i/o timeout");
    return Err(ConnectError(ETIMEDOUT));
  }
}

Socket::~Socket() { Close(); }

void Socket::Close() {
  MutexLock lock(mu_);
  if (fd_ >= 0) close(fd_);
  fd_ = -1;
}

bool Socket::canceled() const {
  MutexLock lock(mu_);
  return canceled_;
}

void Socket::Cancel() {
  MutexLock lock(mu_);
  canceled_ = true;
  if (dialer_ != nullptr) dialer_->Cancel();
  // Wakes a poll in progress in any state of the connection.
  if (fd_ >= 0) shutdown(fd_, SHUT_RDWR);
}

Expected<Endpoint> Socket::Connect(const std::vector<Endpoint>& endpoints,
                                   const DialOptions& options) {
  Close();
  Dialer dialer;
  {
    MutexLock lock(mu_);
    if (canceled_) return Canceled();
    dialer_ = &dialer;
  }
  auto dialed = dialer.Dial(endpoints, options, deadline_);
  MutexLock lock(mu_);
  dialer_ = nullptr;
  if (canceled_) return Canceled();
  if (!dialed) return Err(std::move(dialed.error()));
  fd_ = dialed->socket.Release();
  return dialed->endpoint;
}

Expected<bool> Socket::Wait(short events, milliseconds timeout) const {
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

Expected<void> Socket::WaitForPeer(short events) const {
  const auto ready = Wait(events, idle_timeout_);
  if (!ready) return Err(ready.error());
  if (!*ready) return Err(ErrorReason::kUnexpectedEof, std::string(kIdleTooLong));
  return {};
}

Expected<std::ptrdiff_t> Socket::TryRead(char* out, std::size_t size) {
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

Expected<std::size_t> Socket::Read(char* out, std::size_t size) {
  for (;;) {
    auto count = TryRead(out, size);
    if (!count) return Err(std::move(count.error()));
    if (*count >= 0) return static_cast<std::size_t>(*count);
    if (auto ready = WaitForPeer(POLLIN); !ready) return Err(std::move(ready.error()));
  }
}

Expected<std::size_t> Socket::TryWrite(std::string_view bytes) {
  for (;;) {
    // Without the flag, a closed peer would end the process with SIGPIPE.
    const ssize_t count = send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (count >= 0) return static_cast<std::size_t>(count);
    if (WouldBlock(errno)) return 0;
    if (errno != EINTR) return canceled() ? Canceled() : StreamError(errno);
  }
}

Expected<void> Socket::Write(std::string_view bytes) {
  while (!bytes.empty()) {
    const auto count = TryWrite(bytes);
    if (!count) return Err(count.error());
    bytes.remove_prefix(*count);
    if (*count > 0) continue;
    if (auto ready = WaitForPeer(POLLOUT); !ready) return ready;
  }
  return {};
}

bool Socket::IsQuiet() const {
  pollfd now{.fd = fd_, .events = POLLIN | POLLRDHUP, .revents = 0};
  return fd_ >= 0 && poll(&now, 1, 0) == 0;
}

}  // namespace capstan::transport
