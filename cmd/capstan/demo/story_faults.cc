// SPDX-License-Identifier: Apache-2.0
// Story's faults: those of users, and those of the network and the API server.
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
  console_.Good(target.name + ": " + target.mended + "; " + explanation->state + " after " +
                Seconds(Clock::Real().Now() - started));
  return {};
}

Story::Step Story::CutWatches(const std::stop_token& stop) {
  if (!server_) {
    console_.Heading("Cutting the watches");
    console_.Line("  skip  a real API server's watches cannot be cut from here");
    return {};
  }
  console_.Heading("Cutting the manager's watches; while it is blind: rotate, add one, delete one");
  server_->InjectFault({.match = {.verb = "watch", .user_agent = "capstan-controller-manager"},
                        .code = 503,
                        .message = "the demo keeps the manager blind",
                        .count = -1});
  server_->CutWatches();
  for (const auto change : {&DemoCluster::RotateCa, &DemoCluster::AddConfiguration,
                            &DemoCluster::DeleteConfiguration}) {
    if (auto changed = ((*cluster_).*change)(stop); !changed) return changed;
  }
  const auto started = Clock::Real().Now();
  server_->ClearFaults();
  if (auto step = AwaitInSync(stop, "recovery"); !step) return step;
  console_.Good("nothing was lost: in sync " + Seconds(Clock::Real().Now() - started) +
                " after the network came back");
  return {};
}

}  // namespace cmd::capstan::demo
