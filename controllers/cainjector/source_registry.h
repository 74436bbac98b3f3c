// SPDX-License-Identifier: Apache-2.0
// SourceRegistry is the sources of CA certificates in order of precedence. The manager reads them
// from caches (WatchedSources), `capstan` reads them from the API server (LiveReaders).
//
// Mirrors the sources in cert-manager's pkg/controller/cainjector/setup.go.
#pragma once

#include <memory>
#include <vector>

#include "capstan/rest/client.h"
#include "controllers/cainjector/options.h"
#include "controllers/cainjector/sources/ca_cert_loader.h"
#include "controllers/cainjector/sources/object_reader.h"
#include "controllers/cainjector/sources/source.h"
#include "controllers/cainjector/sources/trust_bundle_source.h"

namespace capstan::cainjector {

// SourceReaders is where the sources read the objects that targets name.
struct SourceReaders {
  std::unique_ptr<CaCertLoader> secret_loader;
  std::unique_ptr<CaCertLoader> config_map_loader;
  std::unique_ptr<ObjectReader> secrets;       // of SecretMetadataType()
  std::unique_ptr<ObjectReader> certificates;  // of Certificate
  std::unique_ptr<ObjectReader> config_maps;   // of ConfigMapMetadataType()
  std::unique_ptr<Source> api_server;
  std::unique_ptr<TrustBundleReader> trust_bundles;
  std::unique_ptr<Source> system;
};

// Returns readers that send a request for each read, for a program that runs once.
//
// They do not know the limits of the process that injects: its RBAC and its flags. An object that
// the user may not read is Forbidden. The CA of the API server is that of pods, as in a manager in
// the cluster. `client` outlives them. For one thread. Has no upstream.
SourceReaders LiveReaders(rest::Client& client, const CaInjectorOptions& options);

class SourceRegistry {
 public:
  SourceRegistry(SourceReaders readers, const CaInjectorOptions& options);

  // In order of precedence.
  const std::vector<Source*>& all() const { return all_; }

 private:
  void Add(std::unique_ptr<Source> source);

  const SourceReaders readers_;
  std::vector<std::unique_ptr<Source>> owned_;
  std::vector<Source*> all_;
};

}  // namespace capstan::cainjector
