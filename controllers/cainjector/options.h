// SPDX-License-Identifier: Apache-2.0
// CaInjectorOptions: what of CA injection can be chosen. Plain data; flags and feature gates become
// this in cmd.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <vector>

#include "clientgo/util/clock.h"
#include "controllers/runtime/controller.h"

namespace controllers::cainjector {

// The kinds that are watched and injected into.
struct InjectableKinds {
  bool validating_webhook_configurations = true;
  bool mutating_webhook_configurations = true;
  bool custom_resource_definitions = true;
  bool api_services = true;
};

// Our entry in a target's managedFields: kept, as a server-side apply leaves it, or dropped after
// each write, so that others may remove what holds the bundle.
enum class FieldOwnership { kKeep, kDetach };

// Of which Secrets the metadata is held and watched. What is not is looked up by a call when a
// target needs it.
enum class SecretCaching {
  kAll,         // every Secret in `namespaces`
  kLabelled,    // those with kCachedSecrets (gate SecretsFilteredCaching)
  kReferenced,  // those that are referred to, each by a watch of its own (ReferencedSecretsOnly)
};

struct CaInjectorOptions {
  std::vector<std::string> namespaces = {};         // of the sources; empty: all
  std::vector<std::string> ignore_namespaces = {};  // of the sources; not with `namespaces`
  SecretCaching secret_caching = SecretCaching::kAll;
  std::size_t secret_watches_max = 500;  // with kReferenced
  bool certificates = true;              // Certificates are a source
  bool config_maps = true;               // ConfigMaps are (gate ConfigMapSource)
  InjectableKinds kinds = {};
  FieldOwnership field_ownership = FieldOwnership::kKeep;
  bool merge_bundles = true;
  // Writes of one kind in flight at once: a rotation is bound by round trips, not by work.
  int workers_per_kind = 2;
  std::chrono::nanoseconds cache_sync_timeout = std::chrono::minutes(2);
  bool exit_on_cache_sync_timeout = false;
  clientgo::util::Clock& clock = clientgo::util::Clock::Real();
  runtime::ControllerMetrics* controller_metrics = nullptr;
};

}  // namespace controllers::cainjector
