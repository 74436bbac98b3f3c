// SPDX-License-Identifier: Apache-2.0
// Source: one place CA certificates come from, chosen by an annotation on the target. A target uses
// the first of its sources whose annotation is present, whatever its value: no fall-through.
// Implementations are thread-safe. Mirrors caDataSource in cert-manager's
// pkg/controller/cainjector/sources.go.
#pragma once

#include <memory>
#include <stop_token>
#include <string>
#include <string_view>
#include <tl/expected.hpp>

#include "controllers/cainjector/bundle.h"
#include "controllers/cainjector/reason.h"

namespace controllers::cainjector {

struct SourceBundle {
  Certificates certificates;  // at least one
  std::string text;           // as the source has it; kept only when bundles are not merged
};
using SourceBundlePtr = std::shared_ptr<const SourceBundle>;

class Source {
 public:
  virtual ~Source() = default;
  // The annotation that names an object of this source. Also the name of the index, in the
  // targets' informers, from its value to the targets.
  virtual std::string_view annotation() const = 0;
  virtual std::string_view kind() const = 0;  // "Secret", for Events and metrics
  // What the object named by the annotation's value holds.
  virtual tl::expected<SourceBundlePtr, Failure> Get(std::stop_token stop,
                                                     std::string_view value) = 0;
};

}  // namespace controllers::cainjector
