// SPDX-License-Identifier: Apache-2.0
#include "capstan/testing/fault_proxy.h"

#include <arpa/inet.h>
#include <glog/logging.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "capstan/thread.h"

namespace capstan::testing {
namespace {

constexpr std::size_t kBufferBytes = std::size_t{16} * 1024;

sockaddr_in Loopback(std::uint16_t port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return address;
}

int NewSocket() {
  const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  CHECK_GE(fd, 0);
  const int on = 1;
  setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  return fd;
}

std::uint16_t Bind(int fd, std::uint16_t port) {
  sockaddr_in address = Loopback(port);
  socklen_t size = sizeof address;
  PCHECK(bind(fd, reinterpret_cast<sockaddr*>(&address), size) == 0);
  PCHECK(getsockname(fd, reinterpret_cast<sockaddr*>(&address), &size) == 0);
  return ntohs(address.sin_port);
}

// Sends RST and wakes the readers, but keeps the descriptor open.
void Reset(int fd) {
  sockaddr address{};
  address.sa_family = AF_UNSPEC;
  // The thread sanitizer treats connect() as the creation of a descriptor and reports a race with
  // its users, so this is a direct system call. It fails if the connection has already ended.
  (void)syscall(SYS_connect, fd, &address, sizeof address);
}

bool SendAll(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t sent = send(fd, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(sent));
  }
  return true;
}

}  // namespace

// Link is one connection. The destructor joins its threads and then closes its sockets.
class FaultProxy::Link {
 public:
  Link(int client, int server, const Fault& fault, Clock& clock)
      : client_(client), server_(server), fault_(fault), clock_(clock) {
    const int on = 1;
    setsockopt(client, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    setsockopt(server, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    up_ = StartThread("fault-up", [this](const std::stop_token& stop) { PumpUp(stop); });
    down_ = StartThread("fault-down", [this](const std::stop_token& stop) { Pump(stop); });
  }
  ~Link() {
    Cut(End::kReset);
    up_.request_stop();
    down_.request_stop();
    up_.join();
    down_.join();
    close(client_);
    close(server_);
  }
  Link(const Link&) = delete;
  Link& operator=(const Link&) = delete;

  void Cut(End end) {
    silent_ = silent_ || end == End::kSilence;
    if (end == End::kSilence) return;
    if (end == End::kReset) Reset(client_);
    shutdown(client_, SHUT_RDWR);
    shutdown(server_, SHUT_RDWR);
  }
  bool ended() const { return ended_ == 2; }

 private:
  void PumpUp(const std::stop_token& stop) {
    std::array<char, kBufferBytes> buffer{};
    while (!stop.stop_requested()) {
      const ssize_t count = recv(client_, buffer.data(), buffer.size(), 0);
      if (count <= 0) break;
      if (silent_) continue;
      if (!SendAll(server_, {buffer.data(), static_cast<std::size_t>(count)})) break;
    }
    shutdown(server_, SHUT_RDWR);
    ++ended_;
  }

  void Pump(const std::stop_token& stop) {
    std::array<char, kBufferBytes> buffer{};
    std::size_t left = fault_.bytes_max;
    if (left == 0) Cut(fault_.end);
    while (!stop.stop_requested()) {
      const ssize_t count = recv(server_, buffer.data(), buffer.size(), 0);
      if (count < 0) Reset(client_);
      if (count <= 0) break;
      const auto received = static_cast<std::size_t>(count);
      if (silent_) continue;
      if (!Forward(stop, {buffer.data(), std::min(received, left)})) break;
      left -= std::min(received, left);
      if (left == 0) Cut(fault_.end);
    }
    // A silent connection does not forward the server's end.
    if (!silent_) shutdown(client_, SHUT_RDWR);
    ++ended_;
  }

  bool Forward(const std::stop_token& stop, std::string_view bytes) {
    while (!bytes.empty()) {
      const std::string_view segment = bytes.substr(0, fault_.segment_bytes_max);
      if (fault_.delay.count() > 0 && !clock_.SleepFor(stop, fault_.delay)) return false;
      if (!SendAll(client_, segment)) return false;
      bytes.remove_prefix(segment.size());
    }
    return true;
  }

  const int client_;
  const int server_;
  const Fault fault_;
  Clock& clock_;
  std::atomic<bool> silent_{false};
  std::atomic<int> ended_{0};
  std::jthread up_;
  std::jthread down_;
};

FaultProxy::FaultProxy(std::uint16_t server_port, Clock& clock)
    : server_port_(server_port), clock_(clock), reservation_(NewSocket()) {
  port_ = Bind(reservation_, 0);
  Accept();
}

FaultProxy::~FaultProxy() {
  Refuse();
  close(reservation_);
}

void FaultProxy::Accept() {
  MutexLock lock(listening_mu_);
  if (listener_ >= 0) return;
  listener_ = NewSocket();
  Bind(listener_, port_);
  PCHECK(listen(listener_, SOMAXCONN) == 0);
  acceptor_ =
      StartThread("fault-proxy", [this, fd = listener_](const std::stop_token&) { Run(fd); });
}

void FaultProxy::Refuse() {
  MutexLock lock(listening_mu_);
  if (listener_ < 0) return;
  shutdown(listener_, SHUT_RDWR);  // wakes the acceptor
  acceptor_.join();
  close(std::exchange(listener_, -1));
}

void FaultProxy::Damage(const Fault& fault, int connections) {
  MutexLock lock(mu_);
  fault_ = fault;
  damaged_left_ = connections;
}

void FaultProxy::Cut(End end) {
  MutexLock lock(mu_);
  for (const auto& link : links_) link->Cut(end);
}

void FaultProxy::Run(int listener) {
  for (;;) {
    const int client = accept4(listener, nullptr, nullptr, SOCK_CLOEXEC);
    if (client < 0) return;
    ++accepted_;
    const int server = NewSocket();
    sockaddr_in address = Loopback(server_port_);
    if (connect(server, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0) {
      Reset(client);
      close(server);
      close(client);
      continue;
    }
    MutexLock lock(mu_);
    links_.remove_if([](const auto& link) { return link->ended(); });
    const bool damaged = damaged_left_ != 0;
    if (damaged_left_ > 0) --damaged_left_;
    links_.push_back(std::make_unique<Link>(client, server, damaged ? fault_ : Fault{}, clock_));
  }
}

}  // namespace capstan::testing
