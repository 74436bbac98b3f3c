// SPDX-License-Identifier: Apache-2.0
// The controller of Memcacheds. For each one it keeps a Deployment of memcached, and restarts its
// pods when the data of the ConfigMap in spec.configMapName change. Before a Memcached is deleted,
// it deletes the ConfigMap NAME-state that it has created. A Deployment or a ConfigMap of others
// with such a name is neither changed nor deleted; the status or an Event reports it.
#pragma once

#include <string>

#include "capstan/builder.h"
#include "capstan/manager.h"
#include "capstan/metrics/metrics.h"

struct Settings {
  std::string image_registry;  // the prefix of every image: "registry.example.com/"
};

inline constexpr char kFinalizer[] = "cache.example.com/finalizer";
// A hash of the data of the ConfigMap, in the template of the pods.
inline constexpr char kConfigHash[] = "cache.example.com/config-hash";

// Adds the controller to the manager. `metrics` outlives the manager.
capstan::Expected<void> AddMemcachedController(capstan::Manager& manager,
                                               capstan::metrics::Metrics& metrics,
                                               Settings settings);
