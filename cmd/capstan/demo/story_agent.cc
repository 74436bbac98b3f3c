// SPDX-License-Identifier: Apache-2.0
// Story's chapter of the node agent.
#include <array>
#include <cstdio>
#include <map>
#include <vector>

#include "clientgo/util/text.h"
#include "cmd/capstan/demo/story.h"

namespace cmd::capstan::demo {

using clientgo::util::Clock;
using clientgo::util::Err;
using clientgo::util::ErrorReason;
using clientgo::util::Expected;

namespace {

constexpr const char* kAgent = "capstan-node-agent";
// What a pod may cost: a write that says what it waits for, one that opens it; once more each.
constexpr int kWritesEachMax = 4;
// Lists and watches of the few kinds it reads, tried again now and then; far less than one a pod.
constexpr int kReadsMax = 20;

}  // namespace

Story::Step Story::OpenGates(const std::stop_token& stop) {
  const std::string pods = std::to_string(options_.pods) + " pods";
  console_.Heading("The readiness gates of " + pods + ", and the agent of their node");
  pods_ = std::make_unique<GatedPods>(*client_, options_.cluster.ns);
  if (auto made = pods_->Create(stop, options_.pods); !made) return made;
  if (server_) server_->ResetRequests();
  const auto command = agent_.Start(
      {.name = kAgent,
       .path = options_.node_agent,
       .arguments = {"--kubeconfig=" + kubeconfig_, "--node-id=" + std::string(kDemoNode),
                     "--pod-readiness-gate=pod-ip:any", "-v=2"},
       .log_path = folder_ + "/agent.log"});
  if (!command) return Err(command.error());
  console_.Good(*command);
  auto told = Await(stop, "every pod says what it waits for", [&]() -> Expected<bool> {
    const auto counts = pods_->Count(stop);
    if (!counts) return Err(counts.error());
    return counts->told == pods_->count();
  });
  if (!told) return told;
  const auto closed = pods_->Count(stop);
  if (!closed) return Err(closed.error());
  if (closed->open != 0) {
    return Err(ErrorReason::kUnknown,
               std::to_string(closed->open) + " pods without an address are open");
  }
  console_.Good("each pod says that it waits for an address, and none is open");

  const auto started = Clock::Real().Now();
  if (auto given = pods_->GiveAddresses(stop); !given) return given;
  const auto given = Clock::Real().Now();
  if (auto step = AwaitOpen(stop); !step) return step;
  console_.Good(pods + " got addresses in " + Seconds(given - started) + "; all were open " +
                Seconds(Clock::Real().Now() - given) + " later; the agent's peak memory is " +
                agent_.Memory("VmHWM"));
  return ReportAgentCalls(stop);
}

Story::Step Story::AwaitOpen(const std::stop_token& stop) {
  return Await(stop, "the gates of all pods are open", [&]() -> Expected<bool> {
    const auto counts = pods_->Count(stop);
    if (!counts) return Err(counts.error());
    return counts->open == pods_->count();
  });
}

// Counted by the server that it asked; where that does not tell, by the agent itself.
Story::Step Story::ReportAgentCalls(const std::stop_token& stop) {
  std::map<std::string, int> calls;
  if (server_) {
    for (const auto& request : server_->Requests()) {
      if (request.request.user_agent.find(kAgent) == std::string::npos) continue;
      calls[request.request.verb] += static_cast<int>(request.count);
    }
  } else {
    for (const char* method : {"GET", "PATCH", "POST", "PUT"}) {
      const auto count = agent_.Metric(stop, "rest_client_requests_total",
                                       "method=\"" + std::string(method) + '"');
      if (count) calls[clientgo::util::LowerAscii(method)] = static_cast<int>(*count);
    }
  }
  int all = 0;
  std::string each;
  for (const auto& [verb, count] : calls) {
    all += count;
    each += (each.empty() ? "" : ", ") + std::to_string(count) + " " + verb;
  }
  const int patches = calls["patch"];
  const int reads = calls["get"] + calls["list"] + calls["watch"];
  if (patches < options_.pods || patches > options_.pods * kWritesEachMax || reads > kReadsMax) {
    return Err(ErrorReason::kUnknown, "the node agent made these calls for " +
                                          std::to_string(options_.pods) + " pods: " + each);
  }
  std::array<char, 32> ratio{};
  std::snprintf(ratio.data(), ratio.size(), "%.1f", 1.0 * patches / options_.pods);
  console_.Good("the agent made " + std::to_string(all) + " API calls (" + each +
                "): " + ratio.data() + " writes a pod, and it polled nothing");
  return {};
}

}  // namespace cmd::capstan::demo
