// SPDX-License-Identifier: Apache-2.0
// FeatureGate: named switches with a maturity stage, set by --feature-gates and KUBE_FEATURE_*.
// Texts, parsing and precedence (flag, then environment, then default) are component-base's.
// Read only in cmd/: gates become plain options there, so no library asks a global.
//
// Mirrors k8s.io/component-base/featuregate. Differs: no versioned specs and no emulated version (a
// program of ours has one version), hence no PreAlpha stage; a Set that failed leaves nothing
// behind; KUBE_FEATURE_* and the flag work together (upstream it is one or the other); AllAlpha and
// AllBeta leave locked gates alone. Not thread-safe: set up before threads start.
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

  // Before the first Set or Enabled. A name twice is a programmer's error, and fatal.
  void Add(const std::map<std::string, FeatureSpec>& features);
  // "A=true,B=false"; may be called again, values accumulate. On error nothing is changed.
  clientgo::util::Expected<void> Set(std::string_view value);
  bool Enabled(std::string_view name) const;  // fatal for a name never added
  // Lines "Name=true|false (BETA - default=true)", sorted; GA and deprecated ones are hidden.
  std::vector<std::string> KnownFeatures() const;
  // The text of --feature-gates in --help: what it is, and KnownFeatures, a line each.
  std::string Help() const;
  // Every gate with its stage and value, for kubernetes_feature_enabled.
  struct State {
    std::string name;
    Stage stage;
    bool enabled;
  };
  std::vector<State> States() const;
  // Lines to log once at start: "Setting deprecated feature gate ...". Environment values that
  // could not be used are told here too.
  std::vector<std::string> Warnings() const;

 private:
  struct Entry {
    FeatureSpec spec;
    std::optional<bool> explicit_value;  // by Set: of the gate itself, or of its stage
    std::optional<bool> environment_value;
  };
  using Entries = std::map<std::string, Entry, std::less<>>;

  static bool Value(const Entry& entry);
  // The environment is read once, at the first question, so that tests can set it late.
  void ReadEnvironment() const;
  void Warn(std::string line) const;

  mutable Entries features_;
  std::function<std::optional<std::string>(const std::string&)> environment_;
  mutable bool closed_ = false;  // no Add any more: values have been given or read
  mutable bool environment_read_ = false;
  mutable std::vector<std::string> warnings_;
};

}  // namespace featuregate
