// SPDX-License-Identifier: Apache-2.0
// What the tests of this folder share: an API server that holds one Lease, contenders that each run
// a LeaderElector against it on a thread of their own, in fake time, and the fixture with both.
//
// Advance() steps the clock only while every contender waits for it (or for an answer that never
// comes), so a test is deterministic: what happens at second 12 happens at second 12.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "clientgo/api/lease.h"
#include "clientgo/leaderelection/leader_election.h"
#include "clientgo/rest/client.h"
#include "clientgo/testing/fake_clock.h"
#include "clientgo/testing/fake_transport.h"
#include "clientgo/util/clock.h"
#include "clientgo/util/mutex.h"

namespace clientgo::leaderelection {

// Optimistic concurrency as the API server does it. Thread-safe.
class LeaseServer {
 public:
  testing::FakeResponse Handle(const transport::HttpRequest& request);

  // nullopt: there is no Lease.
  std::optional<api::LeaseSpec> spec() const;
  std::string json() const;
  // As kubectl would: no precondition.
  void Put(const api::LeaseSpec& spec);
  void PutJson(std::string_view json);
  void Delete();

 private:
  testing::FakeResponse Answer(int status) REQUIRES(mu_);
  void Store(std::string_view json) REQUIRES(mu_);

  mutable util::Mutex mu_;
  std::shared_ptr<const api::Lease> lease_ GUARDED_BY(mu_);
  std::string json_ GUARDED_BY(mu_);
  std::string uid_ GUARDED_BY(mu_);
  int version_ GUARDED_BY(mu_) = 100;
};

// One process's clock: it can be wrong about wall time, and it stands still while the process does.
class ProcessClock final : public util::Clock {
 public:
  explicit ProcessClock(testing::FakeClock& clock) : clock_(clock) {}
  TimePoint Now() const override { return clock_.Now(); }
  WallTime WallNow() const override { return clock_.WallNow() + wall_offset_.load(); }
  bool WaitUntil(util::Mutex& mu, util::CondVar& cv, std::stop_token stop, TimePoint deadline,
                 const std::function<bool()>& ready) override REQUIRES(mu);

  void SetWallOffset(std::chrono::hours offset) { wall_offset_ = offset; }
  // SIGSTOP and SIGCONT: no wait ends while paused.
  void Pause() { paused_ = true; }
  void Resume();
  bool paused() const { return paused_; }
  void BlockWhilePaused();

  // A wait for a time that has not come: of the elector's thread, for its next try or, while a
  // request hangs, for the deadline of that.
  bool Waits() const;

 private:
  testing::FakeClock& clock_;
  std::atomic<std::chrono::hours> wall_offset_ = std::chrono::hours(0);
  std::atomic<bool> paused_ = false;
  mutable util::Mutex mu_;
  util::CondVar resumed_;
  std::vector<TimePoint> waits_ GUARDED_BY(mu_);
};

// What becomes of a contender's requests.
enum class Network {
  kUp,
  kServerError,      // 500, nothing is done
  kDown,             // connection refused
  kHang,             // no answer, nothing is done
  kHangAfterWrites,  // a write is done and its answer lost; reads work
  kCutAfterWrites,   // ditto, and the connection breaks at once
  kHoldWrites,       // a write is on its way until the test delivers it; reads work
};

struct ContenderOptions {
  std::function<void(LeaderElectionConfig&)> configure = {};
  // Runs in on_started_leading, after it was told to stop.
  std::function<void()> drain = {};
};

class Contender {
 public:
  Contender(LeaseServer& server, testing::FakeClock& clock, std::string identity,
            ContenderOptions options = {});
  ~Contender();

  void Start();
  // Start, and whether it works soon.
  [[nodiscard]] bool Lead();
  void RequestStop();
  // In real time, at most 10 s each.
  bool BlockUntilWorking() const;
  bool BlockUntilReturned() const;
  // It waits for time to pass, or has returned: nothing happens before the next step.
  bool Idle() const;

  bool working() const { return working_; }  // inside on_started_leading, not told to stop
  bool returned() const { return !running_; }
  bool hangs() const { return transport_->Hangs(); }  // in a request that never ends by itself
  int started() const { return started_; }
  int stopped() const { return stopped_; }
  LeaderElector& elector() { return *elector_; }
  ProcessClock& clock() { return clock_; }
  void SetNetwork(Network network) { network_ = network; }
  // What kHoldWrites holds arrives at the server, however late.
  void DeliverHeldWrite();
  // Runs on the contender's thread before a request reaches the server.
  void SetHook(std::function<void(const transport::HttpRequest&)> hook);
  // "GET", "POST", "PUT" in the order they were sent.
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
  mutable util::Mutex mu_;
  std::function<void(const transport::HttpRequest&)> hook_ GUARDED_BY(mu_);
  std::optional<transport::HttpRequest> held_write_ GUARDED_BY(mu_);
  std::vector<std::string> events_ GUARDED_BY(mu_);
  std::vector<std::string> leaders_seen_ GUARDED_BY(mu_);
  std::jthread thread_;  // last: it uses all of the above
};

// Steps the clock in small steps; false when a contender did not become idle in 10 s.
bool Advance(testing::FakeClock& clock, const std::vector<Contender*>& contenders,
             util::Clock::Duration duration);
// Until `done`, at most `limit`; returns the time that it took, or nullopt.
std::optional<util::Clock::Duration> AdvanceUntil(testing::FakeClock& clock,
                                                  const std::vector<Contender*>& contenders,
                                                  util::Clock::Duration limit,
                                                  const std::function<bool()>& done);
// All of them, in real time, at most 10 s.
bool BlockUntilIdle(const std::vector<Contender*>& contenders);
// How many say that they may act.
int CountLeaders(const std::vector<Contender*>& contenders);

class LeaseFixture : public ::testing::Test {
 protected:
  std::string Holder() const;
  // From now until somebody with that identity holds the Lease, at most a minute.
  std::optional<util::Clock::Duration> UntilHeldBy(std::string_view identity,
                                                   const std::vector<Contender*>& contenders);
  // Whether that many say that they lead, at some time while `duration` passes.
  bool EverLead(int count, const std::vector<Contender*>& contenders,
                util::Clock::Duration duration);

  testing::FakeClock clock_;
  LeaseServer server_;
};

}  // namespace clientgo::leaderelection
