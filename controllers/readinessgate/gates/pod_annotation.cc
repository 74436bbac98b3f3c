// SPDX-License-Identifier: Apache-2.0
#include <string>

#include "controllers/readinessgate/gates/kinds.h"
#include "controllers/readinessgate/gates/protocol.h"
#include "controllers/readinessgate/gates/text.h"

namespace controllers::readinessgate {
namespace {

class PodAnnotationGate final : public Gate {
 public:
  PodAnnotationGate(std::string_view spec, std::string_view key) : Gate(spec), key_(key) {}

  std::string_view kind() const override { return "pod-annotation"; }
  // Any value opens: csi-driver does not look at it either.
  Verdict Evaluate(const GateInput& input) const override {
    if (!input.pod.Annotation(key_).value_or("").empty()) return Verdict::Open();
    return Verdict::Closed("AnnotationAbsent", "pod does not yet have annotation " + Quote(key_) +
                                                   " with a non-empty value");
  }
  void AddNeeds(GateNeeds& needs) const override { needs.annotations.insert(key_); }

 private:
  std::string key_;
};

}  // namespace

MadeGate MakePodAnnotationGate(std::string_view spec, std::string_view value) {
  const auto refuse = [&](const std::string& why) {
    return clientgo::util::Err(clientgo::util::ErrorReason::kInvalidArgument,
                               "pod-annotation: " + Quote(value) + " would never open: " + why);
  };
  if (value.find('=') != std::string_view::npos) {
    return refuse(
        "an annotation's key has no '=', and any non-empty value opens; for a value use "
        "pod-label:<key>=<value>");
  }
  if (const std::string why = WhyNotAnnotationKey(value); !why.empty()) {
    return refuse("it is no annotation's key: " + why);
  }
  if (value.starts_with(kDomain) && value.substr(kDomain.size()).starts_with('/')) {
    return refuse("the keys of " + std::string(kDomain) + " are this program's own");
  }
  return std::make_unique<PodAnnotationGate>(spec, value);
}

}  // namespace controllers::readinessgate
