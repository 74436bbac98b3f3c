// SPDX-License-Identifier: Apache-2.0
// e2e_pod_commands KUBECONFIG NAMESPACE POD PORT PATH -- COMMAND... prints what the commands of
// Client<Pod> do on a real node, one line each: the end of the pod's log, the output and the exit
// code of the command, which reads this program's standard input, and the first line of the HTTP
// response to PATH. pods.py compares them.
#include <cstdlib>
#include <iostream>
#include <iterator>
#include <string>
#include <vector>

#include "capstan/api/core/v1/pod.h"
#include "capstan/client.h"
#include "capstan/clientcmd/config.h"

namespace {

using capstan::Expected;
using PodClient = capstan::Client<capstan::api::core::v1::Pod>;
using capstan::runtime::ObjectKey;

Expected<void> PrintLog(const PodClient& pods, const ObjectKey& key) {
  std::string log;
  auto read = pods.Logs({}, key, {.tail_lines = 1}, [&](std::string_view bytes) { log += bytes; });
  if (!read) return read;
  std::cout << "log " << log << (log.ends_with('\n') ? "" : "\n");
  return {};
}

Expected<void> PrintCommand(const PodClient& pods, const ObjectKey& key,
                            std::vector<std::string> command) {
  const std::string input{std::istreambuf_iterator<char>(std::cin), {}};
  std::string output;
  const auto add = [&](std::string_view bytes) { output += bytes; };
  const auto code = pods.Exec(
      {}, key,
      {.command = std::move(command), .input = input, .on_output = add, .on_error_output = add});
  if (!code) return tl::unexpected(code.error());
  std::cout << "exit " << *code << " output " << output << (output.ends_with('\n') ? "" : "\n");
  return {};
}

Expected<void> PrintPort(const PodClient& pods, const ObjectKey& key, int port,
                         const std::string& path) {
  const auto connection = pods.PortForward({}, key, port);
  if (!connection) return tl::unexpected(connection.error());
  auto written =
      (*connection)->Write("GET " + path + " HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
  if (!written) return written;
  std::string response;
  for (;;) {
    const auto bytes = (*connection)->Read();
    if (!bytes) return tl::unexpected(bytes.error());
    if (bytes->empty()) break;
    response += *bytes;
  }
  std::cout << "port " << response.substr(0, response.find('\r')) << " of " << response.size()
            << " bytes\n";
  return {};
}

Expected<void> Run(const std::vector<std::string>& arguments) {
  auto config = capstan::clientcmd::LoadConfig({.kubeconfig = arguments[0]});
  if (!config) return tl::unexpected(config.error());
  const auto client = capstan::rest::Client::New(*std::move(config));
  if (!client) return tl::unexpected(client.error());
  const PodClient pods(**client);
  const ObjectKey key{arguments[1], arguments[2]};
  if (auto done = PrintLog(pods, key); !done) return done;
  if (auto done = PrintCommand(pods, key, {arguments.begin() + 6, arguments.end()}); !done) {
    return done;
  }
  return PrintPort(pods, key, std::atoi(arguments[3].c_str()), arguments[4]);
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  if (arguments.size() < 7 || arguments[5] != "--") {
    std::cerr << "usage: e2e_pod_commands KUBECONFIG NAMESPACE POD PORT PATH -- COMMAND...\n";
    return 2;
  }
  const auto done = Run(arguments);
  if (!done) std::cerr << done.error().message << '\n';
  return done ? 0 : 1;
}
