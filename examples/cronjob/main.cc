// SPDX-License-Identifier: Apache-2.0
// cronjob-controller starts Jobs at the times of CronJobs, and serves their webhooks.
#include <utility>

#include "capstan/crd.h"
#include "capstan/manager_program.h"
#include "cronjob/controller.h"
#include "cronjob/webhook.h"

int main(int argc, char** argv) {
  bool webhooks = true;
  return capstan::RunManager(
      argc, argv,
      {.name = "cronjob-controller",
       .description = "cronjob-controller starts Jobs at the times of CronJobs.",
       .set_up = [&](capstan::Manager& manager) -> capstan::Expected<void> {
         if (auto added = AddCronJobController(manager, manager.clock()); !added) {
           return capstan::Err(std::move(added.error()));
         }
         if (!webhooks) return {};
         return AddCronJobWebhooks(manager);
       },
       .add_flags =
           [&](capstan::flags::FlagSet& flags) {
             flags.AddSection("Webhooks",
                              {{.name = "enable-webhooks",
                                .usage = "Serves the webhooks. They need a certificate in "
                                         "--webhook-cert-path.",
                                .variable = &webhooks}});
           },
       .crds = {capstan::CustomResourceDefinition<CronJob>()},
       .leader_elect = false});
}
