// SPDX-License-Identifier: Apache-2.0
// An operator for Memcacheds: flags and metrics of its own, a CustomResourceDefinition, a
// Controller.
#include "capstan/crd.h"
#include "capstan/manager_program.h"
#include "memcached/controller.h"
#include "memcached/memcached.h"

int main(int argc, char** argv) {
  Settings settings;
  return capstan::RunManager(
      argc, argv,
      {.name = "memcached-operator",
       .description = "memcached-operator runs a memcached for each Memcached.",
       .version = "1.0.0",
       .set_up =
           [&](capstan::Manager& manager, capstan::metrics::Metrics& metrics) {
             return AddMemcachedController(manager, metrics, settings);
           },
       .add_flags =
           [&](capstan::flags::FlagSet& flags) {
             flags.AddSection("Images", {{.name = "image-registry",
                                          .usage = "The prefix of the names of all images.",
                                          .variable = &settings.image_registry}});
           },
       .crds = {capstan::CustomResourceDefinition<Memcached>()}});
}
