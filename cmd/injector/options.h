// SPDX-License-Identifier: Apache-2.0
// The flags and feature gates of CA injection, for capstan-controller-manager and for capstan,
// which shows what a manager with these flags would do. Errors are one line with the flag, the
// value and the expected value.
#pragma once

#include <string_view>
#include <vector>

#include "capstan/error.h"
#include "capstan/featuregate/feature_gate.h"
#include "capstan/flags/flag_set.h"
#include "controllers/cainjector/options.h"

namespace capstan::cmd::injector {

// Adds the feature gates of capstan-controller-manager.
void AddFeatures(featuregate::FeatureGate& gates);

// Return --namespace, --ignore-namespaces and --shared-source-namespaces; --enable-*,
// --additional-targets and --distrust; one of these; --system-ca-file. The flags set `options`.
std::vector<flags::Flag> NamespaceFlags(cainjector::CaInjectorOptions& options);
std::vector<flags::Flag> EnableFlags(cainjector::CaInjectorOptions& options);
flags::Flag AdditionalTargetsFlag(cainjector::CaInjectorOptions& options);
flags::Flag SystemCaFlag(cainjector::CaInjectorOptions& options);
// Sets what the gates select, and checks the flags together, after FlagSet::Check.
Expected<void> Finish(const featuregate::FeatureGate& gates,
                      cainjector::CaInjectorOptions& options);

Expected<void> CheckNamespace(std::string_view flag, std::string_view name);

}  // namespace capstan::cmd::injector
