// SPDX-License-Identifier: Apache-2.0
// Dialer: one TCP connection to whichever of a server's addresses answers first (Happy Eyeballs,
// RFC 8305, section 5).
//
// The next address is tried 250 ms after the previous one, or at once when one fails. All attempts
// stay in progress until one succeeds. The calling thread waits for all of them in one poll(2).
// Cancel may come from any thread; one thread uses the rest. Mirrors Go's net.Dialer. Differs:
// every address has its own start, not only the two families.
#pragma once

#include <chrono>
#include <vector>

#include "clientgo/transport/file_descriptor.h"
#include "clientgo/transport/resolver.h"
#include "clientgo/util/clock.h"
#include "clientgo/util/error.h"

namespace clientgo::transport {

struct DialOptions {
  // RFC 8305's Connection Attempt Delay.
  std::chrono::milliseconds attempt_delay{250};
  // What all attempts together may take (kTransport). The value is client-go's.
  std::chrono::milliseconds timeout = std::chrono::seconds(30);
};

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
  util::Expected<Dialed> Dial(const std::vector<Endpoint>& endpoints, const DialOptions& options,
                              util::Clock::TimePoint deadline);
  // Ends a Dial in progress and any later one.
  void Cancel() const;

 private:
  struct Race;

  const FileDescriptor cancel_;  // an eventfd: readable once canceled
};

}  // namespace clientgo::transport
