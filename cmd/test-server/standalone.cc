// SPDX-License-Identifier: Apache-2.0
#include "cmd/test-server/standalone.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <stop_token>
#include <utility>

#include "capstan/clientcmd/manifest.h"
#include "capstan/file.h"
#include "capstan/flags/flag_set.h"
#include "capstan/runnable.h"
#include "capstan/signals.h"
#include "capstan/testing/apiserver/server.h"
#include "cmd/test-server/token.h"
#include "cmd/test-server/write_file.h"

namespace capstan::cmd::test_server {
namespace {

using flags::Bind;
using flags::Number;
using flags::Type;

constexpr char kUser[] = "admin";

struct StandaloneOptions {
  std::string address = "127.0.0.1";
  std::uint16_t port = 0;
  std::string kubeconfig;
  std::string load;  // files with objects, see flags::SplitArray
  bool run_controllers = false;
  bool until_stdin_ends = false;
};

flags::FlagSet NewFlagSet(StandaloneOptions& options) {
  flags::FlagSet set(
      {.name = "capstan-test-server",
       .description =
           "capstan-test-server serves a Kubernetes API for tests, from memory. It starts in\n"
           "milliseconds, writes a kubeconfig of an administrator, and prints a line with its URL\n"
           "when it serves. SIGINT and SIGTERM end it, and its objects with it.\n\n"
           "Under the names kube-apiserver and etcd it takes the place of these programs in\n"
           "envtest: KUBEBUILDER_ASSETS=$(capstan envtest) go test ./...\n"
           "docs/test-server.md says how it differs from a real server."});
  set.AddSection(
      "Test server",
      {Bind("kubeconfig", &options.kubeconfig,
            "File to write: the kubeconfig of an administrator. Only its owner can read it. "
            "Required."),
       Bind("address", &options.address, "IP address to listen on."),
       Bind("port", Number(&options.port, 0, 65'535), "Port to serve on. 0: any free port."),
       Bind("load", &options.load,
            "YAML or JSON file with objects to create before the server serves, for example "
            "CustomResourceDefinitions. May be repeated.",
            Type::kStringArray),
       Bind("run-controllers", &options.run_controllers,
            "Run what the server has of kube-controller-manager: delete objects whose owners do "
            "not exist, and the contents of deleted namespaces; aggregate ClusterRoles."),
       Bind("until-stdin-ends", &options.until_stdin_ends,
            "Also stop when stdin ends, so that no server is left behind by a test that holds the "
            "other end of a pipe.")});
  set.AddSection("Log", flags::LogFlags("Verbosity of the log."));
  return set;
}

Expected<void> Load(const std::string& file, testing::apiserver::Server& server) {
  const auto text = ReadFile(file);
  if (!text) return Err(text.error());
  auto manifests = clientcmd::ParseManifests(*text, file);
  if (!manifests) return Err(std::move(manifests.error()));
  std::vector<std::string> objects;
  for (auto& manifest : *manifests) objects.push_back(std::move(manifest.json));
  auto created = server.CreateObjects(std::move(objects));
  if (!created) return Err(created.error().Wrap("failed to load " + file));
  return {};
}

// Blocks until `stop`, or until the end of stdin.
void WaitForStopOrStdin(const std::stop_token& stop) {
  const FileDescriptor stopped(eventfd(0, EFD_CLOEXEC));
  const std::stop_callback wake(stop, [&stopped] { eventfd_write(stopped.get(), 1); });
  std::array<pollfd, 2> both = {{{.fd = stopped.get(), .events = POLLIN, .revents = 0},
                                 {.fd = STDIN_FILENO, .events = POLLIN, .revents = 0}}};
  std::array<char, 4096> ignored = {};
  while (!stop.stop_requested()) {
    if (poll(both.data(), both.size(), -1) < 0 && errno != EINTR) return;
    if (both[1].revents != 0 && read(STDIN_FILENO, ignored.data(), ignored.size()) <= 0) return;
  }
}

Expected<void> Serve(const StandaloneOptions& options) {
  const SignalWaiter signals;
  const std::string token = NewToken();
  testing::apiserver::Server server({.address = options.address,
                                     .port = options.port,
                                     .authorization = testing::apiserver::Authorization::kRbac,
                                     .tokens = {{token, kUser}},
                                     .groups = {{kUser, {"system:masters"}}},
                                     .garbage_collection = options.run_controllers,
                                     .cluster_role_aggregation = options.run_controllers});
  if (auto started = server.Start(); !started) return started;
  for (const std::string& file : flags::SplitArray(options.load)) {
    if (auto loaded = Load(file, server); !loaded) return loaded;
  }
  if (auto ok = WriteFile(options.kubeconfig, server.Kubeconfig(token), 0600); !ok) return ok;
  std::printf("serving on %s\n", server.url().c_str());
  std::fflush(stdout);
  if (options.until_stdin_ends) {
    WaitForStopOrStdin(signals.token());
  } else {
    WaitForStop(signals.token());
  }
  return {};
}

}  // namespace

Expected<void> RunStandalone(const std::vector<std::string>& arguments) {
  StandaloneOptions options;
  flags::FlagSet set = NewFlagSet(options);
  const auto runs = set.ParseOrPrint(arguments);
  if (!runs) return Err(runs.error());
  if (!*runs) return {};
  if (auto valid = set.Check(); !valid) return valid;
  if (options.kubeconfig.empty()) {
    return Err(ErrorReason::kInvalidArgument,
               "--kubeconfig is required: the file to write, such as --kubeconfig=kubeconfig");
  }
  return Serve(options);
}

}  // namespace capstan::cmd::test_server
