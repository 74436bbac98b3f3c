// SPDX-License-Identifier: Apache-2.0
// ParseManifests reads the objects of a manifest, as `kubectl apply` does.
// Mirrors the visitors of k8s.io/cli-runtime/pkg/resource and YAMLToJSON of apimachinery.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "capstan/error.h"
#include "capstan/export.h"

namespace capstan::clientcmd {

struct CAPSTAN_EXPORT Manifest {
  std::string json = {};
  std::string where = {};  // "deploy.yaml:12": where the object begins
};

// Returns the objects of `text`, which is YAML or JSON, in its order: each document, and instead of
// a List its items. Documents without content are left out. `name` is the file's name for messages.
// kInvalidArgument: the text is not YAML, or one object has more than 64 levels or 8 MiB of JSON.
// The message has the name and the line; it does not repeat the text.
CAPSTAN_EXPORT Expected<std::vector<Manifest>> ParseManifests(std::string_view text,
                                                              const std::string& name);

}  // namespace capstan::clientcmd
