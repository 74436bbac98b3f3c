// SPDX-License-Identifier: Apache-2.0
// Injector is the Reconciler of one kind of target. It reads the cached target and its source,
// merges the bundles, and compares. Only when they differ it sends one server-side apply. Then
// FieldOwner drops our entries in managedFields. The event of its own write compares equal and
// costs no request. An apply names the version that was read. After a concurrent write the target
// is read again and decided again, for kApplyAttempts attempts in all. A target that others change
// after each write is written ever more rarely (WritePacer).
//
// Several workers may run it. Mirrors cert-manager's pkg/controller/cainjector/reconciler.go.
// Differs on purpose: it compares before it writes, a source that is no CA bundle never reaches a
// target, no write of others is undone, and an error that a retry cannot fix is not retried in a
// hot loop.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "capstan/cache/store.h"
#include "capstan/controller.h"
#include "capstan/rest/client.h"
#include "controllers/cainjector/field_ownership.h"
#include "controllers/cainjector/options.h"
#include "controllers/cainjector/reporter.h"
#include "controllers/cainjector/source_loops.h"
#include "controllers/cainjector/sources/source.h"
#include "controllers/cainjector/targets/mutation_cache.h"
#include "controllers/cainjector/targets/schema_check.h"
#include "controllers/cainjector/targets/target.h"
#include "controllers/cainjector/verdict.h"
#include "controllers/cainjector/write_pacer.h"

namespace capstan::cainjector {

// The retry after a failure whose fix sends no event: RBAC, an admission policy.
inline constexpr std::chrono::minutes kSlowRetry{10};
// Applies in one reconciliation, before the queue's backoff begins.
inline constexpr int kApplyAttempts = 3;
// Targets are reconciled at least this often, so that expired certificates are removed.
inline constexpr std::chrono::hours kResyncPeriod{10};

class Injector final : public Reconciler {
 public:
  // `sources` are in order of precedence. `schema`, if any, must succeed before the first write.
  // `find` finds targets of any kind. Everything outlives the injector.
  Injector(rest::Client& client, const Target& target, const cache::StoreReader& targets,
           std::vector<Source*> sources, Reporter& reporter, CaInjectorOptions options,
           SchemaCheck* schema = nullptr, SourceLoops::FindTarget find = {});

  tl::expected<Result, ReconcileError> Reconcile(std::stop_token stop,
                                                 const Request& request) override;

 private:
  using Outcome = tl::expected<Result, ReconcileError>;

  Outcome NotRequested(const runtime::Object& object);
  Outcome Inject(std::stop_token stop, const runtime::ObjectPtr& object,
                 const SelectedSource& selected);
  // Ends a reconciliation of a target that is written too often.
  Outcome Delay(const runtime::Object& object, const Source& source);
  // Returns true when `content` is still the cached object and selects the same source.
  bool StillSelects(const runtime::Object& content, const runtime::Object& cached,
                    const SelectedSource& selected) const;
  // Ends a reconciliation that writes no (further) bundle to `content`.
  Outcome Finish(std::stop_token stop, const runtime::Object& cached, runtime::ObjectPtr content,
                 const SelectedSource& selected, const Verdict& verdict);
  // Returns whether the write may be for an older version of the object.
  bool MayBeStale(const Error& error) const;
  // Returns the object as written.
  Expected<runtime::ObjectPtr> Apply(std::stop_token stop, const runtime::Object& cached,
                                     const runtime::Object& content,
                                     const std::vector<std::string>& bundles);
  // Handles the failure of an API call for `object`. `doing` is "get".
  Outcome FailCall(std::string_view doing, const runtime::Object& object, const Source& source,
                   const Error& error);
  Outcome Fail(const runtime::Object& object, const Source& source, const Failure& failure);
  CertificateTime Now() const;

  rest::Client& client_;
  const Target& target_;
  const cache::StoreReader& targets_;
  const std::vector<Source*> sources_;
  const SourceLoops loops_;
  Reporter& reporter_;
  const CaInjectorOptions options_;
  SchemaCheck* const schema_;
  MutationCache contents_;
  WritePacer pacer_;
  FieldOwner owner_;
};

}  // namespace capstan::cainjector
