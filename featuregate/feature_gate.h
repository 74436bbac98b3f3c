// SPDX-License-Identifier: Apache-2.0
// FeatureGate: named switches with a maturity stage, set by --feature-gates and KUBE_FEATURE_*.
// Texts, parsing and precedence (flag, then environment, then default) are component-base's.
// Read only in cmd/: gates become plain options there, so no library asks a global.
// Mirrors k8s.io/component-base/featuregate. Not thread-safe: set up before threads start.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "clientgo/util/error.h"

namespace featuregate {

enum class Stage { kAlpha, kBeta, kGa, kDeprecated };
std::string_view ToString(Stage stage);  // "ALPHA", "BETA", "" (GA), "DEPRECATED"

struct FeatureSpec {
  bool default_value = false;
  Stage stage = Stage::kAlpha;
  bool lock_to_default = false;
};

class FeatureGate {
 public:
  // `environment` looks a variable up; default: the process's.
  explicit FeatureGate(
      std::function<std::optional<std::string>(const std::string&)> environment = {});

  // Before the first Set. A programmer's error (unknown stage change, double name) is fatal.
  void Add(const std::map<std::string, FeatureSpec>& features);
  // "A=true,B=false"; may be called again, values accumulate. On error nothing is changed.
  clientgo::util::Expected<void> Set(std::string_view value);
  bool Enabled(std::string_view name) const;  // fatal for a name never added
  // Lines "Name=true|false (BETA - default=true)", sorted; GA and deprecated ones are hidden.
  std::vector<std::string> KnownFeatures() const;
  // Every gate with its stage and value, for kubernetes_feature_enabled.
  struct State {
    std::string name;
    Stage stage;
    bool enabled;
  };
  std::vector<State> States() const;
  // Lines to log once at start: "Setting deprecated feature gate ...". Environment values that could
  // not be used are told here too.
  std::vector<std::string> Warnings() const;

 private:
  struct Entry {
    FeatureSpec spec;
    std::optional<bool> explicit_value;
  };
  std::map<std::string, Entry, std::less<>> features_;
  std::function<std::optional<std::string>(const std::string&)> environment_;
  std::vector<std::string> warnings_;
};

}  // namespace featuregate
