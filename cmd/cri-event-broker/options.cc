// SPDX-License-Identifier: Apache-2.0
#include "cmd/cri-event-broker/options.h"

#include <string_view>

#include "capstan/error.h"
#include "capstan/flags/value.h"

namespace capstan::cmd::cri_event_broker {

namespace {

using flags::Bind;

constexpr std::size_t kPathMax = 100;  // a unix socket's address has 108

bool IsSocketPath(std::string_view path) {
  return path.starts_with('/') && path.size() <= kPathMax;
}

// Binds a socket's path, which follows `scheme` in the flag.
flags::CustomVariable SocketPath(std::string& path, std::string_view scheme,
                                 std::string_view expected, std::string usual) {
  const auto set = [=, &path](const std::string& flag, const std::string& text) -> Expected<void> {
    if (!text.starts_with(scheme) || !IsSocketPath(text.substr(scheme.size()))) {
      return flags::InvalidArgument(text, flag, expected);
    }
    path = text.substr(scheme.size());
    return {};
  };
  return {.text = std::move(usual), .set = set};
}

}  // namespace

flags::FlagSet NewFlagSet(Options& options) {
  flags::FlagSet set(
      {.name = kProgramName,
       .description =
           "capstan-cri-event-broker notifies capstan-node-agent when containers are\n"
           "created and deleted. Only this program opens the container runtime's socket.\n"
           "It makes one call (GetContainerEvents) and cannot access the API server."});
  set.AddSection(
      "Sockets",
      {Bind("runtime-endpoint",
            SocketPath(options.runtime_socket, "unix://",
                       "expected unix:// and an absolute path of at most 100 bytes, e.g. "
                       "unix:///run/containerd/containerd.sock",
                       "unix:///run/containerd/containerd.sock"),
            "CRI socket of the container runtime: unix:// and an absolute path. For CRI-O: "
            "unix:///run/crio/crio.sock."),
       Bind("socket",
            SocketPath(options.socket, "",
                       "expected the absolute path, at most 100 bytes, that "
                       "capstan-node-agent listens at",
                       ""),
            "Socket of the node agent: an absolute path of at most 100 bytes. It receives "
            "one datagram for each container that is created or deleted. Required.")});
  set.AddSection("Logging", {{.name = "v",
                              .type = flags::Type::kInt,
                              .type_name = "Level",
                              .usage = "Log verbosity. 2 logs every wait."}});
  return set;
}

}  // namespace capstan::cmd::cri_event_broker
