// SPDX-License-Identifier: Apache-2.0
// A program whose Controller writes a log line for each ConfigMap, with --namespaces only of these
// namespaces. With --webhooks it has a webhook for Foo. manager_program_test.cc runs it.
#include <glog/logging.h>

#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "capstan/builder.h"
#include "capstan/crd.h"
#include "capstan/manager_program.h"
#include "capstan/webhook/builder.h"

namespace {

struct ConfigMap {
  capstan::ObjectMeta metadata = {};
};
struct Foo {
  capstan::ObjectMeta metadata = {};
};
struct Bar {
  capstan::ObjectMeta metadata = {};
};

}  // namespace

template <>
inline constexpr auto capstan::kKind<ConfigMap> =
    Kind("", "v1", "ConfigMap", "configmaps").Namespaced().Partial();
template <>
inline constexpr auto capstan::kKind<Foo> = Kind("x.io", "v1", "Foo", "foos").Namespaced();
template <>
inline constexpr auto capstan::kKind<Bar> = Kind("x.io", "v1", "Bar", "bars").Namespaced();

int main(int argc, char** argv) {
  using capstan::Manager;
  using capstan::Request;
  using capstan::metrics::Metrics;
  std::string verb = "Reconciled";
  std::vector<std::string> namespaces;
  bool webhooks = false;
  return capstan::RunManager(
      argc, argv,
      {.name = "example-manager",
       .description = "example-manager logs ConfigMaps.",
       .version = "1.2.3",
       .set_up = [&](Manager& manager, Metrics& metrics) -> capstan::Expected<void> {
         if (webhooks) {
           auto served = capstan::webhook::WebhookFor<Foo>(manager)
                             .ValidateCreate([](const Foo&) {})
                             .Complete();
           if (!served) return served;
         }
         const std::shared_ptr<Metrics::Counter> reconciled = metrics.NewCounter(
             "example_reconciled_total", "Reconciled ConfigMaps.", {"namespace"});
         return ControllerFor<ConfigMap>(manager).Complete(
             [&verb, reconciled](std::stop_token, const Request& request) {
               reconciled->Add({request.namespace_});
               LOG(INFO) << verb << " " << request.String();
             });
       },
       .add_flags =
           [&](capstan::flags::FlagSet& flags) {
             flags.AddSection(
                 "Example",
                 {{.name = "verb", .usage = "The first word of each log line.", .variable = &verb},
                  {.name = "namespaces",
                   .usage = "The namespaces of the ConfigMaps. Empty: all.",
                   .variable = &namespaces},
                  {.name = "webhooks",
                   .usage = "Validate objects of the kind Foo.",
                   .variable = &webhooks}});
           },
       .crds = {capstan::CustomResourceDefinition<Foo>(), capstan::CustomResourceDefinition<Bar>()},
       .configure = [&](capstan::ManagerOptions& options) -> capstan::Expected<void> {
         if (verb.empty()) return Err(capstan::ErrorReason::kInvalidArgument, "--verb is empty");
         options.cluster.cache.namespaces = namespaces;
         return {};
       },
       .webhook = {.host = "127.0.0.1"}});
}
