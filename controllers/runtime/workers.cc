// SPDX-License-Identifier: Apache-2.0
#include "controllers/runtime/workers.h"

#include <exception>
#include <thread>
#include <utility>
#include <vector>

#include "clientgo/util/logging.h"
#include "clientgo/util/thread.h"

namespace controllers::runtime {

using clientgo::util::ErrorReason;
using clientgo::util::Kv;
using ReconcileResult = ControllerMetrics::ReconcileResult;

void Workers::Run(const std::stop_token& stop) {
  const std::stop_callback on_stop(stop, [this] { queue_.ShutDown(); });
  std::vector<std::jthread> workers;
  workers.reserve(static_cast<std::size_t>(options_.max_concurrent_reconciles));
  for (int i = 1; i < options_.max_concurrent_reconciles; ++i) {  // the caller's is the first
    // The number first: a thread's name is cut to 15 characters.
    workers.push_back(
        clientgo::util::StartThread(std::to_string(i) + "/" + options_.name,
                                    [this, stop](const std::stop_token&) { Work(stop); }));
  }
  Work(stop);
}

void Workers::Work(const std::stop_token& stop) {
  while (const auto item = queue_.Get()) {
    if (!stop.stop_requested()) Process(stop, *item);
    queue_.Done(*item);
  }
}

void Workers::Process(const std::stop_token& stop, const std::string& item) {
  ControllerMetrics* const metrics = options_.metrics;
  if (metrics != nullptr) metrics->AddActiveWorkers(options_.name, 1);
  const auto start = options_.clock.Now();
  const auto result = Reconcile(stop, item);
  const auto duration = options_.clock.Now() - start;
  const ReconcileResult outcome = Requeue(stop, item, result);
  on_reconciled_(item);
  if (metrics != nullptr) {
    metrics->OnReconcile(options_.name, outcome, duration, !result && result.error().terminal);
    metrics->AddActiveWorkers(options_.name, -1);
  }
}

// One of the three places where an exception ends: a bug that one object wakes must not stop the
// work on all the others.
tl::expected<Result, ReconcileError> Workers::Reconcile(const std::stop_token& stop,
                                                        const std::string& item) {
  try {
    return reconciler_.Reconcile(stop, Request::Parse(item));
  } catch (const std::exception& e) {
    return tl::unexpected(Panicked(e.what()));
  } catch (...) {
    return tl::unexpected(Panicked("an exception of unknown type"));
  }
}

ReconcileError Workers::Panicked(const std::string& what) {
  if (options_.metrics != nullptr) options_.metrics->OnPanic(options_.name);
  return {.error = {.reason = ErrorReason::kInternalError,
                    .message = "panic: " + what + " [recovered]"}};
}

bool Workers::AwaitServer(const std::stop_token& stop, const clientgo::util::Error& error) {
  if (options_.server == nullptr || !clientgo::rest::IsUnreachable(error)) return true;
  return options_.server->WaitUntilReachable(stop);
}

ReconcileResult Workers::Requeue(const std::stop_token& stop, const std::string& item,
                                 const tl::expected<Result, ReconcileError>& result) {
  if (!result) {
    const ReconcileError& failure = result.error();
    const bool only_stopped = stop.stop_requested() && IsCanceled(failure.error);
    LOG_IF(ERROR, !only_stopped) << Kv("Reconciler error", "controller", options_.name, "object",
                                       item, "err", failure.error, "terminal", failure.terminal);
    if (failure.terminal) {
      queue_.Forget(item);
    } else if (AwaitServer(stop, failure.error)) {
      queue_.AddRateLimited(item);
    }
    return ReconcileResult::kError;
  }
  VLOG(4) << Kv("Reconcile successful", "controller", options_.name, "object", item);
  queue_.Forget(item);
  if (!result->requeue_after) return ReconcileResult::kSuccess;
  queue_.AddAfter(item, *result->requeue_after);
  return ReconcileResult::kRequeueAfter;
}

}  // namespace controllers::runtime
