// SPDX-License-Identifier: Apache-2.0
// TrustBundleSource is one ClusterTrustBundle by its name, or all of a signer whose labels match a
// selector, in the order of their names (rules/trust_bundle_reference.h). A bundle is public, so no
// opt-in is needed. Thread-safe. Has no upstream.
#pragma once

#include <functional>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "capstan/cache/informer_view.h"
#include "capstan/rest/client.h"
#include "controllers/cainjector/rules/annotations.h"
#include "controllers/cainjector/sources/source.h"

namespace capstan::cainjector {

using TrustBundles = std::vector<runtime::ObjectPtr>;  // objects of ClusterTrustBundle
// Returns all bundles of the signer, or the one with the name, if any. A signer has a slash. The
// error says why they cannot be read. Thread-safe.
using FindTrustBundles =
    std::function<Expected<TrustBundles>(std::stop_token stop, std::string_view name_or_signer)>;

// Adds the index of the bundles by their signer, which CachedTrustBundles needs.
void AddSignerIndex(const cache::InformerView& bundles);
// Reads the informers of the two versions, which outlive the function, and sends no requests. It
// uses the first one that has synced: the API server may serve only one.
FindTrustBundles CachedTrustBundles(const cache::InformerView& v1,
                                    const cache::InformerView& v1beta1);
// Sends a list for each read, for a program that runs once. `client` outlives the function.
FindTrustBundles LiveTrustBundles(rest::Client& client);

class TrustBundleSource final : public Source {
 public:
  explicit TrustBundleSource(FindTrustBundles find) : find_(std::move(find)) {}

  std::string_view annotation() const override { return kInjectCaFromTrustBundle; }
  std::string_view kind() const override { return "ClusterTrustBundle"; }
  // Returns "ClusterTrustBundle roots", or "ClusterTrustBundles of example.com/foo; team=web".
  std::string Describe(std::string_view value) const override;

 private:
  tl::expected<SourceBundlePtr, Failure> GetFor(std::stop_token stop, std::string_view value,
                                                std::string_view target_namespace) override;

  const FindTrustBundles find_;
};

}  // namespace capstan::cainjector
