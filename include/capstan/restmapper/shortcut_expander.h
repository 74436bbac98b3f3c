// SPDX-License-Identifier: Apache-2.0
// ShortcutExpander is a RestMapper that also accepts short names: "deploy" for "deployments".
// CategoryExpander returns the resources of a category, such as "all". Both read discovery on first
// use, and again for an unknown name or after the server of a group was down, at most once in
// reload_period. Thread-safe.
//
//   ShortcutExpander mapper(dynamic_mapper, client);
//   auto resource = mapper.ResourceFor(stop, {.resource = "deploy"});
//
// A full name or a singular is never read as a short name. If discovery fails, names are passed on
// unchanged.
//
// Mirrors restmapper.NewShortcutExpander and NewDiscoveryCategoryExpander. Differs: no warning for
// a short name that several resources have (the first one is used); upstream reads discovery for
// each call unless its client has a cache.
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "capstan/clock.h"
#include "capstan/export.h"
#include "capstan/restmapper/rest_mapper.h"

namespace capstan::restmapper {

struct CAPSTAN_EXPORT ExpanderOptions {
  // The shortest time between two reads of discovery.
  Clock::Duration reload_period = std::chrono::seconds(10);
  Clock& clock = Clock::Real();
};

class CAPSTAN_EXPORT ShortcutExpander final : public RestMapper {
 public:
  // `delegate` and `client` outlive it. It sends no request yet.
  ShortcutExpander(RestMapper& delegate, rest::Client& client, ExpanderOptions options = {});
  ~ShortcutExpander() override;

  Expected<std::vector<runtime::GroupVersionKind>> KindsFor(
      const rest::CallOptions& call, const runtime::GroupVersionResource& resource) override;
  Expected<std::vector<runtime::GroupVersionResource>> ResourcesFor(
      const rest::CallOptions& call, const runtime::GroupVersionResource& resource) override;
  Expected<std::vector<RestMapping>> RestMappingsFor(
      const rest::CallOptions& call, const runtime::GroupKind& kind,
      const std::vector<std::string>& versions = {}) override;
  Expected<std::string> ResourceSingularizer(const rest::CallOptions& call,
                                             std::string_view resource) override;

 private:
  struct Rep;
  std::unique_ptr<Rep> rep_;
};

class CAPSTAN_EXPORT CategoryExpander {
 public:
  // `client` outlives it. It sends no request yet.
  explicit CategoryExpander(rest::Client& client, ExpanderOptions options = {});
  ~CategoryExpander();

  // Returns the resources of a category, in the order of discovery. Fails with kNoMatch if no
  // resource is in it.
  Expected<std::vector<runtime::GroupResource>> Expand(const rest::CallOptions& call,
                                                       std::string_view category) const;

 private:
  struct Rep;
  std::unique_ptr<Rep> rep_;
};

}  // namespace capstan::restmapper
