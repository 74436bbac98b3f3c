// SPDX-License-Identifier: Apache-2.0
#include "clientgo/workqueue/flows.h"

#include <algorithm>
#include <utility>

namespace capstan::workqueue {

Flows::Flows(FlowOf flow_of, std::size_t workers, int share_from_priority)
    : flow_of_(std::move(flow_of)),
      share_(std::max<std::size_t>(1, workers / 3)),
      share_from_priority_(share_from_priority) {}

Flow& Flows::Join(std::string_view item) {
  const auto [entry, added] = flows_.try_emplace(std::string(fair() ? flow_of_(item) : ""));
  Flow& flow = entry->second;
  if (added) {
    flow.name = &entry->first;
  } else if (flow.keys == 0) {
    idle_.erase(flow.idle);
  }
  ++flow.keys;
  return flow;
}

void Flows::Leave(Flow& flow) {
  if (--flow.keys > 0) return;
  flow.idle = idle_.insert(idle_.end(), &flow);
  if (idle_.size() <= kIdleMax) return;
  const std::string forgotten = *idle_.front()->name;
  idle_.pop_front();
  flows_.erase(forgotten);
}

bool Flows::MayStart(const Flow& flow, int priority) const {
  if (!fair()) return true;
  const bool has_share = flow.pace == Flow::Pace::kQuick && priority >= share_from_priority_;
  if (has_share) return flow.processing < share_;
  if (flow.pace == Flow::Pace::kSlow && slow_processing_ >= share_) return false;
  return flow.processing == 0;
}

void Flows::Start(Flow& flow) {
  ++flow.processing;
  if (flow.pace == Flow::Pace::kSlow) ++slow_processing_;
}

void Flows::Finish(Flow& flow, Clock::Duration took) {
  if (flow.pace == Flow::Pace::kSlow) slow_processing_ -= flow.processing;
  --flow.processing;
  flow.pace = took > kSlowAfter ? Flow::Pace::kSlow : Flow::Pace::kQuick;
  if (flow.pace == Flow::Pace::kSlow) slow_processing_ += flow.processing;
}

}  // namespace capstan::workqueue
