// SPDX-License-Identifier: Apache-2.0
// The program from the outside, without its privileges.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <csignal>
#include <fstream>
#include <map>
#include <memory>
#include <sstream>
#include <string>
#include <thread>

#include "capstan/clock.h"
#include "capstan/mutex.h"
#include "capstan/testing/eventually.h"
#include "capstan/testing/temp_dir.h"
#include "capstan/thread.h"
#include "cmd/cri-event-broker/cri/testing/fake_runtime.h"
#include "controllers/readinessgate/events/runtime_events.h"
#include "controllers/runtime/program/testing/process.h"

namespace capstan::cmd::cri_event_broker {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using End = FakeRuntime::End;

class ProgramTest : public ::testing::Test {
 protected:
  void SetUp() override {
    auto opened = readinessgate::RuntimeEvents::Open(
        Clock::Real(), {.path = agent_, .on_datagram = [this](const auto* type, int) {
                          const MutexLock lock(mu_);
                          ++received_[type];
                        }});
    ASSERT_TRUE(opened) << opened.error().message;
    events_ = *std::move(opened);
    receiving_ =
        StartThread("receiver", [this](const std::stop_token& stop) { events_->Run(stop); });
    // LeakSanitizer uses ptrace at the exit, which the program denies.
    setenv("ASAN_OPTIONS", "detect_leaks=0", 1);
  }
  std::unique_ptr<Process> Start() const {
    return std::make_unique<Process>(
        PROGRAM_PATH,
        std::vector<std::string>{"--runtime-endpoint=unix://" + runtime_, "--socket=" + agent_});
  }
  int Received(const std::string& type) {
    const MutexLock lock(mu_);
    return received_[type];
  }
  bool Reliable() const { return events_->ReliableUntil() > Clock::Real().Now(); }

  testing::TempDir folder_;
  const std::string agent_ = folder_.Path("agent.sock");
  const std::string runtime_ = folder_.Path("runtime.sock");
  Mutex mu_;
  std::map<std::string, int> received_ CAPSTAN_GUARDED_BY(mu_);  // datagrams by type
  std::unique_ptr<readinessgate::RuntimeEvents> events_;
  std::jthread receiving_;
};

TEST_F(ProgramTest, ForwardsUntilSigterm) {
  const FakeRuntime runtime(runtime_, [](FakeStream& stream) {
    stream.Send({.type = 0});
    stream.Send({.type = 3});
    stream.WaitUntilGone();
    return End::kOk;
  });
  const auto broker = Start();

  EXPECT_TRUE(testing::Eventually([&] {
    return Received("created") == 1 && Received("deleted") == 1 && Reliable();
  })) << broker->Stderr();
  broker->Signal(SIGTERM);

  EXPECT_EQ(broker->ExitCode(), 0) << broker->Stderr();
}

TEST_F(ProgramTest, RetriesRuntimeThatDeniesConnection) {
  const FakeRuntime runtime(runtime_, [](FakeStream& stream) {
    stream.WaitUntilGone();
    return End::kOk;
  });
  // Even as root the program has no capability to ignore the mode.
  ASSERT_EQ(chmod(runtime_.c_str(), 0), 0);
  const auto broker = Start();
  EXPECT_TRUE(broker->EventuallyLogs("Permission denied")) << broker->Stderr();
  EXPECT_TRUE(testing::Eventually([&] { return Received("heartbeat") > 0; }));
  EXPECT_FALSE(Reliable());

  ASSERT_EQ(chmod(runtime_.c_str(), 0600), 0);

  EXPECT_TRUE(testing::Eventually([&] { return Reliable(); })) << broker->Stderr();
}

TEST_F(ProgramTest, AgentDetectsKilledBroker) {
  const FakeRuntime runtime(runtime_, [](FakeStream& stream) {
    stream.WaitUntilGone();
    return End::kOk;
  });
  auto broker = Start();
  ASSERT_TRUE(testing::Eventually([&] { return Reliable(); })) << broker->Stderr();

  broker.reset();  // SIGKILL

  EXPECT_TRUE(testing::Eventually([&] { return !Reliable(); }));
}

TEST_F(ProgramTest, RunsWithoutCapabilitiesAndWithSeccomp) {
  const FakeRuntime runtime(runtime_, [](FakeStream& stream) {
    stream.WaitUntilGone();
    return End::kOk;
  });
  const auto broker = Start();
  ASSERT_TRUE(testing::Eventually([&] { return Reliable(); })) << broker->Stderr();

  std::ostringstream status;
  status << std::ifstream("/proc/" + std::to_string(broker->pid()) + "/status").rdbuf();

  EXPECT_THAT(status.str(), HasSubstr("CapEff:\t0000000000000000"));
  EXPECT_THAT(status.str(), HasSubstr("CapPrm:\t0000000000000000"));
  EXPECT_THAT(status.str(), HasSubstr("NoNewPrivs:\t1"));
  EXPECT_THAT(status.str(), HasSubstr("Seccomp:\t2"));
}

TEST_F(ProgramTest, InvalidFlagIsOneErrorLineAndExitCodeOne) {
  Process broker(PROGRAM_PATH, {"--runtime-endpoint=tcp://x", "--socket=" + agent_});

  EXPECT_EQ(broker.ExitCode(), 1);
  EXPECT_THAT(broker.Stderr(), HasSubstr("invalid argument \"tcp://x\" for --runtime-endpoint"));
  EXPECT_THAT(broker.Stderr(), EndsWith("\n"));
  EXPECT_EQ(broker.Stderr().find('\n'), broker.Stderr().size() - 1);
}

}  // namespace
}  // namespace capstan::cmd::cri_event_broker
