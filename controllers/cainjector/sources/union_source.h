// SPDX-License-Identifier: Apache-2.0
// UnionSource is several sources, named in a list (rules/source_list.h). The bundle is the union of
// theirs, in the order of the list, without duplicates. Each source keeps its own rules. A source
// that fails is reported in SourceBundle::incomplete, and the bundle is that of the others.
//
// Thread-safe if its sources are. Has no upstream.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "capstan/clock.h"
#include "controllers/cainjector/rules/distrust.h"
#include "controllers/cainjector/rules/source_list.h"
#include "controllers/cainjector/sources/source.h"

namespace capstan::cainjector {

struct UnionOptions {
  bool keep_expired = false;  // do not refuse a source whose certificates have all expired
  Distrust distrust = {};     // sources without another certificate fail
  Clock& clock = Clock::Real();
};

class UnionSource final : public Source {
 public:
  // `sources` has one source for each annotation of a SourceItem. They outlive this.
  UnionSource(std::vector<Source*> sources, UnionOptions options)
      : sources_(std::move(sources)), options_(std::move(options)) {}

  std::string_view annotation() const override { return kInjectCaFromSources; }
  std::string_view kind() const override { return "Union"; }
  // Returns "Secret ns/ca, the API server".
  std::string Describe(std::string_view value) const override;

 private:
  // Fails when every item does, with the reason of the first.
  tl::expected<SourceBundlePtr, Failure> GetFor(std::stop_token stop, std::string_view value,
                                                std::string_view target_namespace) override;

  Source& SourceOf(const SourceItem& item) const;
  tl::expected<SourceBundlePtr, Failure> GetItem(std::stop_token stop, const SourceItem& item,
                                                 std::string_view target_namespace);

  const std::vector<Source*> sources_;
  const UnionOptions options_;
};

}  // namespace capstan::cainjector
