// SPDX-License-Identifier: Apache-2.0
// InjectorFixture runs an Injector on a FakeCluster: its targets are in a cache that the test
// fills, and its sources are Secrets and lists of Secrets.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "controllers/cainjector/injector.h"
#include "controllers/cainjector/sources/secret_source.h"
#include "controllers/cainjector/sources/union_source.h"
#include "controllers/cainjector/targets/target.h"
#include "controllers/cainjector/testing/fakes.h"

namespace capstan::cainjector {

inline constexpr const char* kRef = "ns/ca";

class InjectorFixture : public ::testing::Test {
 protected:
  explicit InjectorFixture(const Target& target = ValidatingWebhookTarget()) : target_(target) {
    Restart();
  }

  // Makes new sources and a new Injector, as a restart does. The cluster and the cached targets
  // stay.
  void Restart(const CaInjectorOptions& options = {}, const NamespaceScope& scope = {}) {
    loader_ = std::make_unique<CaCertLoader>(*cluster_.client, cluster_.secrets);
    source_ = std::make_unique<SecretSource>(*loader_, SourceOptions{.scope = scope});
    union_ = std::make_unique<UnionSource>(std::vector<Source*>{source_.get()},
                                           UnionOptions{.keep_expired = !options.merge_bundles,
                                                        .distrust = options.distrust,
                                                        .clock = cluster_.clock});
    outcomes_ = std::make_unique<Outcomes>();
    reporter_ = std::make_unique<Reporter>(target_.type(), cluster_.events, cluster_.metrics,
                                           *outcomes_, cluster_.clock);
    injector_ =
        std::make_unique<Injector>(*cluster_.client, target_, targets_,
                                   std::vector<Source*>{source_.get(), union_.get()}, *reporter_,
                                   CaInjectorOptions{.field_ownership = options.field_ownership,
                                                     .merge_bundles = options.merge_bundles,
                                                     .distrust = options.distrust,
                                                     .clock = cluster_.clock});
  }

  // Puts a target into the cache.
  void Put(const std::string& name, const char* annotation, const std::vector<std::string>& bundles,
           const std::string& more_metadata = "") {
    targets_.Upsert(Decode(target_.type(), WebhookJson(target_, name, annotation, bundles,
                                                       std::to_string(++version_), more_metadata)));
  }
  // Puts the target "t" with a list of sources.
  void PutWithList(const std::string& list, const std::string& bundle) {
    Put("t", nullptr, {bundle}, R"(,"annotations":{"capstan.dev/inject-ca-from":")" + list + "\"}");
  }
  auto Reconcile(const std::string& name = "t") { return injector_->Reconcile({}, {"", name}); }
  // Reconciles, and expects success.
  void MustReconcile(const std::string& name = "t") {
    const auto result = Reconcile(name);
    EXPECT_TRUE(result.has_value()) << result.error().error.message;
  }
  double Counted(const std::string& result) const {
    return cluster_.injections->Value({"ValidatingWebhookConfiguration", "Secret", result});
  }

  FakeCluster cluster_;
  const Target& target_;
  cache::Indexer targets_;
  std::unique_ptr<CaCertLoader> loader_;
  std::unique_ptr<SecretSource> source_;
  std::unique_ptr<UnionSource> union_;
  std::unique_ptr<Outcomes> outcomes_;
  std::unique_ptr<Reporter> reporter_;
  std::unique_ptr<Injector> injector_;
  const std::string ca_ = NewCaPem();
  int version_ = 0;
};

}  // namespace capstan::cainjector
