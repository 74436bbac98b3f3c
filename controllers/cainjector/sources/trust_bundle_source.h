// SPDX-License-Identifier: Apache-2.0
// TrustBundleSource is one ClusterTrustBundle by its name, or all of a signer whose labels match a
// selector, in the order of their names (rules/trust_bundle_reference.h). A bundle is public, so no
// opt-in is needed. Thread-safe. Has no upstream.
#pragma once

#include <string_view>
#include <vector>

#include "capstan/rest/client.h"
#include "controllers/cainjector/rules/annotations.h"
#include "controllers/cainjector/sources/object_reader.h"
#include "controllers/cainjector/sources/source.h"

namespace capstan::cainjector {

// TrustBundleReader finds objects of ClusterTrustBundle. Implementations are thread-safe.
class TrustBundleReader {
 public:
  using Bundles = std::vector<runtime::ObjectPtr>;
  virtual ~TrustBundleReader() = default;
  // Returns all bundles of the signer, or the one with the name, if any. A signer has a slash. The
  // failure is why they cannot be read.
  virtual tl::expected<Bundles, Failure> Find(std::stop_token stop,
                                              std::string_view name_or_signer) = 0;
};

// StoreTrustBundles reads informers of the two versions, and sends no requests. It uses the first
// one that has synced: the API server may serve only one.
class StoreTrustBundles final : public TrustBundleReader {
 public:
  // The index of both by spec.signerName.
  static constexpr const char* kBySigner = "spec.signerName";
  // Adds the index. Both outlive this.
  static void AddIndex(InformerSet& informers);
  StoreTrustBundles(const InformerSet& v1, const InformerSet& v1beta1)
      : v1_(v1), v1beta1_(v1beta1) {}
  tl::expected<Bundles, Failure> Find(std::stop_token stop,
                                      std::string_view name_or_signer) override;

 private:
  const InformerSet& v1_;
  const InformerSet& v1beta1_;
};

// LiveTrustBundles sends a list for each read, for a program that runs once.
class LiveTrustBundles final : public TrustBundleReader {
 public:
  // `client` outlives this.
  explicit LiveTrustBundles(rest::Client& client) : client_(client) {}
  tl::expected<Bundles, Failure> Find(std::stop_token stop,
                                      std::string_view name_or_signer) override;

 private:
  rest::Client& client_;
};

class TrustBundleSource final : public Source {
 public:
  // `bundles` outlives this.
  explicit TrustBundleSource(TrustBundleReader& bundles) : bundles_(bundles) {}

  std::string_view annotation() const override { return kInjectCaFromTrustBundle; }
  std::string_view kind() const override { return "ClusterTrustBundle"; }
  // Returns "ClusterTrustBundle roots", or "ClusterTrustBundles of example.com/foo; team=web".
  std::string Describe(std::string_view value) const override;

 private:
  tl::expected<SourceBundlePtr, Failure> GetFor(std::stop_token stop, std::string_view value,
                                                std::string_view target_namespace) override;

  TrustBundleReader& bundles_;
};

}  // namespace capstan::cainjector
