// SPDX-License-Identifier: Apache-2.0
// EventLines records each Event as "Warning GatesPending Pod/n: <message>". Thread-safe.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "capstan/record/event_recorder.h"
#include "clientgo/util/testing/journal.h"

namespace capstan::record {

class EventLines final : public EventRecorder {
 public:
  void Event(const api::ObjectReference& object, std::string_view type, std::string_view reason,
             std::string_view message) override {
    lines_.Write(std::string(type) + " " + std::string(reason) + " " + object.kind + "/" +
                 object.name + ": " + std::string(message));
  }
  std::vector<std::string> events() const { return lines_.lines(); }

 private:
  Journal lines_;
};

}  // namespace capstan::record
