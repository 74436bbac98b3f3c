// SPDX-License-Identifier: Apache-2.0
#include "clientgo/testing/apiserver/printers/pod_printer.h"

#include <algorithm>
#include <cstdint>
#include <string_view>

#include "clientgo/testing/apiserver/printers/human_duration.h"

namespace capstan::testing::apiserver {
namespace {

bool IsTrueAt(const runtime::JsonValue& object, std::string_view key) {
  const runtime::JsonValue* const value = runtime::Find(object, key);
  return value != nullptr && value->IsTrue();
}

bool HasCondition(const runtime::JsonValue& status, std::string_view type) {
  const auto conditions = ListAt(status, "conditions").GetArray();
  return std::any_of(
      conditions.begin(), conditions.end(), [&](const runtime::JsonValue& condition) {
        return condition.IsObject() && runtime::GetString(condition, "type") == type &&
               runtime::GetString(condition, "status") == "True";
      });
}

// Returns "Completed", "ExitCode:1" or "Signal:9".
std::string TerminatedReason(const runtime::JsonValue& terminated) {
  std::string reason(runtime::GetString(terminated, "reason"));
  if (!reason.empty()) return reason;
  const std::int64_t signal = NumberAt(terminated, "signal");
  if (signal != 0) return "Signal:" + std::to_string(signal);
  return "ExitCode:" + std::to_string(NumberAt(terminated, "exitCode"));
}

// A sidecar is an init container that keeps running.
bool IsSidecar(const runtime::JsonValue& pod, std::string_view name) {
  const auto containers = ListAt(ObjectAt(pod, "spec"), "initContainers").GetArray();
  return std::any_of(
      containers.begin(), containers.end(), [&](const runtime::JsonValue& container) {
        return container.IsObject() && runtime::GetString(container, "name") == name &&
               runtime::GetString(container, "restartPolicy") == "Always";
      });
}

// PodPrinter collects the summary in the order of upstream's function.
class PodPrinter {
 public:
  explicit PodPrinter(const runtime::JsonValue& pod)
      : pod_(pod), spec_(ObjectAt(pod, "spec")), status_(ObjectAt(pod, "status")) {}

  PodSummary Print() {
    reason_ = runtime::GetString(status_, "reason");
    if (reason_.empty()) reason_ = runtime::GetString(status_, "phase");
    for (const runtime::JsonValue& condition : ListAt(status_, "conditions").GetArray()) {
      if (condition.IsObject() && runtime::GetString(condition, "type") == "PodScheduled" &&
          runtime::GetString(condition, "reason") == "SchedulingGated") {
        reason_ = "SchedulingGated";
      }
    }
    const bool initializing = AddInitContainers();
    if (!initializing || HasCondition(status_, "Initialized")) AddContainers();
    if (!Metadata(pod_, "deletionTimestamp").empty()) {
      const std::string_view phase = runtime::GetString(status_, "phase");
      if (runtime::GetString(status_, "reason") == "NodeLost") {
        reason_ = "Unknown";
      } else if (phase != "Succeeded" && phase != "Failed") {
        reason_ = "Terminating";
      }
    }
    std::string restarts = std::to_string(restarts_);
    if (restarts_ != 0 && !last_restart_.empty())
      restarts += " (" + AgeText(last_restart_) + " ago)";
    return {.ready = std::to_string(ready_) + "/" + std::to_string(total_),
            .status = reason_,
            .restarts = std::move(restarts)};
  }

 private:
  void AddRestarts(const runtime::JsonValue& container, std::int64_t& restarts, std::string& last) {
    restarts += NumberAt(container, "restartCount");
    const runtime::JsonValue& terminated = ObjectAt(ObjectAt(container, "lastState"), "terminated");
    last = std::max(last, std::string(runtime::GetString(terminated, "finishedAt")));
  }

  // Returns whether an init container still runs or has failed.
  bool AddInitContainers() {
    for (const runtime::JsonValue& container : ListAt(spec_, "initContainers").GetArray()) {
      if (container.IsObject() && runtime::GetString(container, "restartPolicy") == "Always")
        ++total_;
    }
    std::int64_t index = 0;
    for (const runtime::JsonValue& container :
         ListAt(status_, "initContainerStatuses").GetArray()) {
      if (!container.IsObject()) continue;
      AddRestarts(container, restarts_, last_restart_);
      const bool sidecar = IsSidecar(pod_, runtime::GetString(container, "name"));
      if (sidecar) AddRestarts(container, sidecar_restarts_, last_sidecar_restart_);
      if (!AddInitContainer(container, sidecar, index++)) return true;
    }
    return false;
  }

  // Returns false if the container is not finished.
  bool AddInitContainer(const runtime::JsonValue& container, bool sidecar, std::int64_t index) {
    const runtime::JsonValue& state = ObjectAt(container, "state");
    const runtime::JsonValue* const terminated = runtime::Find(state, "terminated");
    if (terminated != nullptr && NumberAt(*terminated, "exitCode") == 0) return true;
    if (sidecar && IsTrueAt(container, "started")) {
      if (IsTrueAt(container, "ready")) ++ready_;
      return true;
    }
    const std::string waiting(runtime::GetString(ObjectAt(state, "waiting"), "reason"));
    if (terminated != nullptr) {
      reason_ = "Init:" + TerminatedReason(*terminated);
    } else if (!waiting.empty() && waiting != "PodInitializing") {
      reason_ = "Init:" + waiting;
    } else {
      reason_ = "Init:" + std::to_string(index) + "/" +
                std::to_string(ListAt(spec_, "initContainers").Size());
    }
    return false;
  }

  void AddContainers() {
    restarts_ = sidecar_restarts_;
    last_restart_ = last_sidecar_restart_;
    bool running = false;
    std::string error_reason;
    const runtime::JsonValue& containers = ListAt(status_, "containerStatuses");
    for (rapidjson::SizeType i = containers.Size(); i-- > 0;) {
      const runtime::JsonValue& container = containers[i];
      if (!container.IsObject()) continue;
      AddRestarts(container, restarts_, last_restart_);
      const runtime::JsonValue& state = ObjectAt(container, "state");
      const std::string_view waiting = runtime::GetString(ObjectAt(state, "waiting"), "reason");
      if (!waiting.empty()) {
        reason_ = waiting;
      } else if (const runtime::JsonValue* const terminated = runtime::Find(state, "terminated")) {
        reason_ = TerminatedReason(*terminated);
        if (NumberAt(*terminated, "exitCode") != 0) error_reason = reason_;
      } else if (IsTrueAt(container, "ready") && runtime::Find(state, "running") != nullptr) {
        running = true;
        ++ready_;
      }
    }
    if (reason_ != "Completed") return;
    if (running && HasCondition(status_, "Ready")) {
      reason_ = "Running";
    } else if (!error_reason.empty()) {
      reason_ = error_reason;
    } else if (running) {
      reason_ = "NotReady";
    }
  }

  const runtime::JsonValue& pod_;
  const runtime::JsonValue& spec_;
  const runtime::JsonValue& status_;
  std::string reason_;
  std::size_t total_ = ListAt(spec_, "containers").Size();
  std::size_t ready_ = 0;
  std::int64_t restarts_ = 0;
  std::int64_t sidecar_restarts_ = 0;
  std::string last_restart_;
  std::string last_sidecar_restart_;
};

}  // namespace

PodSummary Summarize(const runtime::JsonValue& pod) { return PodPrinter(pod).Print(); }

}  // namespace capstan::testing::apiserver
