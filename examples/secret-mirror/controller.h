// SPDX-License-Identifier: Apache-2.0
// The controller of mirrored Secrets. A Secret with the label example.com/mirror-group is a source:
// each namespace with the same value of that label gets a copy with the same name.
//  - A copy follows its source, and is repaired when somebody changes it.
//  - A copy is deleted when its source or one of the two labels is removed, also if the controller
//    does not run at that time.
//  - A Secret that is not a copy of this source is never changed. An Event about the source reports
//    it, and the controller tries again after Settings::retry.
//  - A namespace whose copy cannot be written or deleted does not keep the others from theirs.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "capstan/builder.h"
#include "capstan/cache/informer_factory.h"
#include "capstan/manager.h"

struct Settings {
  // The namespaces whose Secrets may be sources. Empty: all.
  std::vector<std::string> source_namespaces = {};
  std::chrono::nanoseconds retry = std::chrono::minutes(1);
};

// Returns the options of the Manager's caches: only objects with our labels are in them, and
// sources of Settings::source_namespaces only.
capstan::cache::FactoryOptions CacheOptions(const Settings& settings);

// Adds the controller to the manager, whose caches have the CacheOptions of these settings.
capstan::Expected<capstan::Controller*> AddSecretMirror(capstan::Manager& manager,
                                                        Settings settings);
