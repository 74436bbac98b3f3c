// SPDX-License-Identifier: Apache-2.0
// EventSender: the Events' broadcaster as a Runnable: it has to outlast those who record.
#pragma once

#include <stop_token>
#include <string>

#include "clientgo/record/event_recorder.h"
#include "controllers/runtime/runnable.h"

namespace cmd::program {

class EventSender final : public controllers::runtime::Runnable {
 public:
  // `events` outlives it.
  explicit EventSender(clientgo::record::EventBroadcaster& events) : events_(events) {}
  clientgo::util::Expected<void> Start(std::stop_token stop) override;
  std::string name() const override { return "events"; }

 private:
  clientgo::record::EventBroadcaster& events_;
};

// For the Events' source.host; empty when the system does not tell.
std::string HostName();

}  // namespace cmd::program
