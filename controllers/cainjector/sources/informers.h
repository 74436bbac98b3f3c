// SPDX-License-Identifier: Apache-2.0
// Functions for the InformerView of one kind of source or target.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "capstan/cache/informer_factory.h"
#include "capstan/cache/informer_view.h"
#include "capstan/clock.h"
#include "capstan/health.h"

namespace capstan::cainjector {

// Returns a view with one informer for each scope, or null if there are no scopes. Call it before
// the informers start. `informers` and `type` outlive the view.
std::unique_ptr<cache::InformerView> NewView(cache::SharedInformerFactory& informers,
                                             const runtime::ResourceType& type,
                                             const std::vector<cache::Scope>& scopes);

// Adds the index to every informer. REQUIRES: they have no index of this name.
void MustAddIndex(const cache::InformerView& view, const std::string& name,
                  const cache::IndexFunc& index);

// Returns true when the API server does not serve the kind.
bool NotServed(const cache::InformerView& view);

// CacheCheck is a line of /readyz about a cache.
struct CacheCheck {
  enum class Needed {
    kAlways,
    kIfServed,  // without the kind there are no such objects
    kNever,     // the objects are read by requests
  };
  std::string name;
  Needed needed = Needed::kAlways;
  const cache::InformerView* other_version = nullptr;  // one of the two is enough
};
// Adds a check that the cache is synced if it is needed, and a note that says why it is not synced,
// or why it may be behind. `view` and `clock` outlive `readyz`.
void AddCacheCheck(HealthChecks& readyz, const cache::InformerView& view, const CacheCheck& check,
                   Clock& clock);

}  // namespace capstan::cainjector
