// SPDX-License-Identifier: Apache-2.0
#include "capstan/testing/apiserver/internal/pod_printer.h"

#include <algorithm>
#include <cstdint>
#include <string_view>

#include "capstan/testing/apiserver/internal/human_duration.h"

namespace capstan::testing::apiserver {
namespace {

std::int64_t IntegerAt(const JsonValue& object, std::string_view key) {
  const JsonValue* const value = Find(object, key);
  return value != nullptr && value->IsInt64() ? value->GetInt64() : 0;
}

bool IsTrueAt(const JsonValue& object, std::string_view key) {
  const JsonValue* const value = Find(object, key);
  return value != nullptr && value->IsTrue();
}

bool HasCondition(const JsonValue& status, std::string_view type) {
  const auto conditions = ListAt(status, "conditions").GetArray();
  return std::any_of(conditions.begin(), conditions.end(), [&](const JsonValue& condition) {
    return condition.IsObject() && GetString(condition, "type") == type &&
           GetString(condition, "status") == "True";
  });
}

// Returns "Completed", "ExitCode:1" or "Signal:9".
std::string TerminatedReason(const JsonValue& terminated) {
  std::string reason(GetString(terminated, "reason"));
  if (!reason.empty()) return reason;
  const std::int64_t signal = IntegerAt(terminated, "signal");
  if (signal != 0) return "Signal:" + std::to_string(signal);
  return "ExitCode:" + std::to_string(IntegerAt(terminated, "exitCode"));
}

// A sidecar is an init container that keeps running.
bool IsSidecar(const JsonValue& pod, std::string_view name) {
  const auto containers = ListAt(ObjectAt(pod, "spec"), "initContainers").GetArray();
  return std::any_of(containers.begin(), containers.end(), [&](const JsonValue& container) {
    return container.IsObject() && GetString(container, "name") == name &&
           GetString(container, "restartPolicy") == "Always";
  });
}

// PodPrinter collects the summary in the order of upstream's function.
class PodPrinter {
 public:
  explicit PodPrinter(const JsonValue& pod)
      : pod_(pod), spec_(ObjectAt(pod, "spec")), status_(ObjectAt(pod, "status")) {}

  PodSummary Print() {
    reason_ = GetString(status_, "reason");
    if (reason_.empty()) reason_ = GetString(status_, "phase");
    for (const JsonValue& condition : ListAt(status_, "conditions").GetArray()) {
      if (condition.IsObject() && GetString(condition, "type") == "PodScheduled" &&
          GetString(condition, "reason") == "SchedulingGated") {
        reason_ = "SchedulingGated";
      }
    }
    const bool initializing = AddInitContainers();
    if (!initializing || HasCondition(status_, "Initialized")) AddContainers();
    if (!Metadata(pod_, "deletionTimestamp").empty()) {
      const std::string_view phase = GetString(status_, "phase");
      if (GetString(status_, "reason") == "NodeLost") {
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
  void AddRestarts(const JsonValue& container, std::int64_t& restarts, std::string& last) {
    restarts += IntegerAt(container, "restartCount");
    const JsonValue& terminated = ObjectAt(ObjectAt(container, "lastState"), "terminated");
    last = std::max(last, std::string(GetString(terminated, "finishedAt")));
  }

  // Returns whether an init container still runs or has failed.
  bool AddInitContainers() {
    for (const JsonValue& container : ListAt(spec_, "initContainers").GetArray()) {
      if (container.IsObject() && GetString(container, "restartPolicy") == "Always") ++total_;
    }
    std::int64_t index = 0;
    for (const JsonValue& container : ListAt(status_, "initContainerStatuses").GetArray()) {
      if (!container.IsObject()) continue;
      AddRestarts(container, restarts_, last_restart_);
      const bool sidecar = IsSidecar(pod_, GetString(container, "name"));
      if (sidecar) AddRestarts(container, sidecar_restarts_, last_sidecar_restart_);
      if (!AddInitContainer(container, sidecar, index++)) return true;
    }
    return false;
  }

  // Returns false if the container is not finished.
  bool AddInitContainer(const JsonValue& container, bool sidecar, std::int64_t index) {
    const JsonValue& state = ObjectAt(container, "state");
    const JsonValue* const terminated = Find(state, "terminated");
    if (terminated != nullptr && IntegerAt(*terminated, "exitCode") == 0) return true;
    if (sidecar && IsTrueAt(container, "started")) {
      if (IsTrueAt(container, "ready")) ++ready_;
      return true;
    }
    const std::string waiting(GetString(ObjectAt(state, "waiting"), "reason"));
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
    const JsonValue& containers = ListAt(status_, "containerStatuses");
    for (rapidjson::SizeType i = containers.Size(); i-- > 0;) {
      const JsonValue& container = containers[i];
      if (!container.IsObject()) continue;
      AddRestarts(container, restarts_, last_restart_);
      const JsonValue& state = ObjectAt(container, "state");
      const std::string_view waiting = GetString(ObjectAt(state, "waiting"), "reason");
      if (!waiting.empty()) {
        reason_ = waiting;
      } else if (const JsonValue* const terminated = Find(state, "terminated")) {
        reason_ = TerminatedReason(*terminated);
        if (IntegerAt(*terminated, "exitCode") != 0) error_reason = reason_;
      } else if (IsTrueAt(container, "ready") && Find(state, "running") != nullptr) {
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

  const JsonValue& pod_;
  const JsonValue& spec_;
  const JsonValue& status_;
  std::string reason_;
  std::size_t total_ = ListAt(spec_, "containers").Size();
  std::size_t ready_ = 0;
  std::int64_t restarts_ = 0;
  std::int64_t sidecar_restarts_ = 0;
  std::string last_restart_;
  std::string last_sidecar_restart_;
};

}  // namespace

PodSummary Summarize(const JsonValue& pod) { return PodPrinter(pod).Print(); }

}  // namespace capstan::testing::apiserver
