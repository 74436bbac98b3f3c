// SPDX-License-Identifier: Apache-2.0
// The kinds of targets, and kubectl's names for them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "capstan/error.h"
#include "controllers/cainjector/options.h"
#include "controllers/cainjector/targets/target.h"

namespace capstan::cmd::cli::inspect {

// Returns all kinds in display order: also those that `kinds` disables, and its additional ones.
std::vector<const cainjector::Target*> AllTargets(const cainjector::InjectableKinds& kinds = {});

// Accepts kind, plural and singular in any case, with or without the group, and kubectl's short
// name ("crd"). kInvalidArgument names the input and the accepted names.
Expected<const cainjector::Target*> ParseKind(std::string_view text,
                                              const cainjector::InjectableKinds& kinds = {});

// Returns the name for kubectl commands: "validatingwebhookconfiguration", "crd",
// "issuers.cert-manager.io".
std::string KubectlName(const cainjector::Target& target);

}  // namespace capstan::cmd::cli::inspect
