// SPDX-License-Identifier: Apache-2.0
// e2e_candidate FLAGS: one candidate of a leader election that prints its actions. While it leads,
// it checks every 50 ms that it is the leader and prints "<ns> act <identity>". The number is
// CLOCK_MONOTONIC, which all processes of a machine share, so the lines of several candidates can
// be sorted. It prints "started" before the first action and "stopped" after the last one.
//
// After SIGTERM it releases the Lease and exits with code 0. After a lost Lease it exits with 1.
#include <unistd.h>

#include <charconv>
#include <chrono>
#include <csignal>
#include <functional>
#include <iostream>
#include <map>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>
#include <utility>

#include "capstan/clientcmd/config.h"
#include "capstan/clock.h"
#include "capstan/error.h"
#include "capstan/leaderelection/leader_election.h"
#include "capstan/rest/client.h"

namespace {

using capstan::Clock;
using capstan::Expected;
using capstan::leaderelection::LeaderElector;
using std::chrono::milliseconds;

constexpr std::string_view kUsage =
    "usage: e2e_candidate --kubeconfig=FILE --lease=NAME --identity=NAME --lease-duration=MS\n"
    "  --renew-deadline=MS --retry-period=MS [--wall-offset=MS]\n";

// OffsetClock has a wrong wall clock. Its waits use the real clock.
class OffsetClock final : public Clock {
 public:
  explicit OffsetClock(milliseconds offset) : offset_(offset) {}
  TimePoint Now() const override { return Clock::Real().Now(); }
  WallTime WallNow() const override { return Clock::Real().WallNow() + offset_; }
  bool WaitUntil(capstan::Mutex& mu, capstan::CondVar& cv, std::stop_token stop, TimePoint deadline,
                 const std::function<bool()>& ready) override CAPSTAN_REQUIRES(mu) {
    return Clock::Real().WaitUntil(mu, cv, std::move(stop), deadline, ready);
  }

 private:
  const milliseconds offset_;
};

struct Flags {
  std::map<std::string, std::string, std::less<>> values;

  const std::string& Text(std::string_view name) const { return values.find(name)->second; }
  milliseconds Milliseconds(std::string_view name) const {
    const std::string& text = Text(name);
    int number = 0;
    std::from_chars(text.data(), text.data() + text.size(), number);
    return milliseconds(number);
  }
};

// Returns false for an argument that is not a flag, and for a missing flag.
bool Parse(int argc, char** argv, Flags& flags) {
  flags.values = {{"wall-offset", "0"}};
  for (int i = 1; i < argc; ++i) {
    const std::string_view flag = argv[i];
    const std::size_t equals = flag.find('=');
    if (flag.substr(0, 2) != "--" || equals == std::string_view::npos) return false;
    flags.values[std::string(flag.substr(2, equals - 2))] = flag.substr(equals + 1);
  }
  for (const char* name :
       {"kubeconfig", "lease", "identity", "lease-duration", "renew-deadline", "retry-period"}) {
    if (flags.values.find(name) == flags.values.end()) return false;
  }
  return true;
}

void Print(const std::string& what) {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  std::cout << std::chrono::nanoseconds(now).count() << ' ' << what << std::endl;
}

Expected<void> Run(const Flags& flags, const std::stop_token& stop) {
  auto config = capstan::clientcmd::LoadConfig({.kubeconfig = flags.Text("kubeconfig")});
  if (!config) return tl::unexpected(config.error());
  config->user_agent = "e2e-candidate";
  auto client = capstan::rest::Client::New(*std::move(config));
  if (!client) return tl::unexpected(client.error());

  OffsetClock clock(flags.Milliseconds("wall-offset"));
  std::unique_ptr<LeaderElector> elector;
  const auto act = [&](const std::stop_token& stop_work) {
    Print("started");
    while (!stop_work.stop_requested()) {
      // A process that was paused must check this before each action.
      if (elector->IsLeader()) Print("act " + flags.Text("identity"));
      clock.SleepFor(stop_work, milliseconds(50));
    }
    Print("stopped");
  };
  auto made = LeaderElector::New(**client,
                                 {.lease_namespace = "default",
                                  .lease_name = flags.Text("lease"),
                                  .identity = flags.Text("identity"),
                                  .lease_duration = flags.Milliseconds("lease-duration"),
                                  .renew_deadline = flags.Milliseconds("renew-deadline"),
                                  .retry_period = flags.Milliseconds("retry-period"),
                                  .clock = clock},
                                 {.on_started_leading = act, .on_stopped_leading = [] {}});
  if (!made) return tl::unexpected(made.error());
  elector = *std::move(made);
  elector->Run(stop);
  if (stop.stop_requested()) return {};
  return capstan::Err(capstan::ErrorReason::kUnknown, "leader election lost");
}

}  // namespace

int main(int argc, char** argv) {
  Flags flags;
  if (!Parse(argc, argv, flags)) {
    std::cerr << kUsage;
    return 2;
  }
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);  // before any thread: they inherit it

  Expected<void> done;
  {
    std::jthread election([&](const std::stop_token& stop) {
      done = Run(flags, stop);
      kill(getpid(), SIGTERM);  // to the wait below
    });
    int signal = 0;
    sigwait(&signals, &signal);
  }
  if (done) return 0;
  std::cerr << done.error().message << '\n';
  return 1;
}
