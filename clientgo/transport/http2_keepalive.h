// SPDX-License-Identifier: Apache-2.0
// Http2Keepalive decides when an HTTP/2 connection needs a PING, and when it is dead or useless.
//
// A connection with streams is pinged after ping_after without a byte from the server. It counts as
// dead when nothing arrives within ping_timeout. TCP keepalive finds only a dead kernel; this also
// finds a hung server, and one behind a proxy. A connection without streams is closed after
// idle_timeout without a byte. Not thread-safe. Mirrors ReadIdleTimeout and PingTimeout of
// golang.org/x/net/http2, which client-go sets to 30 s and 15 s.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <optional>

#include "capstan/clock.h"

namespace capstan::transport {

class Http2Keepalive {
 public:
  using TimePoint = Clock::TimePoint;
  enum class Action : std::uint8_t {
    kNone,
    kPing,   // send a PING
    kDead,   // the PING was not answered: close the connection
    kUnused  // no stream for idle_timeout: close the connection
  };
  struct Options {
    std::chrono::milliseconds ping_after;
    std::chrono::milliseconds ping_timeout;
    std::chrono::milliseconds idle_timeout;
    std::chrono::milliseconds unresponsive_after;
  };

  Http2Keepalive(const Options& options, TimePoint now)
      : options_(options), heard_(now), used_(now) {}

  // Call when bytes of the server have arrived.
  void OnBytes(TimePoint now) {
    heard_ = now;
    used_ = now;
    pinged_.reset();
  }

  // Reports whether a PING should be sent now, because nothing has arrived for `silence` after
  // `since`, and no PING is unanswered. The PING counts as sent.
  bool PingsAfterSilence(TimePoint since, Clock::Duration silence, TimePoint now) {
    if (pinged_ || now < std::max(since, heard_) + silence) return false;
    pinged_ = now;
    return true;
  }

  // Reports whether a PING has had no answer for unresponsive_after.
  bool IsUnresponsive(TimePoint now) const {
    return pinged_ && now >= *pinged_ + options_.unresponsive_after;
  }

  // Returns what to do now. Bytes that have arrived must be reported first. `has_streams`: a
  // request waits for the server, or is about to be sent.
  Action Due(TimePoint now, bool has_streams) {
    if (has_streams) used_ = now;
    if (now < Next(has_streams)) return Action::kNone;
    if (pinged_) return Action::kDead;
    if (!has_streams) return Action::kUnused;
    pinged_ = now;
    return Action::kPing;
  }

  // Returns when to call Due again, if nothing else happens before.
  TimePoint Next(bool has_streams) const {
    if (pinged_) return *pinged_ + options_.ping_timeout;
    return has_streams ? heard_ + options_.ping_after : used_ + options_.idle_timeout;
  }

 private:
  const Options options_;
  TimePoint heard_;
  TimePoint used_;
  std::optional<TimePoint> pinged_;  // the time of a PING that has no answer yet
};

}  // namespace capstan::transport
