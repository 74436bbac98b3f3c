// SPDX-License-Identifier: Apache-2.0
// SourceLoops reads the source of a target without what leads back to the target. A ConfigMap or a
// ClusterTrustBundle can be both a target and a source. If two of them name each other, no
// certificate could ever leave them, and without merging each would replace the other's bundle. An
// annotation that names such a loop is a kBadAnnotation, and an item of a list that does is left
// out.
//
// A signer name is not followed. The bundles of a signer are united, so that nothing is replaced.
// Thread-safe if `find` is. Has no upstream.
#pragma once

#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "controllers/cainjector/rules/source_list.h"
#include "controllers/cainjector/sources/source.h"
#include "controllers/cainjector/targets/target.h"
#include "controllers/cainjector/verdict.h"

namespace capstan::cainjector {

// Returns the annotation that names targets of this kind as sources, or "".
std::string_view SourceAnnotationOf(const Target& target);

class SourceLoops {
 public:
  // Returns the object `key` of the kind with this SourceAnnotationOf, if bundles are injected into
  // it, otherwise nullptr.
  using FindTarget = std::function<runtime::ObjectPtr(
      std::stop_token stop, std::string_view annotation, const std::string& key)>;
  // `sources` are in order of precedence, and outlive this. Without `find`, only targets that name
  // themselves are found. `shared_namespaces` is that of SourceOptions: a source that a target may
  // not use is not followed, so that no message names it.
  SourceLoops(std::vector<Source*> sources, FindTarget find,
              std::vector<std::string> shared_namespaces = {})
      : sources_(std::move(sources)),
        find_(std::move(find)),
        shared_namespaces_(std::move(shared_namespaces)) {}

  // Returns what the source that `object` selects returns. `object` is of target.type().
  tl::expected<SourceBundlePtr, Failure> Get(std::stop_token stop, const Target& target,
                                             const runtime::Object& object,
                                             const SelectedSource& selected) const;

 private:
  struct Place;
  static std::optional<Place> PlaceOf(const SourceItem& item);
  static std::optional<Place> PlaceOf(std::string_view annotation, const runtime::Object& object);
  // Reports whether targets in `target_namespace` may use `object`, which is at `place`.
  bool MayUse(const Place& place, const runtime::Object& object,
              std::string_view target_namespace) const;
  // Returns a failure when the bundle in `first` comes from `start`.
  std::optional<Failure> FindLoop(const std::stop_token& stop, const Place& start,
                                  const SourceItem& first) const;

  const std::vector<Source*> sources_;
  const FindTarget find_;
  const std::vector<std::string> shared_namespaces_;
};

}  // namespace capstan::cainjector
