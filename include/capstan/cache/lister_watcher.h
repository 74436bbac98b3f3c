// SPDX-License-Identifier: Apache-2.0
// ListerWatcher has the two verbs that a Reflector needs, for one resource with fixed selectors. It
// separates the cache from the REST client, and tests replace it. Mirrors client-go's
// cache.ListerWatcher.
#pragma once

#include <functional>
#include <memory>

#include "capstan/error.h"
#include "capstan/export.h"
#include "capstan/rest/client.h"
#include "capstan/runtime/decoder.h"
#include "capstan/runtime/resource_type.h"

namespace capstan::cache {

class CAPSTAN_EXPORT ListerWatcher {
 public:
  virtual ~ListerWatcher() = default;
  virtual Expected<runtime::ListMeta> List(
      const rest::CallOptions& call, const rest::ListOptions& options,
      const std::function<void(runtime::ObjectPtr)>& on_item) = 0;
  virtual Expected<std::unique_ptr<rest::Watcher>> Watch(const rest::CallOptions& call,
                                                         const rest::ListOptions& options) = 0;
  // Returns the ServerAvailability to wait on while the server cannot be reached. It must outlive
  // this object. Null: every failed request is followed by a backoff.
  virtual rest::ServerAvailability* availability() { return nullptr; }
};

// Scope limits the objects of an informer.
struct CAPSTAN_EXPORT Scope {
  std::string namespace_ = {};  // empty: all namespaces
  std::string label_selector = {};
  std::string field_selector = {};
  friend bool operator==(const Scope&, const Scope&) = default;
};

// Returns the REST client's List and Watch of `type` in `scope`. `client` and `type` must outlive
// the result.
CAPSTAN_EXPORT std::unique_ptr<ListerWatcher> NewListerWatcher(rest::Client& client,
                                                               const runtime::ResourceType& type,
                                                               Scope scope);
std::unique_ptr<ListerWatcher> NewListerWatcher(rest::Client& client,
                                                const runtime::ResourceType&& type,
                                                Scope scope) = delete;

}  // namespace capstan::cache
