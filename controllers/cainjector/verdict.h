// SPDX-License-Identifier: Apache-2.0
// Verdict is the decision about one target: the rules of injection, applied to a target and the
// bundle of its source, without requests. The Injector acts on it and `capstan` shows it, so they
// always agree. The write is Target::Write of its bundles.
//
// Pure functions, thread-safe. Mirrors the decisions in cert-manager's
// pkg/controller/cainjector/reconciler.go.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "capstan/cache/lister_watcher.h"
#include "controllers/cainjector/options.h"
#include "controllers/cainjector/rules/bundle.h"
#include "controllers/cainjector/rules/distrust.h"
#include "controllers/cainjector/rules/reason.h"
#include "controllers/cainjector/sources/source.h"
#include "controllers/cainjector/targets/target.h"

namespace capstan::cainjector {

// Returns the enabled kinds, in the order in which they are shown. Those of `kinds.additional` live
// as long as its elements, the others for ever.
std::vector<const Target*> TargetsOf(const InjectableKinds& kinds);

// Returns the scopes in which the objects of `target` are watched, one for each namespace.
std::vector<cache::Scope> ScopesOf(const Target& target, const CaInjectorOptions& options);

// SelectedSource is the source that a target selects, and the value of its annotation.
struct SelectedSource {
  Source* source = nullptr;  // null: the target requests no injection
  std::string_view value = {};
};
// Returns the first of `sources`, which are in order of precedence. The value is a view into
// `object`.
SelectedSource SelectSource(const runtime::Object& object, const std::vector<Source*>& sources);

struct VerdictOptions {
  bool merge_bundles = true;  // false: the bundle is that of the source
  CertificateTime now = {};
  Distrust distrust = {};
  // Certificates that leave the target unless its source has them.
  Certificates retired = {};
};

struct Verdict {
  // Plan is the desired state of a target whose source has a bundle.
  struct Plan {
    std::vector<std::string> bundles = {};
    CertificateTime earliest_expiry = CertificateTime::max();
    bool watched = true;                     // a change of the source is an event
    std::optional<Failure> incomplete = {};  // as in SourceBundle
    Certificates source = {};                // those of the source that are trusted
  };
  std::vector<std::string> current = {};  // Target::Bundles
  tl::expected<Plan, Failure> plan;
  // `current` less the distrusted certificates. Set only when these must leave a target whose
  // source has failed.
  std::optional<std::vector<std::string>> cleaned = {};

  // Returns the bundles that the target must hold.
  const std::vector<std::string>& bundles() const {
    if (plan) return plan->bundles;
    return cleaned ? *cleaned : current;
  }
  bool write() const { return bundles() != current; }
  // Returns kInjected when the target must be written.
  Reason reason() const;
};

// `source` returns the bundle of the selected source. It is not called when the target must not be
// written.
Verdict Decide(const Target& target, const runtime::Object& content,
               const std::function<tl::expected<SourceBundlePtr, Failure>()>& source,
               const VerdictOptions& options);

}  // namespace capstan::cainjector
