// SPDX-License-Identifier: Apache-2.0
// secret-mirror copies Secrets into the namespaces that want them.
#include "capstan/manager_program.h"
#include "secret-mirror/controller.h"

int main(int argc, char** argv) {
  Settings settings;
  return capstan::RunManager(
      argc, argv,
      {.name = "secret-mirror",
       .description = "secret-mirror copies each Secret with the label example.com/mirror-group "
                      "into the namespaces with the same value of that label.",
       .set_up = [&](capstan::Manager& manager) { return AddSecretMirror(manager, settings); },
       .add_flags =
           [&](capstan::flags::FlagSet& flags) {
             flags.AddSection(
                 "Copies", {{.name = "retry",
                             .usage = "The time after which a copy whose name is in use is tried "
                                      "again.",
                             .variable = &settings.retry},
                            {.name = "source-namespaces",
                             .usage = "The namespaces whose Secrets may be sources. Empty: all.",
                             .variable = &settings.source_namespaces}});
           },
       .leader_elect = false,
       .configure = [&](capstan::ManagerOptions& options) -> capstan::Expected<void> {
         options.cluster.cache.by_object = CacheOptions(settings).by_object;
         return {};
       }});
}
