// SPDX-License-Identifier: Apache-2.0
#include "controllers/cainjector/sources/trust_bundle_source.h"

#include <algorithm>
#include <array>
#include <memory>
#include <set>
#include <string>
#include <utility>

#include "controllers/cainjector/api/trust_bundle.h"
#include "controllers/cainjector/rules/trust_bundle_reference.h"
#include "controllers/cainjector/sources/informers.h"

namespace capstan::cainjector {
namespace {

// The index by spec.signerName.
constexpr const char* kBySigner = "spec.signerName";

using Outcome = tl::expected<SourceBundlePtr, Failure>;

const ClusterTrustBundle& AsBundle(const runtime::ObjectPtr& object) {
  return static_cast<const ClusterTrustBundle&>(*object);
}

// Returns the union of the bundles, which are sorted.
Outcome Unite(const TrustBundles& bundles) {
  SourceBundle united;
  std::vector<SourceBundlePtr> parts;  // hold what `seen` refers to
  std::set<std::string_view> seen;
  for (const runtime::ObjectPtr& object : bundles) {
    auto part =
        MakeSourceBundle("spec.trustBundle of ClusterTrustBundle " + std::string(object->name()),
                         AsBundle(object).trust_bundle());
    if (!part || bundles.size() == 1) return part;
    parts.push_back(*std::move(part));
    for (const Certificate& certificate : parts.back()->certificates) {
      if (seen.insert(certificate.der).second) united.certificates.push_back(certificate);
    }
  }
  return std::make_shared<const SourceBundle>(std::move(united));
}

}  // namespace

void AddSignerIndex(const cache::InformerView& bundles) {
  MustAddIndex(bundles, kBySigner, [](const runtime::Object& object) -> std::vector<std::string> {
    const std::string& signer = static_cast<const ClusterTrustBundle&>(object).signer_name();
    if (signer.empty()) return {};
    return {signer};
  });
}

FindTrustBundles CachedTrustBundles(const cache::InformerView& v1,
                                    const cache::InformerView& v1beta1) {
  return [&](const std::stop_token& /*stop*/,
             std::string_view name_or_signer) -> Expected<TrustBundles> {
    const cache::InformerView* bundles = &v1;
    if (const auto listed = resolver::CheckListed(v1.informers()); !listed) {
      bundles = &v1beta1;
      if (const auto older = resolver::CheckListed(v1beta1.informers()); !older) {
        // Returns the error of the served version; of v1 if neither is served.
        return Err(NotServed(v1) && !NotServed(v1beta1) ? older.error() : listed.error());
      }
    }
    if (IsSignerName(name_or_signer)) return bundles->store().ByIndex(kBySigner, name_or_signer);
    TrustBundles found;
    if (auto object = bundles->store().GetByKey(name_or_signer)) found.push_back(std::move(object));
    return found;
  };
}

FindTrustBundles LiveTrustBundles(rest::Client& client) {
  return [&client](const std::stop_token& stop,
                   std::string_view name_or_signer) -> Expected<TrustBundles> {
    const bool is_signer = IsSignerName(name_or_signer);
    Error error;
    for (const auto* type : {&ClusterTrustBundle::TypeV1(), &ClusterTrustBundle::TypeV1Beta1()}) {
      TrustBundles found;
      const auto listed =
          client.List(stop, *type,
                      {.field_selector = (is_signer ? "spec.signerName=" : "metadata.name=") +
                                         std::string(name_or_signer)},
                      [&](const runtime::ObjectPtr& object) {
                        // Files instead of a server have no selectors.
                        const std::string_view value =
                            is_signer ? AsBundle(object).signer_name() : object->name();
                        if (value == name_or_signer) found.push_back(object);
                      });
      if (listed) return found;
      error = listed.error().Wrap("ClusterTrustBundles cannot be read");
      if (!IsNotFound(error)) break;
    }
    return Err(error);
  };
}

std::string TrustBundleSource::Describe(std::string_view value) const {
  const auto reference = ParseTrustBundleReference(value);
  if (!reference || !reference->is_signer) return Source::Describe(value);
  return "ClusterTrustBundles of " + std::string(value);
}

Outcome TrustBundleSource::GetFor(std::stop_token stop, std::string_view value,
                                  std::string_view /*target_namespace*/) {
  const auto reference = ParseTrustBundleReference(value);
  if (!reference) return BadAnnotation(annotation(), value, reference.error().message);
  auto bundles = find_(std::move(stop), reference->object);
  if (!bundles) {
    return tl::unexpected(Failure{.reason = Reason::kSourceUnavailable,
                                  .message = bundles.error().message,
                                  .error = bundles.error()});
  }
  std::erase_if(*bundles, [&](const runtime::ObjectPtr& object) {
    return !reference->selector.Matches(AsBundle(object).labels());
  });
  if (bundles->empty()) {
    return Fail(Reason::kSourceNotFound,
                reference->is_signer
                    ? "no ClusterTrustBundle matches " + std::string(value)
                    : "ClusterTrustBundle " + std::string(value) + " does not exist");
  }
  std::sort(bundles->begin(), bundles->end(),
            [](const runtime::ObjectPtr& a, const runtime::ObjectPtr& b) {
              return a->name() < b->name();
            });
  return Unite(*bundles);
}

}  // namespace capstan::cainjector
