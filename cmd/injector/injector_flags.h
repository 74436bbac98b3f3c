// SPDX-License-Identifier: Apache-2.0
// The flags and feature gates that decide what is injected: of capstan-controller-manager, which
// does it, and of capstan, which says what a manager with these flags would do. Each error is one
// line with the flag, the value and what was expected. Pure functions.
#pragma once

#include <string>
#include <string_view>

#include "clientgo/util/error.h"
#include "controllers/cainjector/options.h"
#include "featuregate/feature_gate.h"

namespace cmd::injector {

// The gates of capstan-controller-manager. Every one that is accepted does what it says.
void AddFeatures(featuregate::FeatureGate& gates);

// The values of the flags, by their names.
struct Flags {
  std::string namespaces = {};  // --namespace
  std::string ignore_namespaces = {};
  bool certificates_data_source = true;  // --enable-...
  controllers::cainjector::InjectableKinds kinds = {};
};
clientgo::util::Expected<controllers::cainjector::CaInjectorOptions> OptionsOf(
    const Flags& flags, const featuregate::FeatureGate& gates);

clientgo::util::Expected<void> CheckNamespace(std::string_view flag, std::string_view name);

}  // namespace cmd::injector
