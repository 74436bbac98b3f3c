// SPDX-License-Identifier: Apache-2.0
#include <string>
#include <utility>

#include "controllers/readinessgate/gates/condition_value.h"
#include "controllers/readinessgate/gates/kinds.h"
#include "controllers/readinessgate/gates/protocol.h"
#include "controllers/readinessgate/gates/text.h"

namespace controllers::readinessgate {
namespace {

class PodConditionGate final : public Gate {
 public:
  PodConditionGate(std::string_view spec, ConditionValue want)
      : Gate(spec), want_(std::move(want)) {}

  std::string_view kind() const override { return "pod-condition"; }
  Verdict Evaluate(const GateInput& input) const override {
    return Compare("pod", input.pod.FindCondition(want_.type), want_);
  }
  void AddNeeds(GateNeeds& /*needs*/) const override {}
  std::string Warning() const override {
    if (want_.type != "Ready" && want_.type != "ContainersReady") return {};
    return "a pod whose containers need the certificate to become ready never opens this gate";
  }

 private:
  ConditionValue want_;
};

}  // namespace

MadeGate MakePodConditionGate(std::string_view spec, std::string_view value) {
  auto want = ParseConditionValue("pod-condition", value);
  if (!want) return tl::unexpected(std::move(want.error()));
  const auto refuse = [&](const std::string& why) {
    return clientgo::util::Err(
        clientgo::util::ErrorReason::kInvalidArgument,
        "pod-condition: no pod can ever have condition " + Quote(want->type) + ": " + why);
  };
  // The API server takes no other type in a pod's status.
  if (const std::string why = WhyNotLabelKey(want->type); !why.empty()) return refuse(why);
  if (want->type == kCertGatesCondition) return refuse("this gate would wait for itself");
  return std::make_unique<PodConditionGate>(spec, *std::move(want));
}

}  // namespace controllers::readinessgate
