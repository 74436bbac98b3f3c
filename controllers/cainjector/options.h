// SPDX-License-Identifier: Apache-2.0
// CaInjectorOptions is the configuration of CA injection. Plain data; cmd fills it from flags and
// feature gates.
#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "capstan/clock.h"
#include "capstan/controller.h"
#include "controllers/cainjector/rules/distrust.h"
#include "controllers/cainjector/sources/source.h"
#include "controllers/cainjector/targets/field_target.h"

namespace capstan::cainjector {

// InjectableKinds is the kinds of targets. Those that cert-manager's cainjector does not have are
// disabled.
struct InjectableKinds {
  bool validating_webhook_configurations = true;
  bool mutating_webhook_configurations = true;
  bool custom_resource_definitions = true;
  bool api_services = true;
  bool config_maps = false;
  bool cluster_trust_bundles = false;
  std::string trust_bundle_version = "v1";      // see FindClusterTrustBundleVersion
  std::vector<FieldTargetPtr> additional = {};  // all of different kinds
};

// FieldOwnership is what happens to our entry in a target's managedFields. A server-side apply
// leaves it there (kKeep). kDetach drops it after each write, so that others may remove the field
// that holds the bundle.
enum class FieldOwnership { kKeep, kDetach };

// SecretCaching is the Secrets whose metadata is cached and watched. Any other Secret is read by a
// request when a target needs it.
enum class SecretCaching {
  kAll,         // every Secret in `namespaces`
  kLabelled,    // those with cert-manager's label (gate SecretsFilteredCaching)
  kReferenced,  // each one that is referred to, by its own watch (gate ReferencedSecretsOnly)
};

struct CaInjectorOptions {
  // Of the sources, and of targets that are in namespaces; empty: all.
  std::vector<std::string> namespaces = {};
  std::vector<std::string> ignore_namespaces = {};  // not with `namespaces`
  // Whose sources targets of every namespace may use without consent; "*": all.
  std::vector<std::string> shared_source_namespaces = {};
  SecretCaching secret_caching = SecretCaching::kAll;
  std::size_t secret_watches_max = 500;  // with kReferenced
  bool certificates = true;              // Certificates are a source
  bool config_maps = true;               // ConfigMaps are a source (gate ConfigMapSource)
  bool cluster_trust_bundles = false;    // and ClusterTrustBundles (gate ClusterTrustBundleSource)
  std::string system_ca_file = "/etc/ssl/certs/ca-certificates.crt";  // read when it is used
  InjectableKinds kinds = {};
  FieldOwnership field_ownership = FieldOwnership::kKeep;
  bool merge_bundles = true;
  // The time in which the servers of each target are verified once; nullopt: never.
  std::optional<std::chrono::nanoseconds> verify_endpoints = {};
  // A former CA leaves a target when every server was trusted without it for this time; nullopt: it
  // stays until it expires. Needs verify_endpoints.
  std::optional<std::chrono::nanoseconds> retire_unused_cas_after = {};
  Distrust distrust = {};
  // The number of concurrent writes of one kind. Round trips limit a rotation, not CPU time.
  int workers_per_kind = 2;
  std::chrono::nanoseconds cache_sync_timeout = std::chrono::minutes(2);
  bool exit_on_cache_sync_timeout = false;
  Clock& clock = Clock::Real();
  ControllerMetrics* controller_metrics = nullptr;

  NamespaceScope scope() const { return {.namespaces = namespaces, .ignored = ignore_namespaces}; }
};

}  // namespace capstan::cainjector
