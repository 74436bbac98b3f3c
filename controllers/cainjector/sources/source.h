// SPDX-License-Identifier: Apache-2.0
// Source is one place that CA certificates come from, selected by an annotation on the target. A
// target uses the first of its sources whose annotation is present. If that one fails, the next one
// is not tried. Implementations are thread-safe.
//
// Mirrors caDataSource in cert-manager's pkg/controller/cainjector/sources.go.
#pragma once

#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "capstan/cache/lister_watcher.h"
#include "capstan/runtime/object.h"
#include "controllers/cainjector/rules/bundle.h"
#include "controllers/cainjector/rules/distrust.h"
#include "controllers/cainjector/rules/reason.h"
#include "controllers/resolver/resolver.h"

namespace capstan::cainjector {

struct SourceBundle {
  Certificates certificates;  // at least one
  bool watched = true;        // as in Failure
  // kSourcesIncomplete: sources of a list that have failed. The bundle is that of the others.
  std::optional<Failure> incomplete = {};
};
using SourceBundlePtr = std::shared_ptr<const SourceBundle>;

class Source {
 public:
  virtual ~Source() = default;
  // The annotation that names an object of this source.
  virtual std::string_view annotation() const = 0;
  virtual std::string_view kind() const = 0;  // "Secret", for Events and metrics
  // Returns the source for messages: "Secret ns/ca".
  virtual std::string Describe(std::string_view value) const {
    return std::string(kind()) + " " + std::string(value);
  }
  // Returns the bundle of the object that the annotation's value names, for a target in this
  // namespace. Empty: the target has none.
  tl::expected<SourceBundlePtr, Failure> Get(std::stop_token stop, std::string_view value,
                                             std::string_view target_namespace = {}) {
    return GetFor(std::move(stop), value, target_namespace);
  }
  // Reads again what changes without an event. Returns true when the result of Get has changed.
  virtual bool Reload() { return false; }

 protected:
  virtual tl::expected<SourceBundlePtr, Failure> GetFor(std::stop_token stop,
                                                        std::string_view value,
                                                        std::string_view target_namespace) = 0;
};

// DisabledSource replaces a source that this process does not use. Its annotation still takes
// precedence over later ones, and the target gets the reason. Differs from upstream, which retries
// such a target for ever.
class DisabledSource final : public Source {
 public:
  // `cause` is the setting, such as "--enable-certificates-data-source=false".
  DisabledSource(std::string_view annotation, std::string_view kind, std::string cause)
      : annotation_(annotation), kind_(kind), cause_(std::move(cause)) {}

  std::string_view annotation() const override { return annotation_; }
  std::string_view kind() const override { return kind_; }

 private:
  tl::expected<SourceBundlePtr, Failure> GetFor(std::stop_token stop, std::string_view value,
                                                std::string_view target_namespace) override;

  const std::string annotation_;
  const std::string kind_;
  const std::string cause_;
};

// NamespaceScope is the namespaces whose objects may be sources.
struct NamespaceScope {
  std::vector<std::string> namespaces = {};  // empty: all, except `ignored`
  std::vector<std::string> ignored = {};

  // Returns the scopes to watch: one for each namespace, or one for all. The API server sends no
  // object outside of them.
  std::vector<cache::Scope> Watches(const std::string& label_selector = {}) const;
  // Returns kOutsideNamespace for an object outside of the scope, else nullopt.
  std::optional<Failure> Outside(std::string_view kind, const runtime::ObjectKey& key) const;
};

// SourceOptions is what the sources that read Kubernetes objects have in common.
struct SourceOptions {
  NamespaceScope scope = {};
  // The namespaces whose sources need no consent (sources/consent.h). "*": all.
  std::vector<std::string> shared_namespaces = {};
};

// The functions below are for implementations.

tl::unexpected<Failure> Fail(Reason reason, std::string message);
// Returns why `lookup`, which has no object, has none. `name` is that of the object: "Secret
// ns/ca".
Failure LookupFailure(const std::string& name, const resolver::Resolution& lookup);
// Returns the certificates of `bundle` that are not distrusted. Fails with kDistrusted when there
// is none, and with kExpired when all of them have expired at `now` (nullopt: they are not looked
// at).
tl::expected<Certificates, Failure> TrustedOf(const SourceBundle& bundle, const Distrust& distrust,
                                              std::optional<CertificateTime> now);
// Parses "namespace/name", which must be possible names. The error, kBadAnnotation, names the
// annotation, its value, and what it should name (`what`: "a Secret").
tl::expected<runtime::ObjectKey, Failure> ParseReference(std::string_view annotation,
                                                         std::string_view what,
                                                         std::string_view value);
// Returns kBadAnnotation: `annotation` has `value`, which must be `expected`.
tl::unexpected<Failure> BadAnnotation(std::string_view annotation, std::string_view value,
                                      std::string_view expected);
// Parses the bundle in `pem`. `where` is its place for errors: "ca.crt of Secret ns/ca".
tl::expected<SourceBundlePtr, Failure> MakeSourceBundle(std::string_view where,
                                                        std::string_view pem);
// Returns the same outcome for an object that is watched or not.
tl::expected<SourceBundlePtr, Failure> AsWatched(bool watched,
                                                 tl::expected<SourceBundlePtr, Failure> outcome);

}  // namespace capstan::cainjector
