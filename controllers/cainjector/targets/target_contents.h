// SPDX-License-Identifier: Apache-2.0
// TargetContents: the objects of one kind of Target as it reads them. What the cache holds whole
// comes from there. Of other kinds the content of those that are asked for is held here: one GET
// for each version, and none for a version that our own write made.
//
// Of both kinds, what our own writes made is held until the cache has it too: who looks before that
// sees the newest state, and does not write it again.
//
// Thread-safe, for as many keys as there are workers; one key is asked for by one at a time. No
// upstream: cainjector caches every object whole.
#pragma once

#include <cstddef>
#include <map>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "clientgo/rest/client.h"
#include "clientgo/util/mutex.h"
#include "controllers/cainjector/targets/target.h"

namespace controllers::cainjector {

class TargetContents {
 public:
  // Both outlive it.
  TargetContents(clientgo::rest::Client& client, const Target& target)
      : client_(client), target_(target) {}

  // The content of what the cache holds as `cached`, or of a newer version of it.
  clientgo::util::Expected<clientgo::runtime::ObjectPtr> Get(
      std::stop_token stop, const clientgo::runtime::ObjectPtr& cached);
  // The same, read from the API server. It needs no right that the caches do not need: `get` for
  // kinds that are not cached whole, `list` for the others. kNotFound as a GET.
  clientgo::util::Expected<clientgo::runtime::ObjectPtr> Read(
      std::stop_token stop, const clientgo::runtime::Object& cached);
  // The API server now has `content` of what the cache holds, or last held, as `cached`: the answer
  // to a write, or to a look.
  void Put(const clientgo::runtime::Object& cached, clientgo::runtime::ObjectPtr content);
  void Forget(std::string_view key);
  std::size_t Size() const;

 private:
  struct Entry {
    // Which the cache may hold meanwhile: `content` came after them.
    std::vector<std::string> older_versions;
    clientgo::runtime::ObjectPtr content;
  };
  clientgo::util::Expected<clientgo::runtime::ObjectPtr> Fetch(
      std::stop_token stop, const clientgo::runtime::ObjectKey& key) const;
  // nullptr: not known.
  clientgo::runtime::ObjectPtr Held(const clientgo::runtime::Object& cached);

  clientgo::rest::Client& client_;
  const Target& target_;
  mutable clientgo::util::Mutex mu_;
  std::map<std::string, Entry, std::less<>> entries_ GUARDED_BY(mu_);
};

}  // namespace controllers::cainjector
