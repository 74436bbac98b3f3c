// SPDX-License-Identifier: Apache-2.0
// Fixture of the election's tests: an API server with one Lease, and contenders that each run a
// LeaderElector against it on their own thread in fake time.
//
// Tests are deterministic: Advance() steps the clock only while every contender waits for it, or
// for a response that never arrives.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "capstan/api/lease.h"
#include "capstan/clock.h"
#include "capstan/leaderelection/leader_election.h"
#include "capstan/mutex.h"
#include "capstan/rest/client.h"
#include "capstan/testing/fake_clock.h"
#include "capstan/testing/fake_transport.h"

namespace capstan::leaderelection {

// LeaseServer is an API server with one Lease and optimistic concurrency. Thread-safe.
class LeaseServer {
 public:
  testing::FakeResponse Handle(const transport::HttpRequest& request);

  // Returns nullopt when there is no Lease.
  std::optional<api::LeaseSpec> spec() const;
  std::string json() const;
  // Writes without a precondition, like kubectl.
  void Put(const api::LeaseSpec& spec);
  void PutJson(std::string_view json);
  void Delete();

 private:
  testing::FakeResponse Answer(int status) CAPSTAN_REQUIRES(mu_);
  void Store(std::string_view json) CAPSTAN_REQUIRES(mu_);

  mutable Mutex mu_;
  api::LeasePtr lease_ CAPSTAN_GUARDED_BY(mu_);
  std::string json_ CAPSTAN_GUARDED_BY(mu_);
  std::string uid_ CAPSTAN_GUARDED_BY(mu_);
  int version_ CAPSTAN_GUARDED_BY(mu_) = 100;
};

// ProcessClock is one process's clock. Its wall time can be wrong, and it stops while the process
// is paused.
class ProcessClock final : public Clock {
 public:
  explicit ProcessClock(testing::FakeClock& clock) : clock_(clock) {}
  TimePoint Now() const override { return clock_.Now(); }
  WallTime WallNow() const override { return clock_.WallNow() + wall_offset_.load(); }
  bool WaitUntil(Mutex& mu, CondVar& cv, std::stop_token stop, TimePoint deadline,
                 const std::function<bool()>& ready) override CAPSTAN_REQUIRES(mu);

  void SetWallOffset(std::chrono::hours offset) { wall_offset_ = offset; }
  // These act like SIGSTOP and SIGCONT: no wait ends while paused.
  void Pause() { paused_ = true; }
  void Resume();
  bool paused() const { return paused_; }
  void BlockWhilePaused();

  // Reports whether the elector's thread waits for a future time: its next try, or the deadline of
  // a hung request.
  bool Waits() const;

 private:
  testing::FakeClock& clock_;
  std::atomic<std::chrono::hours> wall_offset_ = std::chrono::hours(0);
  std::atomic<bool> paused_ = false;
  mutable Mutex mu_;
  CondVar resumed_;
  std::vector<TimePoint> waits_ CAPSTAN_GUARDED_BY(mu_);
};

// Network is the state of a contender's network.
enum class Network {
  kUp,
  kServerError,      // 500, and nothing is done
  kDown,             // connection refused
  kHang,             // no response, and nothing is done
  kHangAfterWrites,  // a write is done and its response is lost; reads work
  kCutAfterWrites,   // like kHangAfterWrites, but the connection breaks at once
  kHoldWrites,       // a write is delayed until the test delivers it; reads work
};

struct ContenderOptions {
  std::function<void(LeaderElectionConfig&)> configure = {};
  // Runs in on_started_leading after its stop token was stopped.
  std::function<void()> drain = {};
};

class Contender {
 public:
  Contender(LeaseServer& server, testing::FakeClock& clock, std::string identity,
            ContenderOptions options = {});
  ~Contender();

  void Start();
  // Starts it and waits until it leads.
  [[nodiscard]] bool Lead();
  void RequestStop();
  // Block at most 10 s of real time.
  bool BlockUntilWorking() const;
  bool BlockUntilReturned() const;
  // Reports whether nothing happens before the next step: it waits for the clock, or has returned.
  bool Idle() const;

  bool working() const { return working_; }  // inside on_started_leading, before its stop
  bool returned() const { return !running_; }
  bool hangs() const { return transport_->Hangs(); }  // in a request without a response
  int started() const { return started_; }
  int stopped() const { return stopped_; }
  LeaderElector& elector() { return *elector_; }
  ProcessClock& clock() { return clock_; }
  void SetNetwork(Network network) { network_ = network; }
  // Delivers the write that kHoldWrites delayed.
  void DeliverHeldWrite();
  // Runs on the contender's thread before a request reaches the server.
  void SetHook(std::function<void(const transport::HttpRequest&)> hook);
  // Returns the methods of its requests in order: "GET", "POST", "PUT".
  std::vector<std::string> Methods() const;
  std::vector<std::string> events() const;
  std::vector<std::string> leaders_seen() const;

 private:
  testing::FakeResponse Handle(const transport::HttpRequest& request);
  testing::FakeResponse Carry(const transport::HttpRequest& request, bool is_read);
  void Work(const std::stop_token& stop);

  LeaseServer& server_;
  ProcessClock clock_;
  const ContenderOptions options_;
  testing::FakeTransport* transport_ = nullptr;  // owned by client_
  std::unique_ptr<rest::Client> client_;
  std::unique_ptr<LeaderElector> elector_;

  std::atomic<Network> network_ = Network::kUp;
  std::atomic<bool> stopping_ = false;
  std::atomic<bool> draining_ = false;
  std::atomic<bool> working_ = false;
  std::atomic<bool> running_ = false;
  std::atomic<int> started_ = 0;
  std::atomic<int> stopped_ = 0;
  mutable Mutex mu_;
  std::function<void(const transport::HttpRequest&)> hook_ CAPSTAN_GUARDED_BY(mu_);
  std::optional<transport::HttpRequest> held_write_ CAPSTAN_GUARDED_BY(mu_);
  std::vector<std::string> events_ CAPSTAN_GUARDED_BY(mu_);
  std::vector<std::string> leaders_seen_ CAPSTAN_GUARDED_BY(mu_);
  std::jthread thread_;  // last, because it uses all other members
};

// Steps the clock in small steps. Returns false when a contender was not idle after 10 s.
bool Advance(testing::FakeClock& clock, const std::vector<Contender*>& contenders,
             Clock::Duration duration);
// Steps the clock until `done`. Returns the time that it took, or nullopt after `limit`.
std::optional<Clock::Duration> AdvanceUntil(testing::FakeClock& clock,
                                            const std::vector<Contender*>& contenders,
                                            Clock::Duration limit,
                                            const std::function<bool()>& done);
// Blocks until all contenders are idle, at most 10 s of real time.
bool BlockUntilIdle(const std::vector<Contender*>& contenders);
// Returns the number of contenders whose IsLeader() is true.
int CountLeaders(const std::vector<Contender*>& contenders);

class LeaseFixture : public ::testing::Test {
 protected:
  std::string Holder() const;
  // Returns the time until `identity` holds the Lease, at most a minute.
  std::optional<Clock::Duration> UntilHeldBy(std::string_view identity,
                                             const std::vector<Contender*>& contenders);
  // Reports whether exactly `count` contenders lead at some time within `duration`.
  bool EverLead(int count, const std::vector<Contender*>& contenders, Clock::Duration duration);

  testing::FakeClock clock_;
  LeaseServer server_;
};

}  // namespace capstan::leaderelection
