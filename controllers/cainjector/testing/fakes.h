// SPDX-License-Identifier: Apache-2.0
// Fakes for the tests of CA injection: a cluster of Secrets and webhook configurations whose caches
// are plain Indexers and whose API server is a function behind a FakeTransport. Time, caches and
// server change only when the test changes them. And the JSON of sources and targets.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "capstan/cache/store.h"
#include "capstan/metrics/metrics.h"
#include "capstan/mutex.h"
#include "capstan/rest/client.h"
#include "capstan/testing/fake_clock.h"
#include "capstan/testing/fake_transport.h"
#include "clientgo/record/testing/event_lines.h"
#include "controllers/cainjector/reporter.h"
#include "controllers/cainjector/targets/target.h"
#include "controllers/resolver/resolver.h"

namespace capstan::cainjector {

class FakeGauge final : public metrics::Metrics::Gauge {
 public:
  void Set(const std::vector<std::string>& label_values, double value) override;
  void Add(const std::vector<std::string>& label_values, double delta) override;
  void Remove(const std::vector<std::string>& label_values) override;
  std::optional<double> Value(const std::vector<std::string>& label_values) const;

 private:
  mutable Mutex mu_;
  std::map<std::vector<std::string>, double> values_ CAPSTAN_GUARDED_BY(mu_);
};

class FakeCounter final : public metrics::Metrics::Counter {
 public:
  void Add(const std::vector<std::string>& label_values, double by) override {
    values_.Add(label_values, by);
  }
  double Value(const std::vector<std::string>& label_values) const {
    return values_.Value(label_values).value_or(0);
  }

 private:
  FakeGauge values_;
};

// CacheResolver reads the objects of an Indexer, as NewResolver those of informers. With `live` the
// Indexer is filtered.
class CacheResolver final : public resolver::Resolver {
 public:
  explicit CacheResolver(const cache::Indexer& cache,
                         std::unique_ptr<resolver::Resolver> live = nullptr)
      : cache_(cache), live_(std::move(live)) {}
  resolver::Resolution Get(std::stop_token stop, const runtime::ObjectKey& key) override {
    if (auto object = cache_.GetByKey(key.String())) return {.object = std::move(object)};
    if (live_ != nullptr) return live_->Get(std::move(stop), key);
    return {.object = Err(ErrorReason::kNotFound, key.String() + " is not cached")};
  }

 private:
  const cache::Indexer& cache_;
  const std::unique_ptr<resolver::Resolver> live_;
};

struct SecretData {
  std::string ca_crt = {};
  bool has_ca_crt = true;
  std::string allow = "true";  // the opt-in annotation's value; empty: absent
  std::string version = "1";
  std::string certificate_name = {};  // that annotation's value; empty: absent
};

// Returns the Secret "namespace/name" as the API server sends it, with a private key beside ca.crt.
std::string SecretJson(const std::string& key, const SecretData& secret);
// Returns the PEM of a CA certificate that expires `not_after` from now (in real time).
std::string NewCaPem(std::chrono::seconds not_after = std::chrono::hours(24 * 365));
// Returns the object as a cache of `type` holds it.
runtime::ObjectPtr Decode(const runtime::ResourceType& type, const std::string& json);
// Returns a webhook configuration of `target`'s kind as the API server sends it, with one webhook
// ("w0", ...) for each of `bundles`. `annotation` is the value of inject-ca-from-secret. nullptr:
// it is absent.
std::string WebhookJson(const Target& target, const std::string& name, const char* annotation,
                        const std::vector<std::string>& bundles, const std::string& version = "1",
                        const std::string& more_metadata = "");

// Returns a list of that one object as the API server sends it.
std::string ListJson(const std::string& item);

class FakeCluster {
 public:
  FakeCluster();

  // Writes the Secret to the API server and to the metadata cache.
  void PutSecret(const std::string& key, const SecretData& secret);
  // Writes the Secret only to the API server: the cache lags.
  void PutSecretUnseen(const std::string& key, const SecretData& secret);
  void DeleteSecret(const std::string& key);
  // Sets the response to a GET of this path.
  void PutObject(const std::string& path, const std::string& json);
  // Sets the response to the second GET from now, and to all later ones.
  void PutNextObject(const std::string& path, const std::string& json);
  // Sets the response to a list of that name alone, which reads again a target that is cached
  // whole.
  void PutTarget(const Target& target, const std::string& name, const std::string& json);
  // Answers each request that matches "METHOD target-prefix" with this Status, until FailNoMore.
  void Fail(const std::string& prefix, int code, const std::string& reason,
            const std::string& message);
  void FailNoMore();

  // Counts requests by prefix: "GET /api/v1/namespaces/ns/secrets/ca", "PATCH".
  std::size_t Count(const std::string& prefix) const;
  std::vector<std::string> PatchBodies() const;

  testing::FakeClock clock;
  cache::Indexer secret_cache;
  CacheResolver secrets{secret_cache};
  testing::FakeTransport* transport = nullptr;  // owned by client
  std::unique_ptr<rest::Client> client;
  record::EventLines events;
  FakeCounter* injections = new FakeCounter;  // these four are owned by metrics
  FakeGauge* in_sync = new FakeGauge;
  FakeGauge* expiration = new FakeGauge;
  FakeGauge* last_expiration = new FakeGauge;
  TargetMetrics metrics{std::unique_ptr<metrics::Metrics::Counter>(injections),
                        std::unique_ptr<metrics::Metrics::Gauge>(in_sync),
                        std::unique_ptr<metrics::Metrics::Gauge>(expiration),
                        std::unique_ptr<metrics::Metrics::Gauge>(last_expiration)};

 private:
  struct Failing {
    std::string prefix;
    testing::FakeResponse response;
  };
  testing::FakeResponse Answer(const transport::HttpRequest& request);

  mutable Mutex mu_;
  // JSON by path. Each but the last is the response to one GET.
  std::map<std::string, std::deque<std::string>> objects_ CAPSTAN_GUARDED_BY(mu_);
  std::vector<Failing> failing_ CAPSTAN_GUARDED_BY(mu_);
};

// Sources and targets that every API server accepts. Namespaced objects are in "ns".

using Annotations = std::vector<std::pair<std::string_view, std::string>>;

// Returns the Secret ns/<name> with ca.crt and these annotations.
std::string StoredSecret(const std::string& ca_crt, const std::string& name = "ca",
                         const Annotations& annotations = {
                             {"cert-manager.io/allow-direct-injection", "true"}});
// Returns the Secret that cert-manager writes for the Certificate ns/<certificate>.
std::string StoredCertificateSecret(const std::string& ca_crt, const std::string& certificate,
                                    const std::string& name);
std::string StoredCertificate(const std::string& name, const std::string& secret_name);
std::string StoredConfigMap(const std::string& name, bool labelled, const std::string& data_key,
                            const std::string& value);
struct TrustBundleData {
  std::string signer = {};  // empty: none; then `name` begins with it
  Annotations labels = {};
  std::string api_version = "certificates.k8s.io/v1";
};
std::string StoredTrustBundle(const std::string& name, const std::string& pem,
                              const TrustBundleData& more = {});
// Returns a target with the name TargetName(target, name) and with `bundle` in every place. A
// webhook configuration has one webhook with a url, and one with a service.
std::string StoredTarget(const Target& target, const std::string& name,
                         const Annotations& annotations, const std::string& bundle = "");
// Returns the name of that object: "name", "v1.name.example.com", "names.example.com".
std::string TargetName(const Target& target, const std::string& name);

}  // namespace capstan::cainjector
