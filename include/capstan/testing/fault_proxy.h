// SPDX-License-Identifier: Apache-2.0
// FaultProxy is a TCP relay to a server on 127.0.0.1 with the faults of real networks: delays,
// small segments, resets, closed connections and silence. It does not parse HTTP, so it cuts a
// stream anywhere: in a header, a chunk or a character.
//
//   testing::FaultProxy proxy(server.port());
//   proxy.Damage({.bytes_max = 700, .end = testing::FaultProxy::End::kReset}, 3);  // the next 3
//
// Each connection has two threads. All methods are thread-safe. Modelled after toxiproxy.
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

#include "capstan/clock.h"
#include "capstan/export.h"
#include "capstan/mutex.h"

namespace capstan::testing {

class CAPSTAN_EXPORT FaultProxy {
 public:
  enum class End {
    kReset,    // RST, as after a crash or when a firewall drops its state
    kClose,    // FIN, as from a proxy that closes the connection
    kSilence,  // the connection stays open without further data
  };
  // Fault changes how one connection forwards the server's bytes to the client.
  struct Fault {
    std::chrono::milliseconds delay{0};  // before each segment
    // The size of a segment in bytes; 1 splits every line and every character.
    std::size_t segment_bytes_max = std::numeric_limits<std::size_t>::max();
    // The connection ends after this number of bytes.
    std::size_t bytes_max = std::numeric_limits<std::size_t>::max();
    End end = End::kReset;
  };

  explicit FaultProxy(std::uint16_t server_port, Clock& clock = Clock::Real());
  ~FaultProxy();
  FaultProxy(const FaultProxy&) = delete;
  FaultProxy& operator=(const FaultProxy&) = delete;

  std::uint16_t port() const { return port_; }
  std::string url() const { return "http://127.0.0.1:" + std::to_string(port_); }
  int connections() const { return accepted_; }  // since the start

  // Applies `fault` to the next `connections`, or to all further ones if negative. Replaces the
  // previous fault.
  void Damage(const Fault& fault, int connections = -1);
  // Removes the fault for new connections.
  void Repair() { Damage({}, 0); }
  // Ends all open connections.
  void Cut(End end);
  // Refuses new connections until Accept. Open connections continue.
  void Refuse();
  void Accept();

 private:
  class Link;
  void Run(int listener);

  const std::uint16_t server_port_;
  Clock& clock_;
  int reservation_ = -1;  // bound but not listening, to reserve the port while refusing
  std::uint16_t port_ = 0;
  std::atomic<int> accepted_{0};
  Mutex listening_mu_;  // held by Refuse and Accept while they start or stop the acceptor
  int listener_ CAPSTAN_GUARDED_BY(listening_mu_) = -1;
  std::jthread acceptor_ CAPSTAN_GUARDED_BY(listening_mu_);
  Mutex mu_;
  Fault fault_ CAPSTAN_GUARDED_BY(mu_) = {};
  int damaged_left_ CAPSTAN_GUARDED_BY(mu_) = 0;
  std::list<std::unique_ptr<Link>> links_ CAPSTAN_GUARDED_BY(mu_);
};

}  // namespace capstan::testing
