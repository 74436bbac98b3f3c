// SPDX-License-Identifier: Apache-2.0
// Story's faults: those of users, and those of the network and the API server.
#include <array>
#include <cstdio>

#include "cmd/capstan/demo/story.h"
#include "cmd/capstan/inspect/explain.h"

namespace cmd::capstan::demo {

using clientgo::util::Clock;
using clientgo::util::Err;
using clientgo::util::ErrorReason;
using clientgo::util::Expected;

Story::Step Story::BreakAndMend(const std::stop_token& stop) {
  console_.Heading("Breaking three targets, and asking capstan explain why they get no bundle");
  breakage_ = std::make_unique<Breakage>(*client_, options_.cluster.ns);
  if (auto made = breakage_->Create(stop); !made) return made;
  if (!breakage_->serves_certificates()) {
    console_.Skip("a wrong certificate-name: this API server serves no Certificates");
  }
  for (const BrokenTarget& target : breakage_->targets()) {
    if (auto step = ShowBroken(stop, target); !step) return step;
  }
  console_.Heading("Mending them, as explain says");
  for (const BrokenTarget& target : breakage_->targets()) {
    if (auto mended = breakage_->Mend(stop, target); !mended) return mended;
    if (auto step = AwaitMended(stop, target); !step) return step;
  }
  return {};
}

Story::Step Story::ShowBroken(const std::stop_token& stop, const BrokenTarget& target) {
  const std::string reason(ToString(target.reason));
  console_.Line("\n        " + target.broken + ":");
  const auto explanation = breakage_->Explain(stop, target);
  if (!explanation) return Err(explanation.error());
  console_.Block(ToText(*explanation, console_.terminal()));
  record_.AddBroken(target.broken, explanation->reason, explanation->message, explanation->fix);
  if (explanation->reason != reason) {
    return Err(ErrorReason::kUnknown, target.name + " should be " + reason + ", but explain says " +
                                          explanation->reason + ": " + explanation->message);
  }
  auto told = Await(stop, "the manager's own reason for " + target.name, [&]() -> Expected<bool> {
    return manager_.Metric(stop, "capstan_injection_total", "result=\"" + reason + '"') > 0.0;
  });
  if (!told) return told;
  const auto untouched = breakage_->Holds(stop, target, false);
  if (!untouched) return Err(untouched.error());
  if (!*untouched) {
    return Err(ErrorReason::kUnknown, target.name + " is broken, but has a bundle");
  }
  console_.Good(reason + "; the manager counts the same reason, and wrote nothing");
  return {};
}

Story::Step Story::AwaitMended(const std::stop_token& stop, const BrokenTarget& target) {
  const auto started = Clock::Real().Now();
  auto mended = Await(stop, target.name, [&] { return breakage_->Holds(stop, target, true); });
  if (!mended) return mended;
  const auto explanation = breakage_->Explain(stop, target);
  if (!explanation) return Err(explanation.error());
  if (!explanation->all_well()) {
    return Err(ErrorReason::kUnknown,
               target.name + " is mended, but explain says " + explanation->message);
  }
  ++verified_;
  record_.AddMended(std::string(ToString(target.reason)), explanation->state);
  console_.Good(target.name + ": " + target.mended + "; " + explanation->state + " after " +
                Seconds(Clock::Real().Now() - started));
  return {};
}

Story::Step Story::CutWatches(const std::stop_token& stop) {
  if (!server_) {
    console_.Heading("Cutting the watches");
    console_.Skip("a real API server's watches cannot be cut from here");
    return {};
  }
  console_.Heading("Cutting all watches; while the programs are blind: rotate, add, delete");
  RefuseWatches(503);
  server_->CutWatches();
  for (const auto change : {&DemoCluster::RotateCa, &DemoCluster::AddConfiguration,
                            &DemoCluster::DeleteConfiguration}) {
    if (auto changed = ((*cluster_).*change)(stop); !changed) return changed;
  }
  if (auto more = AddPod(stop); !more) return more;
  const auto started = Clock::Real().Now();
  server_->ClearFaults();
  if (auto step = AwaitInSync(stop, "recovery"); !step) return step;
  if (auto step = AwaitOpen(stop); !step) return step;
  console_.Good("nothing was lost: in sync " + Seconds(Clock::Real().Now() - started) +
                " after the network came back");
  return {};
}

void Story::RefuseWatches(int code) {
  for (const char* program : {"capstan-controller-manager", "capstan-node-agent"}) {
    server_->InjectFault({.match = {.verb = "watch", .user_agent = program},
                          .code = code,
                          .message = "the demo keeps the programs blind",
                          .count = -1});
  }
}

Story::Step Story::AddPod(const std::stop_token& stop) {
  if (auto created = pods_->Create(stop, 1); !created) return created;
  return pods_->GiveAddresses(stop);
}

double Story::GoneCount(const std::stop_token& stop, const Program& program) {
  return program.Metric(stop, "capstan_reflector_watch_errors_total", R"(reason="Expired")")
      .value_or(0);
}

Story::Step Story::GoneWatches(const std::stop_token& stop) {
  console_.Heading("410 Gone: the API server has forgotten where the watches stood");
  if (!server_) {
    console_.Skip("a real API server forgets nothing on demand");
    return {};
  }
  const double manager_before = GoneCount(stop, manager_);
  const double agent_before = GoneCount(stop, agent_);
  RefuseWatches(429);  // who is busy is asked again from where the watch stood
  server_->CutWatches();
  if (auto rotated = cluster_->RotateCa(stop); !rotated) return rotated;
  if (auto more = AddPod(stop); !more) return more;
  server_->CompactWatchWindow();
  const auto started = Clock::Real().Now();
  server_->ClearFaults();
  auto gone = Await(stop, "both programs were told 410 Gone", [&]() -> Expected<bool> {
    return GoneCount(stop, manager_) > manager_before && GoneCount(stop, agent_) > agent_before;
  });
  if (!gone) return gone;
  if (auto step = AwaitInSync(stop, "recovery from 410 Gone"); !step) return step;
  if (auto step = AwaitOpen(stop); !step) return step;
  std::array<char, 64> count{};
  std::snprintf(count.data(), count.size(), "%.0f watches of the manager and %.0f of the agent",
                GoneCount(stop, manager_) - manager_before, GoneCount(stop, agent_) - agent_before);
  console_.Good(std::string(count.data()) +
                " ended with 410 Gone; they listed anew, and missed nothing: " +
                Seconds(Clock::Real().Now() - started));
  return {};
}

Story::Step Story::RestartServer(const std::stop_token& stop) {
  console_.Heading("Restarting the API server, for a second, under both programs");
  if (!server_) {
    console_.Skip("a real API server is not restarted from here");
    return {};
  }
  server_->Stop();
  if (!Clock::Real().SleepFor(stop, std::chrono::seconds(1))) {
    return Err(ErrorReason::kCanceled, "interrupted");
  }
  if (auto started = server_->Start(); !started) return started;
  const auto started = Clock::Real().Now();
  if (auto rotated = cluster_->RotateCa(stop); !rotated) return rotated;
  if (auto more = AddPod(stop); !more) return more;
  if (auto step = AwaitInSync(stop, "recovery from the restart"); !step) return step;
  if (auto step = AwaitOpen(stop); !step) return step;
  console_.Good("the same processes went on: a rotation and a new pod were done " +
                Seconds(Clock::Real().Now() - started) + " after the server was back");
  return {};
}

}  // namespace cmd::capstan::demo
