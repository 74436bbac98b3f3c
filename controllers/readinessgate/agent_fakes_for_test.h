// SPDX-License-Identifier: Apache-2.0
// What the tests of this folder share: pods as a cache holds them, and a recorder of Events.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "clientgo/api/decode_testing.h"
#include "clientgo/api/pod.h"
#include "clientgo/record/event_recorder.h"
#include "clientgo/util/mutex.h"
#include "controllers/readinessgate/gates/protocol.h"

namespace controllers::readinessgate {

inline constexpr char kUid[] = "0f1e2d3c-0000-4000-8000-000000000001";

// Pod "ns/n" in JSON; `annotations` and `more` are members, `more` of the pod.
struct CachedPod {
  std::string version = "7";
  std::string annotations = {};  // R"("a":"b")"
  std::string conditions = {};   // elements
  std::string uid = kUid;
  std::string metadata = {};  // R"(,"deletionTimestamp":"2026-01-02T00:00:00Z")"
};

inline std::shared_ptr<const clientgo::api::Pod> MakeCachedPod(const CachedPod& pod) {
  static const auto type =
      clientgo::api::MakePodType({.annotations = {std::string(kReadyKey), std::string(kStatusKey),
                                                  std::string(kGateSetKey), "x"},
                                  .labels = {}});
  return clientgo::api::MustDecode<clientgo::api::Pod>(
      type, R"({"kind":"Pod","metadata":{"namespace":"ns","name":"n","resourceVersion":")" +
                pod.version + R"(","uid":")" + pod.uid + R"(","annotations":{)" + pod.annotations +
                "}" + pod.metadata + R"(},"status":{"conditions":[)" + pod.conditions + "]}}");
}

// "Warning GatesPending Pod/n: <message>" for each Event.
class EventLog final : public clientgo::record::EventRecorder {
 public:
  void Event(const clientgo::record::ObjectReference& object, std::string_view type,
             std::string_view reason, std::string_view message) override {
    clientgo::util::MutexLock lock(mu_);
    events_.push_back(std::string(type) + " " + std::string(reason) + " " + object.kind + "/" +
                      object.name + ": " + std::string(message));
  }
  std::vector<std::string> events() const {
    clientgo::util::MutexLock lock(mu_);
    return events_;
  }

 private:
  mutable clientgo::util::Mutex mu_;
  std::vector<std::string> events_ GUARDED_BY(mu_);
};

}  // namespace controllers::readinessgate
