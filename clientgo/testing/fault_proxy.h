// SPDX-License-Identifier: Apache-2.0
// FaultProxy: a TCP relay to a server on 127.0.0.1 that damages what it carries, as networks do:
// late, in pieces, cut off with or without a goodbye, or swallowed in silence. It knows nothing of
// HTTP, so a cut falls where it falls: in a head, a chunk, a character.
//
//   FaultProxy proxy(server.port());
//   proxy.Damage({.bytes_max = 700, .end = FaultProxy::End::kReset}, 3);  // the next three
//
// Two threads for each connection. All methods are thread-safe. No upstream; toxiproxy's toxics are
// the model.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <list>
#include <memory>
#include <stop_token>
#include <string>
#include <thread>

#include "clientgo/util/clock.h"
#include "clientgo/util/mutex.h"

namespace clientgo::testing {

class FaultProxy {
 public:
  enum class End {
    kReset,    // RST: a process died, a firewall forgot the connection
    kClose,    // FIN: a proxy gave up, politely
    kSilence,  // the connection stays open, and nothing comes any more
  };
  // What happens to the bytes of one connection on their way from the server to the client.
  struct Fault {
    std::chrono::milliseconds delay{0};  // before each segment is passed on
    // Bytes in a segment: 1 splits every line and every character.
    std::size_t segment_bytes_max = std::numeric_limits<std::size_t>::max();
    // Passed on at most, from the connection's beginning; then comes the end.
    std::size_t bytes_max = std::numeric_limits<std::size_t>::max();
    End end = End::kReset;
  };

  explicit FaultProxy(std::uint16_t server_port, util::Clock& clock = util::Clock::Real());
  ~FaultProxy();
  FaultProxy(const FaultProxy&) = delete;
  FaultProxy& operator=(const FaultProxy&) = delete;

  std::uint16_t port() const { return port_; }
  std::string url() const { return "http://127.0.0.1:" + std::to_string(port_); }
  int connections() const { return accepted_; }  // ever made

  // For the next `connections`, and for all of them when it is negative; instead of what was asked
  // for before.
  void Damage(const Fault& fault, int connections = -1);
  // No more damage to connections that are made from now on.
  void Repair() { Damage({}, 0); }
  // Ends all that are open now.
  void Cut(End end);
  // Nobody listens: connections are refused, those that are open go on. Until Accept.
  void Refuse();
  void Accept();

 private:
  class Link;
  void Run(int listener);

  const std::uint16_t server_port_;
  util::Clock& clock_;
  int reservation_ = -1;  // bound and never listening: nobody gets the port while it is refused
  std::uint16_t port_ = 0;
  std::atomic<int> accepted_{0};
  util::Mutex listening_mu_;  // held by Refuse and Accept, for the acceptor's coming and going
  int listener_ GUARDED_BY(listening_mu_) = -1;
  std::jthread acceptor_ GUARDED_BY(listening_mu_);
  util::Mutex mu_;
  Fault fault_ GUARDED_BY(mu_) = {};
  int damaged_left_ GUARDED_BY(mu_) = 0;
  std::list<std::unique_ptr<Link>> links_ GUARDED_BY(mu_);
};

}  // namespace clientgo::testing
