// SPDX-License-Identifier: Apache-2.0
// Source: one place CA certificates come from, chosen by an annotation on the target. A target uses
// the first of its sources whose annotation is present, whatever its value: no fall-through.
// Implementations are thread-safe. Mirrors caDataSource in cert-manager's
// pkg/controller/cainjector/sources.go.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

#include "clientgo/runtime/object.h"
#include "clientgo/util/error.h"
#include "controllers/cainjector/rules/bundle.h"
#include "controllers/cainjector/rules/namespace_scope.h"
#include "controllers/cainjector/rules/reason.h"

namespace controllers::cainjector {

struct SourceBundle {
  Certificates certificates;  // at least one
  std::string text;           // as the source has it; kept only when bundles are not merged
  bool watched = true;        // as in Failure
};
using SourceBundlePtr = std::shared_ptr<const SourceBundle>;

class Source {
 public:
  virtual ~Source() = default;
  // The annotation that names an object of this source. Also the name of the index, in the
  // targets' informers, from Reference() of its value to the targets.
  virtual std::string_view annotation() const = 0;
  virtual std::string_view kind() const = 0;  // "Secret", for Events and metrics
  // The key of the object that the value names, whether it can be one or not. nullopt: with this
  // value the annotation is as good as absent.
  virtual std::optional<std::string> Reference(std::string_view value) const {
    return std::string(value);
  }
  // "Secret ns/ca", for people.
  virtual std::string Describe(std::string_view value) const {
    return std::string(kind()) + " " + std::string(value);
  }
  // What the object named by the annotation's value holds.
  virtual tl::expected<SourceBundlePtr, Failure> Get(std::stop_token stop,
                                                     std::string_view value) = 0;
};

// What sources of Kubernetes objects have in common.
struct SourceOptions {
  NamespaceScope scope = {};
  // Whether the caches can be trusted: an error says why not. Empty: always.
  std::function<clientgo::util::Expected<void>()> available = {};
  bool keep_text = false;  // fill SourceBundle::text
};

// For implementations.

tl::unexpected<Failure> Fail(Reason reason, std::string message);
// What a Secret, a Certificate or a ConfigMap may be called.
bool IsObjectName(std::string_view name);
// "namespace/name" with nothing missing and nothing more, of names that can exist; kBadAnnotation
// names the annotation, what it should name ("a Secret"), and the value.
tl::expected<clientgo::runtime::ObjectKey, Failure> ParseReference(std::string_view annotation,
                                                                   std::string_view what,
                                                                   std::string_view value);
// kBadAnnotation: `annotation` has `value`, which must be `expected`.
tl::unexpected<Failure> BadAnnotation(std::string_view annotation, std::string_view value,
                                      std::string_view expected);
// kSourceUnavailable when options.available says so.
tl::expected<void, Failure> CheckAvailable(const SourceOptions& options);
// The bundle in `pem`, which `where` has ("ca.crt of Secret ns/ca").
tl::expected<SourceBundle, Failure> MakeSourceBundle(std::string_view where, std::string_view pem,
                                                     bool keep_text);

// The same outcome, of an object that is watched or not.
tl::expected<SourceBundlePtr, Failure> AsWatched(bool watched,
                                                 tl::expected<SourceBundlePtr, Failure> outcome);

}  // namespace controllers::cainjector
