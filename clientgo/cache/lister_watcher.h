// SPDX-License-Identifier: Apache-2.0
// ListerWatcher: the two verbs a Reflector needs, for one resource with fixed selectors. The seam
// between cache and rest: tests script it. Mirrors client-go's cache.ListerWatcher.
#pragma once

#include <functional>
#include <memory>

#include "clientgo/rest/client.h"
#include "clientgo/runtime/decoder.h"
#include "clientgo/runtime/resource_type.h"
#include "clientgo/util/error.h"

namespace clientgo::cache {

class ListerWatcher {
 public:
  virtual ~ListerWatcher() = default;
  virtual util::Expected<runtime::ListMeta> List(
      const rest::CallOptions& call, const rest::ListOptions& options,
      const std::function<void(runtime::ObjectPtr)>& on_item) = 0;
  virtual util::Expected<std::unique_ptr<rest::Watcher>> Watch(
      const rest::CallOptions& call, const rest::ListOptions& options) = 0;
  // What to wait on while the server cannot be reached; outlives this. Null: there is no such view,
  // and a failed request is followed by a backoff.
  virtual rest::ServerAvailability* availability() { return nullptr; }
};

// What an informer restricts itself to.
struct Scope {
  std::string namespace_ = {};  // empty: all
  std::string label_selector = {};
  std::string field_selector = {};
  friend bool operator==(const Scope&, const Scope&) = default;
};

// The REST client's List and Watch of `type` within `scope`. `client` and `type` outlive the
// result.
std::unique_ptr<ListerWatcher> NewListerWatcher(rest::Client& client,
                                                const runtime::ResourceType& type, Scope scope);
std::unique_ptr<ListerWatcher> NewListerWatcher(rest::Client& client,
                                                const runtime::ResourceType&& type,
                                                Scope scope) = delete;

}  // namespace clientgo::cache
