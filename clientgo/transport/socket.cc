// SPDX-License-Identifier: Apache-2.0
#include "clientgo/transport/socket.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <string>
#include <system_error>

#include "clientgo/transport/socket_options.h"
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

// In lower case, as Go and therefore every operator's search has it.
std::string Describe(int code) {
  std::string text = std::system_category().message(code);
  if (!text.empty()) text.front() = util::LowerAscii(text.front());
  return text;
}

tl::unexpected<util::Error> ConnectError(int code) {
  return Err(code == ECONNREFUSED ? ErrorReason::kConnectionRefused : ErrorReason::kTransport,
             "connect: " + Describe(code));
}

// What a broken connection says; whoever reads it may try again.
tl::unexpected<util::Error> StreamError(int code) {
  const bool reset = code == ECONNRESET || code == EPIPE;
  return Err(ErrorReason::kUnexpectedEof, reset ? "connection reset by peer" : Describe(code));
}

bool WouldBlock(int code) { return code == EAGAIN || code == EWOULDBLOCK; }

}  // namespace

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
  // Wakes a poll in progress, in whatever state the connection is.
  if (fd_ >= 0) shutdown(fd_, SHUT_RDWR);
}

util::Expected<void> Socket::Open(const Endpoint& endpoint) {
  Close();
  util::MutexLock lock(mu_);
  if (canceled_) return Canceled();
  fd_ = socket(endpoint.address.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (fd_ < 0) return ConnectError(errno);
  const int on = 1;
  setsockopt(fd_, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
  EnableDeadPeerDetection(fd_);
  return {};
}

util::Expected<void> Socket::Connect(const Endpoint& endpoint, milliseconds timeout) {
  if (auto opened = Open(endpoint); !opened) return opened;
  if (connect(fd_, reinterpret_cast<const sockaddr*>(&endpoint.address), endpoint.size) == 0) {
    return {};
  }
  if (errno != EINPROGRESS) return canceled() ? Canceled() : ConnectError(errno);
  const auto ready = Wait(POLLOUT, timeout);
  if (!ready) return Err(ready.error());
  if (!*ready) return ConnectError(ETIMEDOUT);
  int code = 0;
  socklen_t size = sizeof(code);
  getsockopt(fd_, SOL_SOCKET, SO_ERROR, &code, &size);
  if (canceled()) return Canceled();
  if (code != 0) return ConnectError(code);
  return {};
}

util::Expected<bool> Socket::Wait(short events, milliseconds timeout) const {
  const auto deadline = steady_clock::now() + timeout;
  for (;;) {
    const auto left = std::chrono::ceil<milliseconds>(deadline - steady_clock::now());
    pollfd waiting{.fd = fd_, .events = events, .revents = 0};
    const int ready =
        poll(&waiting, 1, static_cast<int>(std::max<milliseconds::rep>(left.count(), 0)));
    if (ready < 0 && errno == EINTR) continue;
    if (canceled()) return Canceled();
    if (ready < 0) return StreamError(errno);
    return ready > 0;
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
