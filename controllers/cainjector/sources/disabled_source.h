// SPDX-License-Identifier: Apache-2.0
// DisabledSource: stands where a source would be that this process was told not to use. Its
// annotation still counts, and hides those that come after it; the target is told why nothing
// happens. Immutable. Differs from upstream, which retries such a target for ever.
#pragma once

#include <string>
#include <utility>

#include "controllers/cainjector/sources/source.h"

namespace controllers::cainjector {

class DisabledSource final : public Source {
 public:
  // `why`: "--enable-certificates-data-source=false".
  DisabledSource(std::string_view annotation, std::string_view kind, std::string why)
      : annotation_(annotation), kind_(kind), why_(std::move(why)) {}

  std::string_view annotation() const override { return annotation_; }
  std::string_view kind() const override { return kind_; }
  tl::expected<SourceBundlePtr, Failure> Get(std::stop_token /*stop*/,
                                             std::string_view /*value*/) override {
    return Fail(Reason::kSourceDisabled, kind_ + "s are disabled as a source (" + why_ + ")");
  }

 private:
  const std::string annotation_;
  const std::string kind_;
  const std::string why_;
};

}  // namespace controllers::cainjector
