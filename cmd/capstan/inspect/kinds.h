// SPDX-License-Identifier: Apache-2.0
// The kinds that CA bundles are injected into, by the names that kubectl takes for them. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "clientgo/util/error.h"
#include "controllers/cainjector/targets/target.h"

namespace cmd::capstan::inspect {

// In the order in which they are shown.
const std::vector<const controllers::cainjector::Target*>& AllTargets();

// Kind, plural, singular in any case, with the group or without, or kubectl's short name ("crd").
// kInvalidArgument names the input and what would do.
clientgo::util::Expected<const controllers::cainjector::Target*> ParseKind(std::string_view text);

// "validatingwebhookconfiguration", "crd": as a kubectl command has it.
std::string KubectlName(const controllers::cainjector::Target& target);

}  // namespace cmd::capstan::inspect
