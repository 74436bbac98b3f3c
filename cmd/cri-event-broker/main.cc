// SPDX-License-Identifier: Apache-2.0
// capstan-cri-event-broker: the only program that opens the container runtime's socket; see
// broker.h for what it does there, privileges.h for what it can no longer do. Exit codes: 0 stopped
// by SIGINT or SIGTERM, --help, --version; 1 an error, told in one line; 130 a second signal.
#include <gflags/gflags.h>
#include <glog/logging.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "clientgo/util/heap.h"
#include "clientgo/util/logging.h"
#include "cmd/cri-event-broker/broker.h"
#include "cmd/cri-event-broker/cri/grpc_event_stream.h"
#include "cmd/cri-event-broker/options.h"
#include "cmd/cri-event-broker/privileges.h"
#include "controllers/runtime/signals.h"

namespace {

using clientgo::util::Kv;
using cmd::flags::FlagSet;

int Fail(const clientgo::util::Error& error) {
  std::fprintf(stderr, "%s: %s\n", cmd::cri_event_broker::kProgramName, error.message.c_str());
  return EXIT_FAILURE;
}

int Print(const std::string& text) {
  return std::fputs(text.c_str(), stdout) < 0 ? EXIT_FAILURE : EXIT_SUCCESS;
}

int Run(const std::vector<std::string>& arguments) {
  FlagSet flags = cmd::cri_event_broker::NewFlagSet();
  const auto action = flags.Parse(arguments);
  if (!action) return Fail(action.error());
  if (*action == FlagSet::Action::kPrintHelp) return Print(flags.Help());
  if (*action == FlagSet::Action::kPrintVersion) return Print(flags.Version());
  const auto options = cmd::cri_event_broker::ReadOptions();
  if (!options) return Fail(options.error());
  // Before any thread, and before the socket is opened.
  if (const auto dropped = cmd::cri_event_broker::DropPrivileges(); !dropped) {
    return Fail(dropped.error());
  }
  const controllers::runtime::SignalWaiter signals;
  LOG(INFO) << Kv("Starting", "runtime", options->runtime_socket, "agent", options->socket);
  cmd::cri_event_broker::RunBroker(
      signals.token(), clientgo::util::Clock::Real(),
      {.reader = {.socket = options->runtime_socket,
                  .new_stream =
                      [endpoint = "unix://" + options->runtime_socket] {
                        return cmd::cri_event_broker::NewGrpcEventStream(endpoint);
                      }},
       .socket = options->socket});
  LOG(INFO) << Kv("Stopped");
  return EXIT_SUCCESS;
}

}  // namespace

int main(int argc, char** argv) {
  clientgo::util::KeepHeapSmall();
  controllers::runtime::BlockSignals();
  FLAGS_logtostderr = true;
  FLAGS_log_year_in_prefix = false;
  google::InitGoogleLogging(argv[0]);
  return Run({argv + 1, argv + argc});
}
