// SPDX-License-Identifier: Apache-2.0
// Inspector: how it is with targets, found out from the API server alone: by the rules that the
// Injector goes by (controllers/cainjector/verdict.h), with what the one who asks may read.
//
// What depends on the process that injects (its flags, its rights) no object tells. Flags may be
// given: InspectorOptions::injector. Else it is taken from that process's last Event on the target,
// when a target does not hold what it should. What
// the one who asks may not read, and what got no answer, is not found out: it breaks nothing.
// Nothing is written. For one thread.
#pragma once

#include <map>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "clientgo/api/event.h"
#include "clientgo/rest/client.h"
#include "cmd/capstan/inspect/finding.h"
#include "controllers/cainjector/options.h"
#include "controllers/cainjector/source_registry.h"
#include "controllers/cainjector/verdict.h"

namespace cmd::capstan::inspect {

struct InspectorOptions {
  bool try_write = false;  // what is pending is written as a dry run: the API server may refuse
  controllers::cainjector::CaInjectorOptions injector = {};
};

class Inspector {
 public:
  // `client` outlives it.
  Inspector(clientgo::rest::Client& client, const InspectorOptions& options)
      : client_(client),
        options_(options),
        sources_(controllers::cainjector::LiveReaders(client, options.injector), options.injector),
        watched_(controllers::cainjector::TargetsOf(options.injector.kinds)) {}

  // kNotFound names what there is instead, when something is like it.
  clientgo::util::Expected<Finding> Look(const std::stop_token& stop,
                                         const controllers::cainjector::Target& target,
                                         const std::string& name);
  // All of the kinds in options.injector.kinds that ask for injection, by kind, then by name.
  clientgo::util::Expected<std::vector<Finding>> LookAtAll(const std::stop_token& stop);

 private:
  using Events = std::map<std::string, clientgo::api::EventFields>;  // the last one, by uid

  clientgo::util::Expected<clientgo::runtime::ObjectPtr> Fetch(
      const std::stop_token& stop, const controllers::cainjector::Target& target,
      const std::string& name);
  Events EventsOf(const std::stop_token& stop, const std::string& field_selector);
  // nullopt: it is being deleted.
  std::optional<Finding> LookAt(const std::stop_token& stop,
                                const controllers::cainjector::Target& target,
                                clientgo::runtime::ObjectPtr object);
  // A failure that was met while looking.
  void Fail(controllers::cainjector::Failure failure, Finding& finding) const;
  void Judge(const std::stop_token& stop, const controllers::cainjector::SelectedSource& asked,
             Finding& finding);
  void TryWrite(const std::stop_token& stop, Finding& finding);
  void Hear(const Events& events, Finding& finding) const;
  clientgo::util::Error NoSuch(const std::stop_token& stop,
                               const controllers::cainjector::Target& target,
                               const std::string& name);

  clientgo::rest::Client& client_;
  const InspectorOptions options_;
  controllers::cainjector::SourceRegistry sources_;
  const std::vector<const controllers::cainjector::Target*> watched_;
};

}  // namespace cmd::capstan::inspect
