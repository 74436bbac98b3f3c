// SPDX-License-Identifier: Apache-2.0
// ApplyConfigFile reads the YAML configuration file of a component into its flags. Each field
// stands for a flag. The command line takes precedence, for feature gates entry by entry.
//
// The file is decoded strictly, as by Kubernetes' components. An error is one line with the file,
// the line, the field and the expected value. null and {} mean the default. Paths are relative to
// the folder of the file. Its text is never logged. Mirrors k8s.io/apimachinery's strict decoding
// and cert-manager's pkg/util/configfile.
#pragma once

#include <string>
#include <vector>

#include "capstan/error.h"
#include "capstan/export.h"
#include "capstan/flags/flag_set.h"

namespace capstan::flags {

struct CAPSTAN_EXPORT ConfigField {
  std::string path;  // "leaderElectionConfig.enabled"
  std::string flag;  // has the type of the field
};

struct CAPSTAN_EXPORT ConfigSchema {
  std::string api_version;
  std::string kind;
  std::vector<ConfigField> fields;  // without apiVersion and kind
};

// Call it after FlagSet::Parse.
CAPSTAN_EXPORT Expected<void> ApplyConfigFile(const std::string& path, const ConfigSchema& schema,
                                              FlagSet& flags);

}  // namespace capstan::flags
