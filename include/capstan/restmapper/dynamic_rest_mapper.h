// SPDX-License-Identifier: Apache-2.0
// DynamicRestMapper is a RestMapper that reads discovery when it needs to. A kind with a version
// costs one request for its group and version, once. A name without a version or group costs two
// requests for everything, once, on a server with aggregated discovery; else also one for each
// version of the group.
//
// A kind or resource that is unknown is looked up again: a CustomResourceDefinition may be new. The
// same question is sent to the server at most once in reload_period, so that a kind that never
// exists does not cost a request for each call. A version that a reload does not find any more is
// forgotten.
//
// While the server of a group is down, its kinds fail with the error of that group (such as
// kServiceUnavailable) and not with kNoMatch, and so does a bare name that no other group has. The
// other groups work. Thread-safe; concurrent calls share their requests.
//
// Mirrors controller-runtime's apiutil.NewDynamicRESTMapper. Differs: upstream has no limit on
// reloads; a call without a version finds the preferred version, even if another one was loaded
// before; a bare resource name finds every group.
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

struct CAPSTAN_EXPORT DynamicRestMapperOptions {
  // The shortest time between two requests for the same unknown name.
  Clock::Duration reload_period = std::chrono::seconds(1);
  Clock& clock = Clock::Real();
};

class CAPSTAN_EXPORT DynamicRestMapper final : public RestMapper {
 public:
  // Sends no request. `client` outlives the mapper.
  explicit DynamicRestMapper(rest::Client& client, DynamicRestMapperOptions options = {});
  ~DynamicRestMapper() override;

  Expected<std::vector<runtime::GroupVersionKind>> KindsFor(
      const rest::CallOptions& call, const runtime::GroupVersionResource& resource) override;
  Expected<std::vector<runtime::GroupVersionResource>> ResourcesFor(
      const rest::CallOptions& call, const runtime::GroupVersionResource& resource) override;
  Expected<std::vector<RestMapping>> RestMappingsFor(
      const rest::CallOptions& call, const runtime::GroupKind& kind,
      const std::vector<std::string>& versions = {}) override;
  Expected<std::string> ResourceSingularizer(const rest::CallOptions& call,
                                             std::string_view resource) override;

  // Forgets everything that was found.
  void Reset();

 private:
  struct Rep;
  std::unique_ptr<Rep> rep_;
};

}  // namespace capstan::restmapper
