// SPDX-License-Identifier: Apache-2.0
// capstan-cri-event-broker is the only program that opens the container runtime's socket. See
// privileges.h for the privileges that it drops. Exit codes: 0 after SIGINT or SIGTERM, --help and
// --version; 1 after an error, which is printed as one line; 130 after a second signal.
#include <gflags/gflags.h>
#include <glog/logging.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "capstan/clock.h"
#include "capstan/heap.h"
#include "capstan/log.h"
#include "capstan/logging.h"
#include "capstan/signals.h"
#include "capstan/thread.h"
#include "cmd/cri-event-broker/event_stream.h"
#include "cmd/cri-event-broker/forwarder.h"
#include "cmd/cri-event-broker/options.h"
#include "cmd/cri-event-broker/privileges.h"
#include "cmd/cri-event-broker/runtime_reader.h"

namespace {

using capstan::Kv;
using capstan::cmd::cri_event_broker::EventMailbox;
using capstan::cmd::cri_event_broker::Forwarder;
using capstan::cmd::cri_event_broker::RuntimeReader;
using capstan::flags::FlagSet;

int Fail(const capstan::Error& error) {
  std::fprintf(stderr, "%s: %s\n", capstan::cmd::cri_event_broker::kProgramName,
               error.message.c_str());
  return EXIT_FAILURE;
}

// Forwards events until `stop`. The runtime's stream is closed when this returns.
void Forward(std::stop_token stop, const capstan::cmd::cri_event_broker::Options& options) {
  auto& clock = capstan::Clock::Real();
  EventMailbox mailbox;
  RuntimeReader reader(clock, mailbox,
                       {.socket = options.runtime_socket,
                        .new_stream = [endpoint = "unix://" + options.runtime_socket] {
                          return capstan::cmd::cri_event_broker::NewGrpcEventStream(endpoint);
                        }});
  Forwarder forwarder(mailbox, options.socket);
  const std::jthread reading = capstan::StartThread(
      "cri-reader", [&reader](const std::stop_token& done) { reader.Run(done); });
  const std::jthread ticking = capstan::StartThread("cri-ticker", [&](const std::stop_token& done) {
    do mailbox.AddHeartbeat(reader.Tick());
    while (clock.SleepFor(done, std::chrono::seconds(1)));
  });
  const std::stop_callback stopped(std::move(stop), [&mailbox] { mailbox.Stop(); });
  forwarder.Run();
}

int Run(const std::vector<std::string>& arguments) {
  capstan::cmd::cri_event_broker::Options options;
  FlagSet flags = capstan::cmd::cri_event_broker::NewFlagSet(options);
  const auto runs = flags.ParseOrPrint(arguments);
  if (!runs) return Fail(runs.error());
  if (!*runs) return EXIT_SUCCESS;
  if (const auto checked = flags.Check(); !checked) return Fail(checked.error());
  // Before any thread starts and any socket is opened.
  if (const auto dropped = capstan::cmd::cri_event_broker::DropPrivileges(); !dropped) {
    return Fail(dropped.error());
  }
  const capstan::SignalWaiter signals;
  capstan::InfoS("Starting", "runtime", options.runtime_socket, "agent", options.socket);
  Forward(signals.token(), options);
  capstan::InfoS("Stopped");
  return EXIT_SUCCESS;
}

}  // namespace

int main(int argc, char** argv) {
  capstan::KeepHeapSmall();
  capstan::KeepStacksSmall();
  capstan::BlockSignals();
  FLAGS_logtostderr = true;
  FLAGS_log_year_in_prefix = false;
  google::InitGoogleLogging(argv[0]);
  return Run({argv + 1, argv + argc});
}
