// SPDX-License-Identifier: Apache-2.0
// Tests --feature-gates on any bytes. A rejected value changes nothing. An accepted value changes
// nothing more when it is set again. A locked gate keeps its default.
#include <glog/logging.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "capstan/featuregate/feature_gate.h"

namespace {

using capstan::featuregate::FeatureGate;
using capstan::featuregate::Stage;

std::string States(const FeatureGate& gate) {
  std::string text;
  for (const FeatureGate::State& state : gate.States()) {
    text += state.name + (state.enabled ? "=true," : "=false,");
  }
  return text;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string value(reinterpret_cast<const char*>(data), size);
  // The environment has the same value. An invalid value is only a warning there.
  FeatureGate gate([&](const std::string& name) -> std::optional<std::string> {
    if (name.ends_with("Alpha")) return value;
    return std::nullopt;
  });
  gate.Add({{"Alpha", {.stage = Stage::kAlpha}},
            {"Beta", {.default_value = true, .stage = Stage::kBeta}},
            {"Ga", {.default_value = true, .stage = Stage::kGa}},
            {"Locked", {.default_value = true, .stage = Stage::kGa, .lock_to_default = true}},
            {"Deprecated", {.stage = Stage::kDeprecated}}});

  const std::string before = States(gate);
  const auto set = gate.Set(value);
  const std::string after = States(gate);
  if (set) {
    CHECK(gate.Set(value).has_value());
    CHECK_EQ(States(gate), after);
  } else {
    CHECK(!set.error().message.empty());
    CHECK_EQ(after, before);
  }
  CHECK(gate.Enabled("Locked"));
  gate.Warnings();
  return 0;
}
