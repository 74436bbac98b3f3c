// SPDX-License-Identifier: Apache-2.0
#include "controllers/readinessgate/pod_writer.h"

#include <atomic>
#include <thread>
#include <utility>
#include <vector>

#include "clientgo/util/logging.h"
#include "clientgo/util/thread.h"
#include "clientgo/util/time_format.h"
#include "clientgo/workqueue/queue.h"
#include "controllers/readinessgate/gates/protocol.h"
#include "controllers/readinessgate/write_ledger.h"

namespace controllers::readinessgate {

using clientgo::api::Pod;
using clientgo::util::Error;
using clientgo::util::Kv;

namespace {

// The answer of a patch: its identity is all that is read.
const clientgo::runtime::ResourceType& AnswerType() {
  static const clientgo::runtime::ResourceType type = clientgo::api::MakePodType({});
  return type;
}

}  // namespace

clientgo::record::ObjectReference ReferenceTo(const Pod& pod) {
  return {.api_version = "v1",
          .kind = "Pod",
          .namespace_ = std::string(pod.namespace_()),
          .name = std::string(pod.name()),
          .uid = std::string(pod.uid())};
}

struct PodWriter::Rep {
  Rep(Collaborators the_with, PodWriterOptions the_options)
      : with(std::move(the_with)),
        options(std::move(the_options)),
        ledger(options.outputs, options.clock, options.random),
        queue({.clock = options.clock}) {}

  void Work(const std::stop_token& stop);
  // True: there may be more to send for this pod.
  bool SendNext(const std::stop_token& stop, const std::string& key);
  bool Failed(const std::string& key, const WriteLedger::Plan& plan, const Error& error);
  void Count(std::string_view result) const {
    if (with.writes != nullptr) with.writes->Add({std::string(result)});
  }

  const Collaborators with;
  const PodWriterOptions options;
  WriteLedger ledger;
  clientgo::workqueue::RateLimitingQueue queue;
  std::atomic<std::uint64_t> failures = 0;
};

PodWriter::PodWriter(Collaborators with, PodWriterOptions options)
    : rep_(std::make_unique<Rep>(std::move(with), std::move(options))) {}
PodWriter::~PodWriter() = default;

void PodWriter::SetOutput(const Pod& pod, PodOutput wanted) {
  if (rep_->ledger.Want(pod, std::move(wanted))) rep_->queue.Add(std::string(pod.key()));
}

void PodWriter::Forget(std::string_view key) { rep_->ledger.Forget(key); }

std::uint64_t PodWriter::failures() const { return rep_->failures; }

void PodWriter::Run(std::stop_token stop) {
  const std::stop_callback shut_down(stop, [this] { rep_->queue.ShutDown(); });
  std::vector<std::jthread> workers;
  for (int i = 1; i < rep_->options.workers; ++i) {
    workers.push_back(clientgo::util::StartThread(std::to_string(i) + "/pod-writer",
                                                  [this, stop](const auto&) { rep_->Work(stop); }));
  }
  rep_->Work(stop);
}

void PodWriter::Rep::Work(const std::stop_token& stop) {
  while (const auto key = queue.Get()) {
    while (!stop.stop_requested() && SendNext(stop, *key)) {
    }
    queue.Done(*key);
  }
}

bool PodWriter::Rep::SendNext(const std::stop_token& stop, const std::string& key) {
  using clientgo::rest::PatchType;
  const WriteLedger::Step step = ledger.Next(key, with.find_pod(key));
  if (step.wait) queue.AddAfter(key, *step.wait);
  if (step.restores) {
    Count("changed-by-others");
    LOG(WARNING) << Kv("Somebody changed what the agent had written to a pod", "pod", key,
                       "nextTry", clientgo::util::FormatDuration(*step.wait));
  }
  if (!step.plan) return false;
  const WriteLedger::Plan& plan = *step.plan;
  const bool metadata = plan.part == PatchPart::kMetadata;
  const PatchTarget target{.uid = plan.pod->uid(), .resource_version = plan.version};
  auto body = metadata ? MetadataPatch(target, plan.held, plan.wanted)
                       : ConditionPatch(target, plan.wanted, options.clock.WallNow());
  const auto answer = with.client.Patch(
      stop, AnswerType(), clientgo::runtime::ObjectKey::Parse(key),
      metadata ? PatchType::kMerge : PatchType::kStrategicMerge, std::move(body),
      {.field_manager = options.field_manager, .subresource = metadata ? "" : "status"});
  if (!answer) {
    const bool more = Failed(key, plan, answer.error());
    if (!clientgo::rest::IsUnreachable(answer.error())) return more;
    // While the server cannot be reached, no pod can be written.
    return with.client.availability().WaitUntilReachable(stop);
  }
  Count("written");
  ledger.Wrote(key, plan, (*answer)->resource_version());
  return true;
}

bool PodWriter::Rep::Failed(const std::string& key, const WriteLedger::Plan& plan,
                            const Error& error) {
  if (clientgo::util::IsCanceled(error)) return false;
  const WriteLedger::Failure failure = ledger.Failed(key, plan, error);
  Count(ToString(failure.kind));
  if (failure.dropped) return false;
  ++failures;
  if (with.on_failure) with.on_failure();
  if (failure.log) {
    LOG(WARNING) << Kv("A pod could not be written, trying again", "pod", key, "result",
                       ToString(failure.kind), "err", error);
  }
  if (failure.wait.count() > 0) {
    queue.AddAfter(key, failure.wait);
    return false;
  }
  with.events.Event(ReferenceTo(*plan.pod), clientgo::record::kEventTypeWarning,
                    "AnnotationsTooLong",
                    "The pod's annotations have no room for " + std::string(kStatusKey) +
                        "; only " + std::string(kReadyKey) + " is written");
  return true;
}

}  // namespace controllers::readinessgate
