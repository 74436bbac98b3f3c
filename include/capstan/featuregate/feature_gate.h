// SPDX-License-Identifier: Apache-2.0
// FeatureGate is a set of named switches with a maturity stage, set by --feature-gates and
// KUBE_FEATURE_*. Texts, parsing and precedence (flag, then environment, then default) are
// component-base's. Only cmd/ reads it and turns gates into plain options, so libraries need no
// global.
//
// Mirrors k8s.io/component-base/featuregate. Differs: there are no versioned specs and no emulated
// version, because a program has one version, and so no PreAlpha stage. A failed Set changes
// nothing. KUBE_FEATURE_* and the flag work together, where upstream supports only one of them.
// AllAlpha and AllBeta do not change locked gates. Not thread-safe: set it up before threads start.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "capstan/error.h"
#include "capstan/export.h"

namespace capstan::featuregate {

enum class Stage { kAlpha, kBeta, kGa, kDeprecated };
CAPSTAN_EXPORT std::string_view ToString(Stage stage);  // "ALPHA", "BETA", "" (GA), "DEPRECATED"

struct CAPSTAN_EXPORT FeatureSpec {
  bool default_value = false;
  Stage stage = Stage::kAlpha;
  bool lock_to_default = false;
};

class CAPSTAN_EXPORT FeatureGate {
 public:
  // `environment` looks up a variable, by default the process's.
  explicit FeatureGate(
      std::function<std::optional<std::string>(const std::string&)> environment = {});

  // Call it before the first Set or Enabled. A duplicate name is fatal.
  void Add(const std::map<std::string, FeatureSpec>& features);
  // Parses "A=true,B=false". Values of several calls accumulate. An error changes nothing.
  Expected<void> Set(std::string_view value);
  bool Enabled(std::string_view name) const;  // fatal for an unknown name
  // Returns sorted lines "Name=true|false (BETA - default=true)", without GA and deprecated gates.
  std::vector<std::string> KnownFeatures() const;
  // Returns the text of --feature-gates in --help, with KnownFeatures.
  std::string Help() const;
  struct State {
    std::string name;
    Stage stage;
    bool enabled;
  };
  // Returns every gate, for kubernetes_feature_enabled.
  std::vector<State> States() const;
  // Returns lines to log once at start: "Setting deprecated feature gate ...", and unusable values
  // of the environment.
  std::vector<std::string> Warnings() const;

 private:
  struct Entry {
    FeatureSpec spec;
    std::optional<bool> explicit_value;  // by Set, for the gate or its stage
    std::optional<bool> environment_value;
  };
  using Entries = std::map<std::string, Entry, std::less<>>;

  static bool Value(const Entry& entry);
  // Reads the environment once, at the first use, so that tests can set it late.
  void ReadEnvironment() const;
  void Warn(std::string line) const;

  mutable Entries features_;
  std::function<std::optional<std::string>(const std::string&)> environment_;
  mutable bool closed_ = false;  // Add is no longer allowed, because values were set or read
  mutable bool environment_read_ = false;
  mutable std::vector<std::string> warnings_;
};

}  // namespace capstan::featuregate
