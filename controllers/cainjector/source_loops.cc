// SPDX-License-Identifier: Apache-2.0
#include "controllers/cainjector/source_loops.h"

#include <compare>
#include <cstddef>
#include <memory>
#include <set>
#include <utility>

#include "controllers/cainjector/rules/annotations.h"
#include "controllers/cainjector/rules/trust_bundle_reference.h"
#include "controllers/cainjector/sources/consent.h"
#include "controllers/cainjector/targets/cluster_trust_bundle_target.h"
#include "controllers/cainjector/targets/config_map_target.h"

namespace capstan::cainjector {

using Outcome = tl::expected<SourceBundlePtr, Failure>;

namespace {

constexpr std::size_t kShownMax = 5;  // objects of a loop in a message

// Returns the items of a list, or the only source of another annotation. Views into `selected`.
std::vector<SourceItem> ItemsOf(const SelectedSource& selected) {
  if (selected.source == nullptr) return {};
  const std::string_view annotation = selected.source->annotation();
  if (annotation != kInjectCaFromSources) {
    return {{.kind = selected.source->kind(),
             .annotation = annotation,
             .value = selected.value,
             .text = {}}};
  }
  return ParseSourceList(selected.value).value_or(std::vector<SourceItem>());
}

}  // namespace

// Place is where a bundle is in an object that can be a target and a source.
struct SourceLoops::Place {
  std::string_view annotation;  // SourceAnnotationOf the kind
  std::string key;
  std::string data_key = {};  // of a ConfigMap

  friend auto operator<=>(const Place&, const Place&) = default;  // NOLINT(modernize-use-nullptr)
  // Empty: the kind has none.
  std::string_view Namespace() const {
    const std::string_view text = key;
    return text.substr(0, annotation == kInjectCaFromConfigMap ? text.find('/') : 0);
  }
  std::string Text() const {
    return (annotation == kInjectCaFromConfigMap ? "ConfigMap " : "ClusterTrustBundle ") + key;
  }
};

std::string_view SourceAnnotationOf(const Target& target) {
  if (&target == &ConfigMapTarget()) return kInjectCaFromConfigMap;
  for (const std::string_view version : {"v1", "v1beta1"}) {
    if (&target == &ClusterTrustBundleTarget(version)) return kInjectCaFromTrustBundle;
  }
  return {};
}

std::optional<SourceLoops::Place> SourceLoops::PlaceOf(const SourceItem& item) {
  if (item.annotation == kInjectCaFromConfigMap) {
    const KeyReference reference = SplitKeyReference(item.value);
    return Place{item.annotation, std::string(reference.object), std::string(reference.data_key)};
  }
  const std::string_view name = TrustBundleObject(item.value);
  if (item.annotation != kInjectCaFromTrustBundle || !IsTrustBundleName(name)) return std::nullopt;
  return Place{item.annotation, std::string(name)};
}

std::optional<SourceLoops::Place> SourceLoops::PlaceOf(std::string_view annotation,
                                                       const runtime::Object& object) {
  if (annotation.empty()) return std::nullopt;
  Place place{annotation, std::string(object.key())};
  if (annotation != kInjectCaFromConfigMap) return place;
  place.data_key = Target::Annotation(object, kInjectCaKey).value_or("ca.crt");
  if (!IsDataKey(place.data_key)) return std::nullopt;
  return place;
}

bool SourceLoops::MayUse(const Place& place, const runtime::Object& object,
                         std::string_view target_namespace) const {
  if (place.annotation != kInjectCaFromConfigMap) return true;
  return !NeedsConsent(shared_namespaces_, place.Namespace(), target_namespace) ||
         AllowsNamespace(Target::Annotation(object, kAllowInjectionInto).value_or(""),
                         target_namespace);
}

// Searches in breadth, so that the message has the shortest way.
std::optional<Failure> SourceLoops::FindLoop(const std::stop_token& stop, const Place& start,
                                             const SourceItem& first) const {
  struct Step {
    Place place;
    std::size_t from;  // the index of the step before it; its own for the first
  };
  auto place = PlaceOf(first);
  if (!place) return std::nullopt;
  std::set<Place> seen = {*place};
  std::vector<Step> steps = {{*std::move(place), 0}};
  for (std::size_t at = 0; at < steps.size(); ++at) {
    const Place here = steps[at].place;
    const std::string_view reader =
        at == 0 ? start.Namespace() : steps[steps[at].from].place.Namespace();
    const runtime::ObjectPtr object = find_ ? find_(stop, here.annotation, here.key) : nullptr;
    if (object != nullptr && !MayUse(here, *object, reader)) continue;
    if (here == start) {
      std::vector<std::string> way;
      for (std::size_t i = at; i != 0; i = steps[i].from) {
        way.insert(way.begin(), steps[steps[i].from].place.Text());
      }
      std::string message = "the target is a source of itself";
      for (std::size_t i = 0; i < way.size() && i <= kShownMax; ++i) {
        message += (i == 0 ? ", through " : ", ") + (i == kShownMax ? "..." : way[i]);
      }
      // The fix may be a change of any object on the way, and only that of the first is an event.
      return Failure{.reason = Reason::kBadAnnotation,
                     .message = message + "; name another source",
                     .watched = false};
    }
    if (object == nullptr || PlaceOf(here.annotation, *object) != here) continue;
    for (const SourceItem& item : ItemsOf(SelectSource(*object, sources_))) {
      auto next = PlaceOf(item);
      if (next && seen.insert(*next).second) steps.push_back({*std::move(next), at});
    }
  }
  return std::nullopt;
}

Outcome SourceLoops::Get(std::stop_token stop, const Target& target, const runtime::Object& object,
                         const SelectedSource& selected) const {
  const auto start = PlaceOf(SourceAnnotationOf(target), object);
  std::vector<Failure> failures;
  std::string others;
  const auto items = start ? ItemsOf(selected) : std::vector<SourceItem>();
  for (const SourceItem& item : items) {
    if (auto loop = FindLoop(stop, *start, item)) {
      loop->item = item.text;
      failures.push_back(*std::move(loop));
    } else {
      others += (others.empty() ? "" : ", ") + std::string(item.text);
    }
  }
  const std::string_view ns = object.namespace_();
  if (failures.empty()) return selected.source->Get(stop, selected.value, ns);
  if (failures.front().item.empty()) return tl::unexpected(std::move(failures.front()));
  if (others.empty()) return tl::unexpected(CombineFailures(std::move(failures), items.size()));
  auto bundle = selected.source->Get(std::move(stop), others, ns);
  if (!bundle && IsCanceled(bundle.error().error)) return bundle;
  const std::optional<Failure> more =
      bundle ? (*bundle)->incomplete : std::optional(bundle.error());
  if (more) failures.insert(failures.end(), more->causes.begin(), more->causes.end());
  Failure combined = CombineFailures(std::move(failures), items.size());
  if (!bundle) return tl::unexpected(std::move(combined));
  SourceBundle left = **bundle;  // a copy: other targets may share the original
  left.incomplete = std::move(combined);
  return std::make_shared<const SourceBundle>(std::move(left));
}

}  // namespace capstan::cainjector
