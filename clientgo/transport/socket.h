// SPDX-License-Identifier: Apache-2.0
// TCP connections: Dialer opens one, Socket reads and writes it. Every blocking call ends at its
// deadline or when another thread cancels it.
#pragma once

#include <poll.h>

#include <chrono>
#include <cstddef>
#include <string_view>
#include <vector>

#include "capstan/clock.h"
#include "capstan/error.h"
#include "capstan/file.h"
#include "capstan/mutex.h"
#include "capstan/transport/transport_options.h"
#include "clientgo/transport/resolver.h"

namespace capstan::transport {

// Dialer opens a TCP connection to the first of a server's addresses that accepts (Happy Eyeballs,
// RFC 8305, section 5).
//
// It tries the next address 250 ms after the previous one, or at once when one fails. All attempts
// stay in progress until one succeeds. The calling thread waits for all of them in one poll(2).
// Any thread may call Cancel; one thread uses the rest. Mirrors Go's net.Dialer. Differs: the delay
// applies to every address, not only between the two families.
class Dialer {
 public:
  struct Dialed {
    FileDescriptor socket;  // non-blocking
    Endpoint endpoint = {};
  };

  Dialer();
  Dialer(const Dialer&) = delete;
  Dialer& operator=(const Dialer&) = delete;

  // Blocks. `endpoints` holds at least one, in the order in which to try them. Errors:
  // kConnectionRefused (no address accepts, and one of them refused), kTransport (any other
  // failure), kDeadlineExceeded, kCanceled.
  Expected<Dialed> Dial(const std::vector<Endpoint>& endpoints, const DialOptions& options,
                        Clock::TimePoint deadline);
  // Ends a Dial in progress and any later one.
  void Cancel() const;

 private:
  struct Race;

  const FileDescriptor cancel_;  // an eventfd: readable once canceled
};

// Lets the kernel notice a dead peer. Keepalive probes start after 5 s of silence and follow every
// 2 s, 3 of them. Unacknowledged data fails after 11 s. HTTP/1.1 has no ping, so this replaces the
// health check of HTTP/2 there. Errors are ignored, because the connection works without it.
void EnableDeadPeerDetection(int fd);

// Returns the timeout for poll(2) to wait until `until`; poll may return earlier.
int PollTimeout(Clock::TimePoint until);

// The error message when the peer has sent nothing for the idle timeout.
inline constexpr std::string_view kIdleTooLong = "i/o timeout: the peer was silent for too long";

// Socket is one TCP connection. Its blocking calls end at the idle timeout, at the deadline, or
// when another thread calls Cancel. The file descriptor never blocks; poll(2) waits.
//
// One thread uses it; any thread may call Cancel. Errors: Dialer's while connecting; kUnexpectedEof
// (reset, silent for too long); kDeadlineExceeded; kCanceled. Mirrors Go's net.TCPConn.
class Socket {
 public:
  // In effect no limit on the peer's silence: a year, which can be added to a time.
  static constexpr std::chrono::milliseconds kNoTimeout = std::chrono::hours(24 * 365);

  Socket() = default;
  ~Socket();
  Socket(const Socket&) = delete;
  Socket& operator=(const Socket&) = delete;

  // Returns the endpoint that it is connected to. `endpoints` are as Dialer's.
  Expected<Endpoint> Connect(const std::vector<Endpoint>& endpoints, const DialOptions& options);

  // Limits the peer's silence in later calls.
  void set_idle_timeout(std::chrono::milliseconds timeout) { idle_timeout_ = timeout; }
  // Later calls end at this time.
  void set_deadline(Clock::TimePoint deadline) { deadline_ = deadline; }
  Clock::TimePoint deadline() const { return deadline_; }

  // Waits for the first byte, reads what has arrived, at most `size` bytes, and returns their
  // number. 0 is the end of the stream.
  Expected<std::size_t> Read(char* out, std::size_t size);
  // Reads without waiting. A negative result means that nothing has arrived.
  Expected<std::ptrdiff_t> TryRead(char* out, std::size_t size);
  Expected<void> Write(std::string_view bytes);
  // Writes without waiting and returns how many bytes the kernel has taken.
  Expected<std::size_t> TryWrite(std::string_view bytes);
  // Returns true once there is something to read, which may be the end; false after `timeout`.
  Expected<bool> AwaitInput(std::chrono::milliseconds timeout) const {
    return Wait(POLLIN, timeout);
  }

  // Reports whether another request may use it: open, nothing to read, not closed by the peer.
  bool IsQuiet() const;

  // Ends every call in progress and every later call. Any thread.
  void Cancel();

  // The file descriptor, for poll(2).
  int fd() const { return fd_; }

 private:
  Expected<bool> Wait(short events, std::chrono::milliseconds timeout) const;
  Expected<void> WaitForPeer(short events) const;
  void Close();
  bool canceled() const;

  int fd_ = -1;  // the owner writes it under mu_ and may read it without
  std::chrono::milliseconds idle_timeout_ = std::chrono::seconds(30);
  Clock::TimePoint deadline_ = Clock::TimePoint::max();
  mutable Mutex mu_;
  bool canceled_ CAPSTAN_GUARDED_BY(mu_) = false;
  Dialer* dialer_ CAPSTAN_GUARDED_BY(mu_) = nullptr;  // while it connects
};

}  // namespace capstan::transport
