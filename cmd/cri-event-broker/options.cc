// SPDX-License-Identifier: Apache-2.0
#include "cmd/cri-event-broker/options.h"

#include <gflags/gflags.h>

#include <string_view>

DEFINE_string(runtime_endpoint, "unix:///run/containerd/containerd.sock",
              "CRI socket of the container runtime: unix:// and an absolute path. For CRI-O: "
              "unix:///run/crio/crio.sock.");
DEFINE_string(socket, "",
              "Socket of the node agent: an absolute path of at most 100 bytes. It receives one "
              "datagram for each container that is created or deleted. Required.");

namespace capstan::cmd::cri_event_broker {

namespace {

constexpr std::size_t kPathMax = 100;  // a unix socket's address has 108

bool IsSocketPath(std::string_view path) {
  return path.starts_with('/') && path.size() <= kPathMax;
}

}  // namespace

flags::FlagSet NewFlagSet() {
  flags::FlagSet set(
      {.name = kProgramName,
       .description =
           "capstan-cri-event-broker notifies capstan-node-agent when containers are\n"
           "created and deleted. Only this program opens the container runtime's socket.\n"
           "It makes one call (GetContainerEvents) and cannot access the API server."});
  set.AddSection("Sockets", {{.name = "runtime-endpoint"}, {.name = "socket"}});
  set.AddSection("Logging", {{.name = "v",
                              .type = flags::Type::kInt,
                              .type_name = "Level",
                              .usage = "Log verbosity. 2 logs every wait."}});
  return set;
}

Expected<Options> ReadOptions() {
  constexpr std::string_view kScheme = "unix://";
  const std::string_view endpoint = FLAGS_runtime_endpoint;
  if (!endpoint.starts_with(kScheme) || !IsSocketPath(endpoint.substr(kScheme.size()))) {
    return flags::InvalidArgument(
        endpoint, "runtime-endpoint",
        "expected unix:// and an absolute path of at most 100 bytes, e.g. "
        "unix:///run/containerd/containerd.sock");
  }
  if (!IsSocketPath(FLAGS_socket)) {
    return flags::InvalidArgument(FLAGS_socket, "socket",
                                  "expected the absolute path, at most 100 bytes, that "
                                  "capstan-node-agent listens at");
  }
  return Options{.runtime_socket = std::string(endpoint.substr(kScheme.size())),
                 .socket = FLAGS_socket};
}

}  // namespace capstan::cmd::cri_event_broker
