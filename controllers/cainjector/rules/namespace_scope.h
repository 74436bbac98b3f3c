// SPDX-License-Identifier: Apache-2.0
// NamespaceScope: the namespaces whose objects may be sources. It restricts what is watched, and
// says why a reference leads outside. Immutable once made; plain data.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "clientgo/cache/lister_watcher.h"
#include "clientgo/runtime/object.h"
#include "controllers/cainjector/rules/reason.h"

namespace controllers::cainjector {

struct NamespaceScope {
  std::vector<std::string> namespaces = {};  // empty: all, except `ignored`
  std::vector<std::string> ignored = {};

  // What to watch, so that nothing outside is sent, let alone held: a watch for each namespace, or
  // one for all.
  std::vector<clientgo::cache::Scope> Watches(const std::string& label_selector = {}) const;
  // kOutsideNamespace, for the object `kind` `key`; nullopt: it is inside.
  std::optional<Failure> Outside(std::string_view kind,
                                 const clientgo::runtime::ObjectKey& key) const;
};

}  // namespace controllers::cainjector
