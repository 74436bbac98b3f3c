// SPDX-License-Identifier: Apache-2.0
#include <string>
#include <utility>

#include "controllers/readinessgate/gates/condition_value.h"
#include "controllers/readinessgate/gates/kinds.h"
#include "controllers/readinessgate/gates/text.h"

namespace controllers::readinessgate {
namespace {

class NodeConditionGate final : public Gate {
 public:
  NodeConditionGate(std::string_view spec, ConditionValue want)
      : Gate(spec), want_(std::move(want)) {}

  std::string_view kind() const override { return "node-condition"; }
  Verdict Evaluate(const GateInput& input) const override {
    const auto node = input.world.OwnNode();
    if (!node) return Verdict::Closed("NodeUnknown", node.error().message);
    if (*node == nullptr) {
      return Verdict::Closed("NodeUnknown", "node not yet observed by informer");
    }
    return Compare("node", (*node)->FindCondition(want_.type), want_);
  }
  void AddNeeds(GateNeeds& needs) const override { needs.node = true; }

 private:
  ConditionValue want_;
};

}  // namespace

MadeGate MakeNodeConditionGate(std::string_view spec, std::string_view value) {
  auto want = ParseConditionValue("node-condition", value);
  if (!want) return tl::unexpected(std::move(want.error()));
  // The API server takes any text for a type; one with a blank is a typing error all the same.
  for (const char c : want->type) {
    if (c > ' ' && c < '\x7f') continue;
    return clientgo::util::Err(clientgo::util::ErrorReason::kInvalidArgument,
                               "node-condition: " + Quote(want->type) +
                                   " is no condition's type: " + Quote({&c, 1}) +
                                   " is not allowed");
  }
  return std::make_unique<NodeConditionGate>(spec, *std::move(want));
}

}  // namespace controllers::readinessgate
