// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string>

#include "controllers/readinessgate/gates/ip_family.h"
#include "controllers/readinessgate/gates/kinds.h"
#include "controllers/readinessgate/gates/text.h"

namespace controllers::readinessgate {
namespace {

class PodIpGate final : public Gate {
 public:
  PodIpGate(std::string_view spec, IpFamily family) : Gate(spec), family_(family) {}

  std::string_view kind() const override { return "pod-ip"; }
  Verdict Evaluate(const GateInput& input) const override {
    const auto& ips = input.pod.pod_ips();
    const bool found = std::any_of(
        ips.begin(), ips.end(), [this](const std::string& ip) { return IsAddressOf(family_, ip); });
    if (found) return Verdict::Open();
    return Verdict::Closed("NoAddress",
                           "pod has no " + std::string(ToString(family_)) + " address yet");
  }
  void AddNeeds(GateNeeds& /*needs*/) const override {}

 private:
  IpFamily family_;
};

}  // namespace

MadeGate MakePodIpGate(std::string_view spec, std::string_view value) {
  const auto family = ParseIpFamily(value);
  if (!family) {
    return clientgo::util::Err(
        clientgo::util::ErrorReason::kInvalidArgument,
        "pod-ip: unsupported family " + Quote(value) + "; use any, ipv4, or ipv6");
  }
  return std::make_unique<PodIpGate>(spec, *family);
}

}  // namespace controllers::readinessgate
