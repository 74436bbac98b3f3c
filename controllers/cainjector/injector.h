// SPDX-License-Identifier: Apache-2.0
// Injector: the Reconciler of one kind of target: cached target -> source -> merged bundles ->
// compare -> one server-side apply when, and only when, something differs; then our entries in
// managedFields, as FieldOwner wants them. What it wrote comes back as an event, compares equal,
// and costs no request. An apply names the version that was read: after a write by somebody else,
// the target is read and decided on again at once, kApplyAttempts times in all.
//
// Several workers may run it. Mirrors cert-manager's pkg/controller/cainjector/reconciler.go.
// Differs on purpose: it compares before it writes, a source that is no CA bundle never reaches a
// target, no write of somebody else is undone, and what no retry can mend is not retried in a hot
// loop.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "clientgo/cache/store.h"
#include "clientgo/rest/client.h"
#include "clientgo/util/clock.h"
#include "controllers/cainjector/field_ownership.h"
#include "controllers/cainjector/reporter.h"
#include "controllers/cainjector/sources/source.h"
#include "controllers/cainjector/targets/target.h"
#include "controllers/cainjector/targets/target_contents.h"
#include "controllers/cainjector/verdict.h"
#include "controllers/runtime/reconciler.h"

namespace controllers::cainjector {

// After a failure that no event will end: RBAC, an admission policy.
inline constexpr std::chrono::minutes kSlowRetry{10};
// Writes in one look, before the queue's backoff takes over.
inline constexpr int kApplyAttempts = 3;
// Targets are looked at again at least this often, so that expired certificates leave them.
inline constexpr std::chrono::hours kResyncPeriod{10};

struct InjectorOptions {
  bool merge_bundles = true;  // else the source's text is the bundle, verbatim
  FieldOwnership field_ownership = FieldOwnership::kKeep;
  clientgo::util::Clock& clock = clientgo::util::Clock::Real();
};

class Injector final : public runtime::Reconciler {
 public:
  // `sources` in order of precedence. Everything outlives the injector.
  Injector(clientgo::rest::Client& client, const Target& target,
           const clientgo::cache::StoreReader& targets, std::vector<Source*> sources,
           Reporter& reporter, InjectorOptions options);

  tl::expected<runtime::Result, runtime::ReconcileError> Reconcile(
      std::stop_token stop, const runtime::Request& request) override;

 private:
  using Outcome = tl::expected<runtime::Result, runtime::ReconcileError>;

  Outcome NotAsked(const clientgo::runtime::Object& object);
  Outcome Inject(std::stop_token stop, const clientgo::runtime::ObjectPtr& object,
                 const Asked& asked);
  bool StillAsks(const clientgo::runtime::Object& content, const clientgo::runtime::Object& cached,
                 const Asked& asked) const;
  // Once `content` holds what it should, or cannot.
  Outcome Finish(std::stop_token stop, const clientgo::runtime::Object& cached,
                 clientgo::runtime::ObjectPtr content, const Asked& asked, const Verdict& verdict);
  // The object as written.
  clientgo::util::Expected<clientgo::runtime::ObjectPtr> Apply(
      std::stop_token stop, const clientgo::runtime::Object& cached,
      const clientgo::runtime::Object& content, const std::vector<std::string>& bundles);
  // An API call for `object` that went wrong: `doing` is "get".
  Outcome FailCall(std::string_view doing, const clientgo::runtime::Object& object,
                   const Source& source, const clientgo::util::Error& error);
  Outcome Fail(const clientgo::runtime::Object& object, const Source& source,
               const Failure& failure);
  CertificateTime Now() const;

  clientgo::rest::Client& client_;
  const Target& target_;
  const clientgo::cache::StoreReader& targets_;
  const std::vector<Source*> sources_;
  Reporter& reporter_;
  const InjectorOptions options_;
  TargetContents contents_;
  FieldOwner owner_;
};

}  // namespace controllers::cainjector
