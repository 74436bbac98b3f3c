// SPDX-License-Identifier: Apache-2.0
// ReferencedSecrets watches each Secret that a target or Certificate refers to, by its name, and no
// others. Its memory does not depend on the number of Secrets in the cluster, and the rights "get,
// list, watch" on these names (resourceNames) are enough.
//
// A watch starts when a source first reads the Secret. It ends when Sweep finds that nothing refers
// to the Secret. A Secret is read by a request until its watch has synced, when the watch is
// refused (RBAC), and beyond `watches_max`. Such a Secret is not `watched`: its targets are
// reconciled again after a while. A missing Secret is watched too, so its creation is an event.
//
// docs/operate.md has the cost of a watch. Thread-safe. No watch is called while a lock is held, so
// Summarize never waits for one. Has no upstream: cert-manager's issue 8763 requests it.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "capstan/cache/informer_factory.h"
#include "capstan/controller.h"
#include "capstan/mutex.h"
#include "controllers/resolver/resolver.h"

namespace capstan::cainjector {

class ReferencedSecrets final : public resolver::Resolver {
 public:
  // Summary counts the referenced Secrets by the state of their watch.
  struct Summary {
    std::size_t watched = 0;
    std::size_t waiting = 0;  // not synced yet
    std::size_t failing = 0;  // mostly RBAC
    std::size_t beyond_limit = 0;
    std::string failures = {};  // "ns/a: <cause>; ns/b: <cause>", the first few
  };

  struct Collaborators {
    cache::SharedInformerFactory& informers;   // outlives this
    std::unique_ptr<resolver::Resolver> live;  // sends a request
    // Gets each Secret that was added, changed or deleted, or is not watched any more. Outlives
    // this.
    const Channel& changes;
    // Returns true when a target or a Certificate refers to the Secret.
    std::function<bool(std::string_view key)> is_referenced;
  };
  ReferencedSecrets(Collaborators with, std::size_t watches_max);
  ~ReferencedSecrets() override;

  resolver::Resolution Get(std::stop_token stop, const runtime::ObjectKey& key) override;
  // Ends the watches of Secrets that nothing refers to, and gives their places to Secrets without a
  // watch. Call it every few seconds, from one thread.
  void Sweep();
  // Returns which Secrets cannot be watched, and why, for /readyz?verbose. Empty: all can.
  std::string Note();
  Summary Summarize();

 private:
  using WatchPtr = std::shared_ptr<cache::ObjectWatch>;

  void Start(const runtime::ObjectKey& key);
  // Returns what the watch of the Secret knows; nullopt when it has not synced. Starts the watch
  // when there is none and the limit allows it.
  std::optional<resolver::Resolution> FromWatch(const runtime::ObjectKey& key);
  void End(const std::string& key);
  std::size_t WatchCount() const;

  const Collaborators with_;
  const std::size_t watches_max_;
  mutable Mutex mu_;
  // By "namespace/name". Null: it is being made.
  std::map<std::string, WatchPtr> watches_ CAPSTAN_GUARDED_BY(mu_);
  std::set<std::string> beyond_limit_ CAPSTAN_GUARDED_BY(mu_);  // read without a watch
  bool logged_limit_ CAPSTAN_GUARDED_BY(mu_) = false;
};

}  // namespace capstan::cainjector
