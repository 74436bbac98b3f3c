// SPDX-License-Identifier: Apache-2.0
// ParseAdditionalTargets reads --additional-targets, the JSON of additionalTargets in the
// configuration file: [{"group","version","kind","resource","namespaced","fields","encoding"}].
#pragma once

#include <string>
#include <vector>

#include "capstan/error.h"
#include "controllers/cainjector/targets/field_target.h"

namespace capstan::cmd::injector {

// Returns no targets for an empty text. The error, kInvalidArgument, is one line with the index and
// the member: "additionalTargets[0].fields[1]: ...".
Expected<std::vector<cainjector::FieldTargetPtr>> ParseAdditionalTargets(const std::string& json);

}  // namespace capstan::cmd::injector
