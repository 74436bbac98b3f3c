// SPDX-License-Identifier: Apache-2.0
// Socket: one TCP connection whose blocking calls end when they should: at the idle timeout, at the
// deadline, or when another thread calls Cancel. The file descriptor never blocks; poll(2) does the
// waiting.
//
// One thread uses it; Cancel alone may come from any other. Errors: Dialer's (connecting);
// kUnexpectedEof (reset, silent for too long); kDeadlineExceeded; kCanceled. Mirrors Go's
// net.TCPConn.
#pragma once

#include <poll.h>

#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "clientgo/transport/dialer.h"
#include "clientgo/transport/resolver.h"
#include "clientgo/util/clock.h"
#include "clientgo/util/error.h"
#include "clientgo/util/mutex.h"

namespace clientgo::transport {

// The message when a peer says nothing for the idle timeout.
inline constexpr std::string_view kIdleTooLong = "i/o timeout: the peer was silent for too long";

// The text of an errno in lower case, as Go has it and therefore every operator's search.
std::string DescribeErrno(int code);
// What poll(2) takes to wait until then; it may wake up earlier.
int PollTimeout(util::Clock::TimePoint until);

class Socket {
 public:
  // As good as no limit to the peer's silence: a year, which can be added to a time.
  static constexpr std::chrono::milliseconds kNoTimeout = std::chrono::hours(24 * 365);

  Socket() = default;
  ~Socket();
  Socket(const Socket&) = delete;
  Socket& operator=(const Socket&) = delete;

  // Returns the endpoint that it is connected to. `endpoints` are as Dialer's.
  util::Expected<Endpoint> Connect(const std::vector<Endpoint>& endpoints,
                                   const DialOptions& options);

  // Longest silence of the peer, for all that follows.
  void set_idle_timeout(std::chrono::milliseconds timeout) { idle_timeout_ = timeout; }
  // The end of all that follows.
  void set_deadline(util::Clock::TimePoint deadline) { deadline_ = deadline; }
  util::Clock::TimePoint deadline() const { return deadline_; }

  // The bytes that are there, waiting for the first; 0: the peer closed its side.
  util::Expected<std::size_t> Read(char* out, std::size_t size);
  // As Read without waiting: a negative result means that there is nothing now.
  util::Expected<std::ptrdiff_t> TryRead(char* out, std::size_t size);
  util::Expected<void> Write(std::string_view bytes);
  // True once there is something to read, be it the end; false: not within `timeout`.
  util::Expected<bool> AwaitInput(std::chrono::milliseconds timeout) const {
    return Wait(POLLIN, timeout);
  }

  // Open, nothing to read, and not closed by the peer: fit for another request.
  bool IsQuiet() const;

  // Ends every call in progress and to come. Any thread.
  void Cancel();

 private:
  util::Expected<bool> Wait(short events, std::chrono::milliseconds timeout) const;
  util::Expected<void> WaitForPeer(short events) const;
  void Close();
  bool canceled() const;

  int fd_ = -1;  // written by the owner under mu_, so that it may read without
  std::chrono::milliseconds idle_timeout_ = std::chrono::seconds(30);
  util::Clock::TimePoint deadline_ = util::Clock::TimePoint::max();
  mutable util::Mutex mu_;
  bool canceled_ GUARDED_BY(mu_) = false;
  Dialer* dialer_ GUARDED_BY(mu_) = nullptr;  // while it connects
};

}  // namespace clientgo::transport
