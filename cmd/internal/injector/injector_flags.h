// SPDX-License-Identifier: Apache-2.0
// The flags and feature gates of CA injection, for capstan-controller-manager and for capstan,
// which shows what a manager with these flags would do. Errors are one line with the flag, the
// value and the expected value.
#pragma once

#include <string>
#include <string_view>

#include "clientgo/util/error.h"
#include "controllers/cainjector/options.h"
#include "featuregate/feature_gate.h"

namespace cmd::injector {

// Adds the feature gates of capstan-controller-manager.
void AddFeatures(featuregate::FeatureGate& gates);

// Flags are the values of the flags.
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
