// SPDX-License-Identifier: Apache-2.0
// StatusPages serves /statusz (HTML, or JSON with ?format=json), /flagz, and /debug/loglevel, which
// also sets -v. The pages contain no secret data.
//
// It is created before the endpoints and must outlive them. The pages run on their thread.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "capstan/cache/informer_factory.h"
#include "capstan/clock.h"
#include "capstan/export.h"
#include "capstan/featuregate/feature_gate.h"
#include "capstan/program_options.h"
#include "capstan/serving.h"
#include "capstan/statusz/page.h"

namespace capstan {

class CAPSTAN_EXPORT StatusPages {
 public:
  struct Program {
    std::string name;
    std::vector<std::string> flags = {};  // FlagSet::Values
    std::string version = {};             // default: that of this library
    std::vector<featuregate::FeatureGate::State> gates = {};
    std::function<double()> queue_length = {};
    // Adds the facts, tables and plots of this program.
    std::function<void(statusz::Page& page)> fill = {};
  };
  explicit StatusPages(Program program);

  // Adds the pages and the sampling of memory and queue length to the endpoints.
  void AddTo(EndpointServerOptions& endpoints, StatusAccess access);

 private:
  using Answer = EndpointPage::Answer;

  Answer Statusz(const httpserver::Request& request) const;
  void Sample();

  const Program program_;
  const Clock::WallTime started_;
  statusz::History memory_;
  statusz::History queue_;
};

// Answers GET with "v=2". PUT sets the level in the body until the next PUT or restart.
CAPSTAN_EXPORT EndpointPage::Answer LogLevel(const httpserver::Request& request);

// Returns the table of the caches.
CAPSTAN_EXPORT statusz::Table CachesTable(
    const std::vector<cache::SharedInformerFactory::CacheStatus>& caches);
// Returns "3m10s ago".
CAPSTAN_EXPORT std::string Ago(Clock::Duration age);

}  // namespace capstan
