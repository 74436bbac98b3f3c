// SPDX-License-Identifier: Apache-2.0
#include "controllers/readinessgate/agent.h"

#include <algorithm>
#include <thread>
#include <utility>
#include <vector>

#include "clientgo/util/logging.h"
#include "clientgo/util/thread.h"
#include "controllers/resolver/resolver.h"

namespace controllers::readinessgate {

using clientgo::util::Err;
using clientgo::util::ErrorReason;
using clientgo::util::Expected;
using clientgo::util::Kv;
using clientgo::util::StartThread;

namespace {

// What runtime events promise when nothing tells that they come: no later than the slowest loop.
constexpr std::chrono::milliseconds kWithoutRuntimeEvents = kLoopIntervalMax;

}  // namespace

Agent::Agent(const Collaborators& with, AgentOptions options)
    : options_(std::move(options)),
      metrics_(with.metrics),
      lookups_(resolver::NewResolverCounter(with.metrics)),
      loop_([this] { return Pass(); },
            {.mode = options_.loop_mode,
             .clock = options_.clock,
             .on_wakeup =
                 [this](WakeCause cause) { metrics_.wakeups->Add({std::string(ToString(cause))}); },
             .on_interval =
                 [this](std::chrono::milliseconds interval) {
                   metrics_.interval->Set({}, std::chrono::duration<double>(interval).count());
                 }}),
      generations_({.client = with.client,
                    .events = with.events,
                    .metrics = metrics_,
                    .reflector = {.watch_list = options_.watch_list,
                                  .clock = options_.clock,
                                  .metrics = &with.metrics.cache()},
                    .lookups = lookups_.get(),
                    .on_change = [this](WakeCause cause) { loop_.Wake(cause); }},
                   options_),
      pass_(options_,
            {.events = with.events,
             .metrics = metrics_,
             .set_output = [this](const clientgo::api::Pod& pod,
                                  PodOutput wanted) { writer_.SetOutput(pod, std::move(wanted)); },
             .forget = [this](std::string_view key) { writer_.Forget(key); }}),
      writer_({.client = with.client,
               .events = with.events,
               .writes = metrics_.writes.get(),
               .find_pod = [this](std::string_view key) { return generations_.FindPod(key); },
               .on_failure = [this] { loop_.Wake(WakeCause::kWrite); }},
              {.outputs = options_.outputs,
               .field_manager = options_.field_manager,
               .clock = options_.clock}) {}

Agent::~Agent() = default;

Expected<void> Agent::Start(std::stop_token stop) {
  if (!options_.HasGates()) {
    LOG(WARNING) << Kv("No gate is configured: nothing is watched, and no pod is opened");
    runtime::WaitForStop(std::move(stop));
    return {};
  }
  if (!options_.runtime_events_socket.empty()) {
    auto opened = RuntimeEvents::Open(options_.clock, {.path = options_.runtime_events_socket,
                                                       .on_event = [this](const RuntimeEvent&) {
                                                         loop_.Wake(WakeCause::kRuntimeEvent);
                                                       }});
    if (!opened) return Err(std::move(opened.error()));
    runtime_events_ = *std::move(opened);
  }
  std::vector<std::jthread> threads;
  if (runtime_events_ != nullptr) {
    threads.push_back(StartThread("runtime-events", [this, stop](const auto&) {
      if (runtime_events_->Run(stop)) return;
      LOG(ERROR) << Kv("The socket for runtime events broke, going on without them", "path",
                       options_.runtime_events_socket);
    }));
  }
  generations_.Start(stop);
  threads.push_back(StartThread("0/pod-writer", [this, stop](const auto&) { writer_.Run(stop); }));
  loop_.Run(stop);
  return {};
}

PassResult Agent::Pass() {
  const auto now = generations_.Prepare();
  PassResult result{.due = generations_.next_due()};
  if (!now) return result;
  const PassResult passed = pass_.Run(now->sources->Pods(), *now->sources, now->rules);
  first_pass_done_ = true;
  result.idle = passed.idle;
  result.due = std::min(result.due, passed.due);
  if (const auto failures = writer_.failures();
      failures != std::exchange(failures_seen_, failures)) {
    result.idle = false;
  }
  if (runtime_events_ != nullptr) ShowRuntimeEvents();
  if (runtime_events_ != nullptr) {
    // A broker that falls silent during a long sleep is noticed when its word runs out.
    const auto period_ends = options_.clock.Now() + kWithoutRuntimeEvents;
    result.due = std::min(result.due, std::max(period_ends, runtime_events_->ReliableUntil()));
  }
  return result;
}

void Agent::ShowRuntimeEvents() {
  const RuntimeEvents::Counts counts = runtime_events_->counts();
  const auto add = [&](const char* type, std::uint64_t now, std::uint64_t& before) {
    if (now != before) metrics_.runtime_events->Add({type}, static_cast<double>(now - before));
    before = now;
  };
  add("created", counts.created, shown_.created);
  add("deleted", counts.deleted, shown_.deleted);
  add("full_pass", counts.full_pass, shown_.full_pass);
  add("heartbeat", counts.heartbeats, shown_.heartbeats);
  add("bad", counts.bad, shown_.bad);
}

Expected<void> Agent::Ready() const {
  if (!options_.HasGates()) return {};
  if (auto ready = generations_.Ready(); !ready) return ready;
  if (first_pass_done_) return {};
  return Err(ErrorReason::kUnknown,
             "the pods of node " + options_.node_name + " have not been looked at yet");
}

}  // namespace controllers::readinessgate
