// SPDX-License-Identifier: Apache-2.0
// sample-controller keeps a Deployment for each Foo. Mirrors main.go of
// kubernetes/sample-controller.
#include "capstan/crd.h"
#include "capstan/manager_program.h"
#include "sample-controller/controller.h"

int main(int argc, char** argv) {
  return capstan::RunManager(argc, argv,
                             {.name = "sample-controller",
                              .description = "sample-controller keeps a Deployment for each Foo.",
                              .set_up = AddSampleController,
                              .crds = {capstan::CustomResourceDefinition<Foo>()},
                              .leader_elect = false});
}
