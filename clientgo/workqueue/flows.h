// SPDX-License-Identifier: Apache-2.0
// Flows share the workers of a queue among groups of keys, such as namespaces, so that slow work on
// one group does not delay the others. A third of the workers, at least one, is a share:
//
//   flow     its last key took           at most
//   quick    kSlowAfter or less          a share for each flow
//   new      there was none              one worker for each flow
//   slow     longer                      one worker for each flow, and a share for all slow flows
//
// So one flow that becomes slow holds a share, and flows that stay slow hold a share together. A
// key with a lower priority than `share_from_priority` waits while a worker has another key of its
// flow. The pace of kIdleMax flows without keys is remembered. Not thread-safe.
#pragma once

#include <cstddef>
#include <functional>
#include <list>
#include <string>
#include <string_view>
#include <unordered_map>

#include "capstan/clock.h"

namespace capstan::workqueue {

struct Flow {
  enum class Pace { kNew, kQuick, kSlow };
  Pace pace = Pace::kNew;
  std::size_t keys = 0;        // in the queue or with a worker
  std::size_t processing = 0;  // with a worker
  const std::string* name = nullptr;
  std::list<Flow*>::iterator idle = {};  // of a flow without keys
};

class Flows {
 public:
  static constexpr std::chrono::seconds kSlowAfter{1};
  static constexpr std::size_t kIdleMax = 256;
  using FlowOf = std::function<std::string_view(std::string_view item)>;

  // Without `flow_of` all keys are one flow, which may have every worker.
  Flows(FlowOf flow_of, std::size_t workers, int share_from_priority);

  bool fair() const { return flow_of_ != nullptr; }
  // Returns the flow of a new key. It stays until the Leave of its last key.
  Flow& Join(std::string_view item);
  void Leave(Flow& flow);
  // Reports whether a worker may now take a key that has this flow and this priority.
  bool MayStart(const Flow& flow, int priority) const;
  void Start(Flow& flow);
  void Finish(Flow& flow, Clock::Duration took);

 private:
  const FlowOf flow_of_;
  const std::size_t share_;
  const int share_from_priority_;
  std::unordered_map<std::string, Flow> flows_;  // its nodes do not move
  std::list<Flow*> idle_;                        // the longest idle first
  std::size_t slow_processing_ = 0;
};

}  // namespace capstan::workqueue
