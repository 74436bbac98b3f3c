// SPDX-License-Identifier: Apache-2.0
// Cluster is everything that a program needs to use one API server: a client with its own rate
// limit, caches, a recorder of Events, and a RestMapper. A Manager is a Cluster, and owns any
// number of others (Manager::AddCluster), which may come and go while it runs.
//
//   auto east = Cluster::New(config, {.name = "east", .component = "my-controller"});
//   manager.AddCluster(*std::move(east));
//
// The metrics of a named Cluster have its host in rest_client_*, and its name before the resource
// in those of caches: resource="east/secrets". The series of the caches end with the Cluster. Those
// of its host stay, because other clients may use the same host. capstan_apiserver_reachable is
// about the Manager's own server. Thread-safe.
//
// Mirrors controller-runtime's pkg/cluster. Differs: a Cluster has a name, as in
// multicluster-runtime.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>

#include "capstan/auth/credentials.h"
#include "capstan/cache/informer_factory.h"
#include "capstan/clock.h"
#include "capstan/controller_metrics.h"
#include "capstan/export.h"
#include "capstan/record/event_recorder.h"
#include "capstan/rest/client.h"
#include "capstan/rest/config.h"
#include "capstan/restmapper/dynamic_rest_mapper.h"
#include "capstan/runnable.h"
#include "capstan/runtime/group_version.h"
#include "capstan/runtime/resource_type.h"

namespace capstan {

// NewClientFunc makes the client of a Cluster. Mirrors controller-runtime's client.NewClientFunc.
using NewClientFunc =
    std::function<Expected<std::unique_ptr<rest::Client>>(rest::Config, rest::ClientOptions)>;

struct CAPSTAN_EXPORT ClusterOptions {
  // Request::cluster of its objects: a DNS subdomain, such as "east" or "prod.example.com". Empty
  // only for the Manager's own Cluster.
  std::string name = {};
  std::string component = {};          // source.component of Events, and the user agent
  std::string event_host = {};         // source.host of Events; empty: the name of this host
  Clock* clock = nullptr;              // not owned; outlives the Cluster. Null: the real one
  MetricsProvider* metrics = nullptr;  // not owned; outlives the Cluster. Null: no metrics
  // The caches; without metrics of their own they report to `metrics`.
  cache::FactoryOptions cache = {};
  // Credentials to share with other clients of the same Config. Null: those of the Config.
  std::shared_ptr<auth::Credentials> credentials = {};
  // Makes the client. Set it for a client with a transport of its own, such as
  // testing::FakeTransport. A Manager also makes the client of its election with it.
  NewClientFunc new_client = rest::Client::New;
  // As in rest::ClientOptions.
  Clock::Duration recovery_spread = std::chrono::milliseconds(200);
};

class CAPSTAN_EXPORT Cluster : public Runnable {
 public:
  // Sends no request. Fails when the options or the Config cannot be used. Mirrors cluster.New.
  static Expected<std::unique_ptr<Cluster>> New(rest::Config config, ClusterOptions options);
  ~Cluster() override;
  Cluster(const Cluster&) = delete;
  Cluster& operator=(const Cluster&) = delete;

  std::string name() const override;
  rest::Client& client() const;
  cache::SharedInformerFactory& informers() const;
  record::EventRecorder& events() const;
  restmapper::RestMapper& rest_mapper() const;
  Clock& clock() const;

  // Returns the type of a kind that is known at run time only, whose objects are
  // TypedObject<Unstructured>. Asks the RestMapper on first use. All calls for one kind return the
  // same type, so its users share a cache. The type lives as long as the Cluster. An empty version
  // is the one that the server prefers.
  Expected<const runtime::ResourceType*> TypeFor(const rest::CallOptions& call,
                                                 const runtime::GroupVersionKind& kind) const;

  // Fills the caches and sends Events until `stop`, and until the threads of both have ended. The
  // Manager that owns the Cluster calls it. Call once.
  Expected<void> Start(std::stop_token stop) override;
  bool NeedLeaderElection() const final { return false; }

 protected:
  Cluster(Cluster&& other) noexcept;
  // The parts of Start, for a Manager, which runs them in different groups.
  Runnable& caches() const;
  Runnable& event_sender() const;

 private:
  friend class ClusterSet;
  struct Rep;
  explicit Cluster(std::unique_ptr<Rep> rep);
  // Returns true for the first call only. A Cluster cannot be started again.
  bool Claim();

  std::unique_ptr<Rep> rep_;
};

}  // namespace capstan
