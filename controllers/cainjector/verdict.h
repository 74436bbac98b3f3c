// SPDX-License-Identifier: Apache-2.0
// Verdict: what is to be done about one target, and why: the rules of injection from a target and
// what its source holds, without a call of their own. The Injector acts on it; `capstan` shows it.
// Both therefore say the same. What is written is Target::ApplyConfiguration of its bundles.
//
// Pure functions, thread-safe. Mirrors the decisions in cert-manager's
// pkg/controller/cainjector/reconciler.go.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "controllers/cainjector/options.h"
#include "controllers/cainjector/rules/bundle.h"
#include "controllers/cainjector/rules/reason.h"
#include "controllers/cainjector/sources/source.h"
#include "controllers/cainjector/targets/target.h"

namespace controllers::cainjector {

// The kinds that are asked for, in the order in which they are shown.
std::vector<const Target*> TargetsOf(const InjectableKinds& kinds);

// The source that a target asks for, and the value of its annotation.
struct Asked {
  Source* source = nullptr;  // none
  std::string_view value = {};
};
// `sources` in order of precedence. The value is a view into `object`.
Asked AskedFor(const Target& target, const clientgo::runtime::Object& object,
               const std::vector<Source*>& sources);

struct VerdictOptions {
  bool merge_bundles = true;  // else the source's text is the bundle, verbatim
  CertificateTime now = {};
};

struct Verdict {
  // What a target should hold.
  struct Plan {
    std::vector<std::string> bundles = {};
    CertificateTime earliest_expiry = CertificateTime::max();
    bool watched = true;  // a change of the source is an event
  };
  std::vector<std::string> current;  // what it holds: Target::Bundles
  tl::expected<Plan, Failure> plan;

  bool write() const { return plan && plan->bundles != current; }
  // kInjected: it is to be written.
  Reason reason() const;
};

// `source` gives the bundle that the target asks for; it is not called when nothing may be written.
Verdict Decide(const Target& target, const clientgo::runtime::Object& content,
               const std::function<tl::expected<SourceBundlePtr, Failure>()>& source,
               const VerdictOptions& options);

}  // namespace controllers::cainjector
