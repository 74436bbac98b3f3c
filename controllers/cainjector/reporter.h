// SPDX-License-Identifier: Apache-2.0
// Reporter: tells people how it went with a target: an Event on it, a log line, and metrics. A
// failure that stays the same is told once, however often it is looked at again; the count goes up
// every time. Thread-safe. No upstream: cainjector writes no Events.
#pragma once

#include <string>
#include <string_view>

#include "clientgo/record/event_recorder.h"
#include "clientgo/runtime/object.h"
#include "clientgo/runtime/resource_type.h"
#include "clientgo/util/clock.h"
#include "controllers/cainjector/outcomes.h"
#include "controllers/cainjector/rules/bundle.h"
#include "controllers/cainjector/rules/reason.h"
#include "controllers/cainjector/target_metrics.h"

namespace controllers::cainjector {

class Reporter {
 public:
  // Of targets of `type`. All outlive the reporter.
  Reporter(const clientgo::runtime::ResourceType& type, clientgo::record::EventRecorder& events,
           TargetMetrics& metrics, Outcomes& outcomes, clientgo::util::Clock& clock);

  void Injected(const clientgo::runtime::Object& target, std::string_view source_kind,
                std::string_view message);
  void Unchanged(const clientgo::runtime::Object& target, std::string_view source_kind);
  void Failed(const clientgo::runtime::Object& target, std::string_view source_kind,
              const Failure& failure);
  // What the target holds expires then; CertificateTime::max(): it holds no certificate.
  void Expires(std::string_view key, const BundleExpiry& expiry);
  // The target asks for no injection, or no more.
  void NotAsked(std::string_view key);
  void Gone(std::string_view key);

 private:
  void Count(std::string_view source_kind, Reason reason);
  void Event(const clientgo::runtime::Object& target, Reason reason, std::string_view message);
  void InSync(std::string_view key, bool in_sync);
  // False: it was told before.
  bool Note(std::string_view key, Reason reason, std::string_view message = {});

  const clientgo::runtime::ResourceType& type_;
  clientgo::record::EventRecorder& events_;
  TargetMetrics& metrics_;
  Outcomes& outcomes_;
  clientgo::util::Clock& clock_;
};

}  // namespace controllers::cainjector
