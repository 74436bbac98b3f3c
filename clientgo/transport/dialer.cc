// SPDX-License-Identifier: Apache-2.0
#include "clientgo/transport/dialer.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "clientgo/transport/socket.h"
#include "clientgo/transport/socket_options.h"

namespace clientgo::transport {

using std::chrono::milliseconds;
using std::chrono::steady_clock;
using util::Err;
using util::Error;
using util::ErrorReason;

namespace {

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

// How an attempt that poll reports ended: an errno, 0 for success.
int Outcome(const Attempt& attempt) {
  int code = 0;
  socklen_t size = sizeof(code);
  getsockopt(attempt.socket.get(), SOL_SOCKET, SO_ERROR, &code, &size);
  return code;
}

}  // namespace

// The attempts of one Dial.
struct Dialer::Race {
  explicit Race(const std::vector<Endpoint>& the_endpoints) : endpoints(the_endpoints) {}

  bool HasNext() const { return next < endpoints.size(); }

  void Fail(int code) {
    // A refusal says most: nobody listens, but the machine is there.
    if (!error || !util::IsConnectionRefused(*error)) error = ConnectError(code);
    next_start = {};
  }

  // The connection, when it is there at once.
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

  // Waits for an attempt to end, until `wake`. nullopt: none has succeeded.
  util::Expected<std::optional<Dialed>> Await(int cancel, steady_clock::time_point wake) {
    std::vector<pollfd> polled{{.fd = cancel, .events = POLLIN, .revents = 0}};
    for (const Attempt& attempt : running) {
      polled.push_back({.fd = attempt.socket.get(), .events = POLLOUT, .revents = 0});
    }
    poll(polled.data(), polled.size(), PollTimeout(wake));
    if (polled.front().revents != 0) {
      return Err(ErrorReason::kCanceled, "the request was canceled");
    }
    // Backwards, so that removing one leaves the others where they are.
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
  steady_clock::time_point next_start = {};  // at once, after an attempt has failed
  std::vector<Attempt> running = {};
  std::optional<Error> error = {};
};

Dialer::Dialer() : cancel_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {}

void Dialer::Cancel() const {
  const std::uint64_t one = 1;
  [[maybe_unused]] const ssize_t written = write(cancel_.get(), &one, sizeof(one));
}

util::Expected<Dialer::Dialed> Dialer::Dial(const std::vector<Endpoint>& endpoints,
                                            const DialOptions& options,
                                            util::Clock::TimePoint deadline) {
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

}  // namespace clientgo::transport
