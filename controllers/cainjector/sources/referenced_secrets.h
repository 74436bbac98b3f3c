// SPDX-License-Identifier: Apache-2.0
// ReferencedSecrets: a watch for each Secret that somebody refers to, by its name, and nothing of
// all others: the memory does not depend on the number of Secrets in the cluster, and the rights
// "get, list, watch" on these names (resourceNames) are enough.
//
// A watch starts when a source first asks for the Secret and ends when Sweep finds that nobody
// refers to it. Until it has its answer, and when it is refused (RBAC), the Secret is looked up by
// a call; so is what comes after `watches_max`. Such a Secret is not `watched`: its targets are
// looked at again after a while. A Secret that is missing is watched, too: its creation is an
// event.
//
// Each watch costs two threads and a connection (docs/operate.md has the figures). Thread-safe. No
// informer is called while a lock is held, so a page that shows a Summary never waits for one.
// No upstream: cert-manager's issue 8763 asks for it.
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

#include "clientgo/cache/informer_factory.h"
#include "clientgo/util/mutex.h"
#include "controllers/cainjector/sources/secret_cache.h"

namespace controllers::cainjector {

class ReferencedSecrets final : public SecretCache {
 public:
  // How the Secrets that somebody refers to are known.
  struct Summary {
    std::size_t watched = 0;
    std::size_t waiting = 0;  // for the first answer
    std::size_t failing = 0;  // RBAC, most likely
    std::size_t beyond_limit = 0;
    std::string failures = {};  // "ns/a: <why>; ns/b: <why>", the first few
  };

  struct Collaborators {
    clientgo::cache::SharedInformerFactory& informers;  // outlives this
    std::unique_ptr<resolver::ObjectResolver> live;     // asks the API server
    // The Secret "namespace/name" was added, changed, deleted, or is watched no more. Runs on the
    // watch's handler thread, or in Sweep.
    std::function<void(std::string_view key)> on_change;
    // Somebody refers to it, as far as is known now.
    std::function<bool(std::string_view key)> is_referenced;
  };
  ReferencedSecrets(Collaborators with, std::size_t watches_max);
  ~ReferencedSecrets() override;

  tl::expected<Known, Failure> Get(std::stop_token stop,
                                   const clientgo::runtime::ObjectKey& key) override;
  // Ends the watches of what nobody refers to, and gives their place to what had none. To be called
  // every few seconds, from one thread.
  void Sweep();
  // For /readyz?verbose: which Secrets cannot be watched, and why; empty while all are.
  std::string Note();
  Summary Summarize();

 private:
  struct Watch {
    clientgo::cache::SharedInformer* informer = nullptr;  // null: it is just being made or ended
    std::shared_ptr<clientgo::cache::HandlerRegistration> registration = {};
    int users = 0;  // who call the informer; it lives until there are none
  };
  using Watches = std::map<std::string, Watch>;  // by "namespace/name"
  void Start(const clientgo::runtime::ObjectKey& key);
  // The watch's answer; nullopt: it has none. Starts the watch when there is none, and room.
  std::optional<Known> FromWatch(const clientgo::runtime::ObjectKey& key);
  void End(const std::string& key);
  std::size_t WatchCount() const;
  // The watches that have an informer, for a caller who gives them back by Release.
  std::vector<Watches::iterator> Use();
  void Release(const std::vector<Watches::iterator>& used);

  const Collaborators with_;
  const std::size_t watches_max_;
  mutable clientgo::util::Mutex mu_;
  clientgo::util::CondVar released_;
  Watches watches_ GUARDED_BY(mu_);
  std::set<std::string> beyond_limit_ GUARDED_BY(mu_);  // asked for, without a watch
  bool told_limit_ GUARDED_BY(mu_) = false;
};

}  // namespace controllers::cainjector
