// SPDX-License-Identifier: Apache-2.0
#include <optional>
#include <string>
#include <utility>

#include "controllers/readinessgate/gates/kinds.h"
#include "controllers/readinessgate/gates/text.h"

namespace controllers::readinessgate {
namespace {

class PodLabelGate final : public Gate {
 public:
  // `want` nullopt: any value, the empty one too.
  PodLabelGate(std::string_view spec, std::string_view key, std::optional<std::string> want)
      : Gate(spec), key_(key), want_(std::move(want)) {}

  std::string_view kind() const override { return "pod-label"; }
  Verdict Evaluate(const GateInput& input) const override {
    const auto found = input.pod.Label(key_);
    if (!found) {
      return Verdict::Closed("LabelAbsent", "pod does not yet have label " + Quote(key_));
    }
    if (!want_ || *found == *want_) return Verdict::Open();
    return Verdict::Closed("LabelDiffers", "pod label " + Quote(key_) + " is " + Quote(*found) +
                                               ", want " + Quote(*want_));
  }
  void AddNeeds(GateNeeds& needs) const override { needs.labels.insert(key_); }

 private:
  std::string key_;
  std::optional<std::string> want_;
};

}  // namespace

MadeGate MakePodLabelGate(std::string_view spec, std::string_view value) {
  const auto refuse = [](std::string why) {
    return clientgo::util::Err(clientgo::util::ErrorReason::kInvalidArgument,
                               "pod-label: " + std::move(why));
  };
  const auto [key, want] = Cut(value, '=');
  if (const std::string why = WhyNotLabelKey(key); !why.empty()) {
    return refuse(Quote(key) + " is no label's key: " + why);
  }
  if (const std::string why = WhyNotLabelValue(want); !why.empty()) {
    return refuse(Quote(want) + " is no label's value: " + why);
  }
  std::optional<std::string> wanted;
  if (key.size() != value.size()) wanted = std::string(want);
  return std::make_unique<PodLabelGate>(spec, key, std::move(wanted));
}

}  // namespace controllers::readinessgate
