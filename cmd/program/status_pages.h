// SPDX-License-Identifier: Apache-2.0
// StatusPages: what both programs answer to people who look: /statusz (HTML, or JSON with
// ?format=json), /flagz, and /debug/loglevel, which also sets -v. None of it holds secret data.
//
// Made before the endpoints are served, outlives them; the pages are asked for on their thread.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "clientgo/cache/informer_factory.h"
#include "clientgo/util/clock.h"
#include "cmd/program/options.h"
#include "controllers/runtime/manager.h"
#include "controllers/runtime/serving.h"
#include "featuregate/feature_gate.h"
#include "metrics/metrics.h"
#include "statusz/page.h"

namespace cmd::program {

class StatusPages {
 public:
  struct Program {
    std::string name;
    std::vector<std::string> flags = {};  // FlagSet::Values
    std::vector<featuregate::FeatureGate::State> gates = {};
    std::function<double()> queue_length = {};
    // The program's own facts, tables and plots, after those of all programs.
    std::function<void(statusz::Page& page)> fill = {};
  };
  explicit StatusPages(Program program);

  // Adds the pages, and the samples of memory and queue, to the endpoints.
  void AddTo(controllers::runtime::EndpointServerOptions& endpoints, StatusAccess access);

 private:
  using Answer = controllers::runtime::EndpointPage::Answer;

  Answer Statusz(const httpserver::Request& request) const;
  Answer Flagz() const;
  void Sample();

  const Program program_;
  const clientgo::util::Clock::WallTime started_;
  statusz::History memory_;
  statusz::History queue_;
};

// The endpoints that every program has.
controllers::runtime::EndpointServerOptions MetricsEndpoints(
    controllers::runtime::BindAddress address, std::optional<controllers::runtime::ServingTls> tls,
    metrics::Metrics& metrics, controllers::runtime::Manager& manager);

// GET: "v=2". PUT with the number as body: sets it, until the next PUT or restart.
controllers::runtime::EndpointPage::Answer LogLevel(const httpserver::Request& request);

// How the caches are doing.
statusz::Table CachesTable(
    const std::vector<clientgo::cache::SharedInformerFactory::CacheStatus>& caches);
// "3m10s ago", or "never".
std::string Ago(clientgo::util::Clock::Duration age);

}  // namespace cmd::program
