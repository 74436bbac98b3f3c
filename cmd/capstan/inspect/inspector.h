// SPDX-License-Identifier: Apache-2.0
// Inspector determines the state of targets from the API server alone. It uses the Injector's rules
// (controllers/cainjector/verdict.h) and the caller's rights, and writes nothing. Not thread-safe.
//
// The manager's flags and rights are in no object. The caller may pass the flags
// (InspectorOptions::injector). Otherwise the manager's last Event on a target counts, if the
// target lacks its bundle. What the caller may not read, and what gets no answer, is kUnknown.
#pragma once

#include <map>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "capstan/api/event.h"
#include "capstan/rest/client.h"
#include "cmd/capstan/inspect/finding.h"
#include "controllers/cainjector/options.h"
#include "controllers/cainjector/source_loops.h"
#include "controllers/cainjector/source_set.h"
#include "controllers/cainjector/verdict.h"

namespace capstan::cmd::cli::inspect {

struct InspectorOptions {
  bool try_write = false;  // write pending bundles as a dry run, which the API server may reject
  cainjector::CaInjectorOptions injector = {};
};

class Inspector {
 public:
  // `client` must outlive the Inspector.
  Inspector(rest::Client& client, const InspectorOptions& options)
      : client_(client),
        options_(options),
        sources_(client, options.injector),
        watched_(cainjector::TargetsOf(options.injector.kinds)),
        loops_(
            sources_.all(),
            [this](const std::stop_token& stop, std::string_view annotation,
                   const std::string& key) { return FindTarget(stop, annotation, key); },
            options.injector.shared_source_namespaces) {}

  // `name` is "namespace/name" for a kind with namespaces. kNotFound suggests a similar name, if
  // there is one.
  Expected<Finding> Look(const std::stop_token& stop, const cainjector::Target& target,
                         const std::string& name);
  // Returns all targets of options.injector.kinds that request injection, by kind, then by name.
  Expected<std::vector<Finding>> LookAtAll(const std::stop_token& stop);

 private:
  using Events = std::map<std::string, api::EventFields>;  // the last Event by uid

  Expected<runtime::ObjectPtr> Fetch(const std::stop_token& stop, const runtime::ResourceType& type,
                                     const std::string& name);
  Expected<std::vector<runtime::ObjectPtr>> ListTargets(const std::stop_token& stop,
                                                        const cainjector::Target& target);
  void AddEvents(const std::stop_token& stop, const std::string& ns,
                 const std::string& field_selector, Events& last);
  // Returns why a manager with these flags does not watch the object, apart from its label.
  std::optional<Finding::Unwatched> WhyUnwatched(const cainjector::Target& target,
                                                 const runtime::Object& object) const;
  bool IsLabelled(const std::stop_token& stop, const cainjector::Target& target,
                  const std::string& name);
  // nullopt: the object is being deleted.
  std::optional<Finding> LookAt(const std::stop_token& stop, const cainjector::Target& target,
                                runtime::ObjectPtr object);
  // Sets a failure that occurred while reading.
  void Fail(cainjector::Failure failure, Finding& finding) const;
  void Judge(const std::stop_token& stop, const cainjector::SelectedSource& selected,
             Finding& finding);
  // As SourceLoops::FindTarget.
  runtime::ObjectPtr FindTarget(const std::stop_token& stop, std::string_view annotation,
                                const std::string& key);
  void TryWrite(const std::stop_token& stop, Finding& finding);
  void ApplyEvent(const Events& events, Finding& finding) const;
  Error NoSuch(const std::stop_token& stop, const cainjector::Target& target,
               const std::string& name);

  rest::Client& client_;
  const InspectorOptions options_;
  cainjector::SourceSet sources_;
  const std::vector<const cainjector::Target*> watched_;
  const cainjector::SourceLoops loops_;
};

}  // namespace capstan::cmd::cli::inspect
