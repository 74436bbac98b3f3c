// SPDX-License-Identifier: Apache-2.0
// A program whose Controller writes a log line for each ConfigMap. manager_program_test.cc runs it.
#include <glog/logging.h>

#include "capstan/controller_runtime/builder.h"
#include "capstan/program/manager_program.h"

namespace {

struct ConfigMap {
  capstan::ObjectMeta metadata = {};
};

}  // namespace

template <>
inline constexpr auto capstan::kKind<ConfigMap> =
    capstan::Kind("", "v1", "ConfigMap", "configmaps").Namespaced().Partial();

int main(int argc, char** argv) {
  using capstan::controller_runtime::Manager;
  using capstan::controller_runtime::Request;
  return capstan::program::RunManager(
      argc, argv,
      {.name = "example-manager",
       .description = "example-manager logs ConfigMaps.",
       .set_up = [](Manager& manager) -> capstan::clientgo::util::Expected<void> {
         auto built = ControllerFor<ConfigMap>(manager).Reconcile(
             [](std::stop_token, const Request& request) {
               LOG(INFO) << "Reconciled " << request.String();
             });
         if (!built) return tl::unexpected(std::move(built.error()));
         return {};
       }});
}
