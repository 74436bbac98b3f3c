// SPDX-License-Identifier: Apache-2.0
// What the tests of this folder share: a cluster of Secrets and webhook configurations whose
// "caches" are plain Indexers and whose API server is a function behind a FakeTransport.
// Time, caches and server move only when the test says so.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "clientgo/cache/store.h"
#include "clientgo/record/event_recorder.h"
#include "clientgo/rest/client.h"
#include "clientgo/testing/fake_clock.h"
#include "clientgo/testing/fake_transport.h"
#include "clientgo/util/mutex.h"
#include "controllers/cainjector/sources/secret_cache.h"
#include "controllers/cainjector/target_metrics.h"
#include "controllers/cainjector/targets/target.h"
#include "metrics/metrics.h"

namespace controllers::cainjector {

// "Warning NotAllowed ValidatingWebhookConfiguration/x: <message>" for each Event.
class FakeRecorder final : public clientgo::record::EventRecorder {
 public:
  void Event(const clientgo::record::ObjectReference& object, std::string_view type,
             std::string_view reason, std::string_view message) override;
  std::vector<std::string> events() const;

 private:
  mutable clientgo::util::Mutex mu_;
  std::vector<std::string> events_ GUARDED_BY(mu_);
};

class FakeCounter final : public metrics::Metrics::Counter {
 public:
  void Add(const std::vector<std::string>& label_values, double by) override;
  double Value(const std::vector<std::string>& label_values) const;

 private:
  mutable clientgo::util::Mutex mu_;
  std::map<std::vector<std::string>, double> values_ GUARDED_BY(mu_);
};

class FakeGauge final : public metrics::Metrics::Gauge {
 public:
  void Set(const std::vector<std::string>& label_values, double value) override;
  void Add(const std::vector<std::string>& label_values, double delta) override;
  void Remove(const std::vector<std::string>& label_values) override;
  std::optional<double> Value(const std::vector<std::string>& label_values) const;

 private:
  mutable clientgo::util::Mutex mu_;
  std::map<std::vector<std::string>, double> values_ GUARDED_BY(mu_);
};

struct SecretData {
  std::string ca_crt = {};
  bool has_ca_crt = true;
  std::string allow = "true";  // the opt-in annotation's value; empty: absent
  std::string version = "1";
  std::string certificate_name = {};  // that annotation's value; empty: absent
};

// The Secret "namespace/name" as the API server sends it, a private key beside ca.crt included.
std::string SecretJson(const std::string& key, const SecretData& secret);
// A CA certificate, PEM, valid until `not_after` from now (in real time).
std::string NewCaPem(std::chrono::seconds not_after = std::chrono::hours(24 * 365));
// The object as a cache of `type` holds it.
clientgo::runtime::ObjectPtr Decode(const clientgo::runtime::ResourceType& type,
                                    const std::string& json);
// A webhook configuration of `target`'s kind as the API server sends it; one webhook ("w0", ...)
// for each of `bundles`. `annotation`: the value of inject-ca-from-secret; nullptr: absent.
std::string WebhookJson(const Target& target, const std::string& name, const char* annotation,
                        const std::vector<std::string>& bundles, const std::string& version = "1",
                        const std::string& more_metadata = "");

// A list of that one object as the API server sends it.
std::string ListJson(const std::string& item);

class FakeCluster {
 public:
  FakeCluster();

  // In the API server and in the metadata cache.
  void PutSecret(const std::string& key, const SecretData& secret);
  // Only in the API server: the cache lags.
  void PutSecretUnseen(const std::string& key, const SecretData& secret);
  void DeleteSecret(const std::string& key);
  // What a GET of this path answers.
  void PutObject(const std::string& path, const std::string& json);
  // What a list of that name alone answers: how a target that the cache holds whole is read again.
  void PutTarget(const Target& target, const std::string& name, const std::string& json);
  // The next request that matches "METHOD target-prefix" is answered with this Status instead; as
  // long as it is set.
  void Fail(const std::string& prefix, int code, const std::string& reason,
            const std::string& message);
  void FailNoMore();

  // Requests seen, by prefix: "GET /api/v1/namespaces/ns/secrets/ca", "PATCH".
  std::size_t Count(const std::string& prefix) const;
  std::vector<std::string> PatchBodies() const;

  clientgo::testing::FakeClock clock;
  clientgo::cache::Indexer secret_cache;
  ListedSecrets secrets{secret_cache};
  clientgo::testing::FakeTransport* transport = nullptr;  // owned by client
  std::unique_ptr<clientgo::rest::Client> client;
  FakeRecorder events;
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
    clientgo::testing::FakeResponse response;
  };
  clientgo::testing::FakeResponse Answer(const clientgo::transport::HttpRequest& request) const;

  mutable clientgo::util::Mutex mu_;
  std::map<std::string, std::string> objects_ GUARDED_BY(mu_);  // JSON by path
  std::vector<Failing> failing_ GUARDED_BY(mu_);
};

}  // namespace controllers::cainjector
