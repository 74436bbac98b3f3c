// SPDX-License-Identifier: Apache-2.0
// ClusterSet is the Clusters that a Manager owns beside its own: it starts and stops them, and
// engages the Controllers that watch every Cluster. Internal to this folder. Thread-safe.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "capstan/cluster.h"
#include "capstan/error.h"
#include "capstan/mutex.h"
#include "capstan/runnable.h"

namespace capstan {

// ClusterAware is called for each Cluster. Mirrors multicluster-runtime's multicluster.Aware.
struct ClusterAware {
  std::function<void(Cluster&)> engage;
  std::function<void(const std::string& name)> disengage;
};

class ClusterSet final : public BackgroundRunnable {
 public:
  // A Cluster that is added after Begin starts at once.
  Expected<void> Add(std::shared_ptr<Cluster> cluster);
  // Disengages the Controllers, then stops the Cluster and releases it.
  Expected<void> Remove(const std::string& name);
  // Returns nullptr if there is no such Cluster, or if it is being removed.
  std::shared_ptr<Cluster> Get(std::string_view name) const;
  std::vector<std::string> Names() const;
  // Engages all Clusters, and those that are added later. Before Begin.
  void AddAware(const ClusterAware& aware);
  // Notes that a Controller uses this Cluster until the end. Returns false if it is not in the set.
  bool Pin(const Cluster& cluster);

  Expected<void> Begin(std::stop_token stop) override;
  void End() override;
  std::string name() const override { return "clusters"; }

 private:
  enum class State { kAdding, kActive, kRemoving };
  struct Entry {
    std::shared_ptr<Cluster> cluster;
    State state = State::kAdding;
    bool pinned = false;
    std::jthread thread = {};  // last: it uses the Cluster
  };
  void StartOne(Entry& entry) CAPSTAN_REQUIRES(mu_);

  mutable Mutex mu_;
  CondVar changed_;
  std::map<std::string, Entry, std::less<>> entries_ CAPSTAN_GUARDED_BY(mu_);
  std::vector<ClusterAware> aware_ CAPSTAN_GUARDED_BY(mu_);
  std::optional<std::stop_token> stop_ CAPSTAN_GUARDED_BY(mu_);  // since Begin
  bool ended_ CAPSTAN_GUARDED_BY(mu_) = false;
};

}  // namespace capstan
