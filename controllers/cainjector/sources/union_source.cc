// SPDX-License-Identifier: Apache-2.0
#include "controllers/cainjector/sources/union_source.h"

#include <glog/logging.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <set>
#include <utility>

#include "capstan/text.h"

namespace capstan::cainjector {
namespace {

using Outcome = tl::expected<SourceBundlePtr, Failure>;

// 32 sources may have 10 MB, which no target could hold.
tl::unexpected<Failure> TooLarge(std::size_t bytes) {
  return Fail(Reason::kTooLarge,
              "the sources of the list have at least " + std::to_string(bytes) +
                  " bytes, and etcd stores at most " + std::to_string(kTargetBytesMax) +
                  " bytes for an object (its flag --max-request-bytes); " + kTooLargeFix);
}

}  // namespace

Source& UnionSource::SourceOf(const SourceItem& item) const {
  const auto found = std::find_if(sources_.begin(), sources_.end(), [&](const Source* source) {
    return source->annotation() == item.annotation;
  });
  CHECK(found != sources_.end()) << item.annotation;
  return **found;
}

std::string UnionSource::Describe(std::string_view value) const {
  const auto items = ParseSourceList(value);
  if (!items) return Source::Describe(value);
  return Join(*items, ", ",
              [this](const SourceItem& item) { return SourceOf(item).Describe(item.value); });
}

Outcome UnionSource::GetFor(std::stop_token stop, std::string_view value,
                            std::string_view target_namespace) {
  const auto items = ParseSourceList(value);
  if (!items) {
    return Fail(Reason::kBadAnnotation,
                "annotation " + std::string(annotation()) + " " + items.error().message);
  }
  SourceBundle united;
  std::vector<SourceBundlePtr> bundles;  // hold what `seen` refers to
  std::set<std::string_view> seen;
  std::vector<Failure> failures;
  std::size_t bytes = 0;
  for (const SourceItem& item : *items) {
    auto bundle = GetItem(stop, item, target_namespace);
    if (!bundle) {
      if (IsCanceled(bundle.error().error)) return bundle;
      bundle.error().item = item.text;
      failures.push_back(std::move(bundle.error()));
      continue;
    }
    bundles.push_back(*std::move(bundle));
    united.watched = united.watched && bundles.back()->watched;
    for (const Certificate& certificate : bundles.back()->certificates) {
      if (!seen.insert(certificate.der).second) continue;
      united.certificates.push_back(certificate);
      bytes += certificate.der.size();
    }
    if (bytes > kTargetBytesMax) return AsWatched(united.watched, TooLarge(bytes));
  }
  if (!failures.empty()) {
    Failure combined = CombineFailures(std::move(failures), items->size());
    if (bundles.empty()) return tl::unexpected(std::move(combined));
    united.incomplete = std::move(combined);
  }
  return std::make_shared<const SourceBundle>(std::move(united));
}

// A source without a trusted certificate fails. A target that is not merged holds expired ones,
// too, as one of a single source.
Outcome UnionSource::GetItem(std::stop_token stop, const SourceItem& item,
                             std::string_view target_namespace) {
  auto bundle = SourceOf(item).Get(std::move(stop), item.value, target_namespace);
  if (!bundle) return bundle;
  std::optional<CertificateTime> now;
  if (!options_.keep_expired)
    now = std::chrono::floor<std::chrono::seconds>(options_.clock.WallNow());
  auto trusted = TrustedOf(**bundle, options_.distrust, now);
  if (!trusted) return tl::unexpected(std::move(trusted.error()));
  return bundle;
}

}  // namespace capstan::cainjector
