// SPDX-License-Identifier: Apache-2.0
// ApplyConfigFile: a component's YAML configuration file as another way to give its flags. Each
// field stands for a flag; what the command line gave wins, entry by entry for feature gates.
//
// Strict, as Kubernetes' own components are: an unknown or repeated field, a value of the wrong
// type or another version is one line that names the file, the line, the field and what was meant.
// null and {} mean the default. Paths are relative to the file's folder. The file's text is never
// logged. Mirrors k8s.io/apimachinery's strict decoding and cert-manager's pkg/util/configfile.
#pragma once

#include <string>
#include <vector>

#include "clientgo/util/error.h"
#include "cmd/flags/flag_set.h"

namespace cmd::flags {

struct ConfigField {
  std::string path;  // "leaderElectionConfig.enabled"
  std::string flag;  // which also says its type
};

struct ConfigSchema {
  std::string api_version;
  std::string kind;
  std::vector<ConfigField> fields;  // apiVersion and kind aside
};

// After FlagSet::Parse.
clientgo::util::Expected<void> ApplyConfigFile(const std::string& path, const ConfigSchema& schema,
                                               FlagSet& flags);

}  // namespace cmd::flags
