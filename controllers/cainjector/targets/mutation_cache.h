// SPDX-License-Identifier: Apache-2.0
// MutationCache returns the newest known state of the targets of one kind. A kind that is cached
// whole comes from the informer's cache. The content of other kinds is held here: one read for each
// version, and none for a version that our own write made.
//
// The results of our own writes are held until the informer's cache has them. A reconciliation
// before that sees the newest state, and does not write it again. Contents of at most kBytesMax are
// held. Others are read again when they are needed. Mirrors client-go's cache.MutationCache.
//
// Thread-safe, but only one thread at a time may use one key.
#pragma once

#include <cstddef>
#include <map>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "capstan/mutex.h"
#include "capstan/rest/client.h"
#include "controllers/cainjector/targets/target.h"

namespace capstan::cainjector {

class MutationCache {
 public:
  static constexpr std::size_t kBytesMax = std::size_t{4} * 1024 * 1024;

  // Both outlive this.
  MutationCache(rest::Client& client, const Target& target) : client_(client), target_(target) {}

  // Returns the content of `cached`, which the informer holds, in that version or a newer one. A
  // list gets it from the API server's watch cache. The newest version would take kube-apiserver
  // 1.34 about 60 to 120 ms, because it has to ask etcd.
  Expected<runtime::ObjectPtr> Get(std::stop_token stop, const runtime::ObjectPtr& cached);
  // Reads the newest version from the API server, after a write was refused as outdated. It needs
  // no right that the caches do not need: `list`, or `get` for Target::content_by_get. The
  // error is kNotFound, as for a GET.
  Expected<runtime::ObjectPtr> Read(std::stop_token stop, const runtime::Object& cached);
  // Records that the API server has `content` for the object that the informer holds, or last held,
  // as `cached`. It is the response to a write or a read.
  void Put(const runtime::Object& cached, runtime::ObjectPtr content);
  void Forget(std::string_view key);
  std::size_t Size() const;

 private:
  struct Entry {
    // The versions before `content`, which the informer may still hold.
    std::vector<std::string> older_versions;
    runtime::ObjectPtr content;
    std::size_t bytes = 0;
  };
  using Entries = std::map<std::string, Entry, std::less<>>;
  Expected<runtime::ObjectPtr> Read(std::stop_token stop, const runtime::Object& cached,
                                    const std::string& version);
  // Reads `version` or a newer one. If `version` is empty, it reads the newest one.
  Expected<runtime::ObjectPtr> Fetch(std::stop_token stop, const runtime::ObjectKey& key,
                                     const std::string& version) const;
  // Returns nullptr when nothing newer than `cached` is known.
  runtime::ObjectPtr Held(const runtime::Object& cached);
  void Erase(Entries::iterator entry) CAPSTAN_REQUIRES(mu_);

  rest::Client& client_;
  const Target& target_;
  mutable Mutex mu_;
  Entries entries_ CAPSTAN_GUARDED_BY(mu_);
  std::size_t bytes_ CAPSTAN_GUARDED_BY(mu_) = 0;  // of all contents
};

}  // namespace capstan::cainjector
