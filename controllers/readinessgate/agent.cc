// SPDX-License-Identifier: Apache-2.0
#include "controllers/readinessgate/agent.h"

#include <algorithm>
#include <thread>
#include <utility>

#include "capstan/log.h"
#include "capstan/thread.h"
#include "controllers/resolver/resolver.h"

namespace capstan::readinessgate {

Agent::Agent(const Collaborators& with, AgentOptions options)
    : options_(std::move(options)),
      metrics_{with.metrics},
      lookups_(resolver::NewResolverCounter(with.metrics)),
      ticker_(options_.loop_mode, options_.clock),
      config_({.client = with.client,
               .events = with.events,
               .metrics = metrics_,
               .ticker = ticker_,
               .reflector = {.watch_list = options_.watch_list,
                             .clock = options_.clock,
                             .metrics = &with.metrics.cache()},
               .lookups = lookups_.get()},
              options_),
      writer_({.client = with.client,
               .events = with.events,
               .writes = *metrics_.writes,
               .config = config_,
               .ticker = ticker_},
              options_),
      reconciler_(options_, {.events = with.events, .metrics = metrics_, .outputs = writer_}) {}

Expected<void> Agent::Start(std::stop_token stop) {
  if (!options_.HasGates()) {
    WarningS("No gate is configured: nothing is watched, and no pod is opened");
    WaitForStop(std::move(stop));
    return {};
  }
  if (auto opened = OpenRuntimeEvents(); !opened) return opened;
  std::vector<std::jthread> threads;
  if (runtime_events_ != nullptr) {
    threads.push_back(StartThread("runtime-events", [this, stop](const auto&) {
      if (runtime_events_->Run(stop)) return;
      ErrorS("The socket for runtime events failed, continuing without them", "path",
             options_.runtime_events_socket);
    }));
  }
  config_.Start(stop);
  threads.push_back(StartThread("0/pod-writer", [this, stop](const auto&) { writer_.Run(stop); }));
  while (!stop.stop_requested()) {
    metrics_.wakeups->Add({std::string(ToString(ticker_.BeginPass()))});
    const auto sleep = ticker_.EndPass(RunPass());
    metrics_.interval->Set({}, std::chrono::duration<double>(sleep).count());
    for (auto pods = ticker_.Wait(stop); !pods.empty(); pods = ticker_.Wait(stop)) {
      ReconcileAtOnce(pods);
    }
  }
  return {};
}

Expected<void> Agent::OpenRuntimeEvents() {
  if (options_.runtime_events_socket.empty()) return {};
  auto opened = RuntimeEvents::Open(
      options_.clock,
      {.path = options_.runtime_events_socket,
       .on_event = [this](const RuntimeEvent&) { ticker_.Wake(WakeCause::kRuntimeEvent); },
       .on_datagram = [this](const char* type,
                             int count) { metrics_.runtime_events->Add({type}, count); }});
  if (!opened) return Err(std::move(opened.error()));
  runtime_events_ = *std::move(opened);
  return {};
}

PassResult Agent::RunPass() {
  in_use_ = config_.Refresh();
  PassResult result{.due = config_.next_due()};
  if (!in_use_) return result;
  result.Add(reconciler_.ReconcileAll(in_use_->caches->OurPods(),
                                      {.rules = in_use_->rules, .cluster = *in_use_->caches}));
  first_pass_done_ = true;
  if (std::exchange(changed_at_once_, false)) result.idle = false;
  const std::uint64_t failures = writer_.failures();
  if (failures != std::exchange(failures_seen_, failures)) result.idle = false;
  if (runtime_events_ != nullptr) {
    // While the broker is silent, passes are at least as frequent as without runtime events. Its
    // silence is also noticed during a long sleep.
    const auto without_events = options_.clock.Now() + kLoopIntervalMax;
    result.due = std::min(result.due, std::max(without_events, runtime_events_->ReliableUntil()));
  }
  return result;
}

void Agent::ReconcileAtOnce(const std::vector<std::string>& pods) {
  if (!in_use_) return;
  for (const std::string& key : pods) {
    const auto pod = in_use_->caches->FindPod(key);
    if (pod == nullptr || !in_use_->caches->IsOurs(*pod)) continue;  // the next pass forgets it
    const PassResult result =
        reconciler_.ReconcileOne(*pod, {.rules = in_use_->rules, .cluster = *in_use_->caches});
    if (!result.idle) changed_at_once_ = true;
  }
}

Expected<void> Agent::Ready() const {
  if (!options_.HasGates()) return {};
  if (auto ready = config_.Ready(); !ready) return ready;
  if (first_pass_done_) return {};
  return Err(ErrorReason::kUnknown,
             "the pods of node " + options_.node_name + " have not been evaluated yet");
}

}  // namespace capstan::readinessgate
