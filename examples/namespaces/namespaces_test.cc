// SPDX-License-Identifier: Apache-2.0
// namespaces_test PROGRAM runs the functions and the program of this example against the embedded
// API server, which starts in milliseconds. Exit code 0: passed.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <string>
#include <vector>

#include "capstan/clientgo/rest/client.h"
#include "capstan/testing/apiserver/server.h"
#include "capstan/testing/temp_dir.h"
#include "namespaces.h"

namespace {

using Names = std::vector<std::string>;

void Require(bool condition, const std::string& what) {
  if (condition) return;
  std::cerr << "FAILED: " << what << '\n';
  std::exit(1);
}

// Returns the lines that a command prints.
Names Run(const std::string& command) {
  Names lines(1);
  FILE* out = popen(command.c_str(), "r");
  Require(out != nullptr, command);
  for (int c = std::fgetc(out); c != EOF; c = std::fgetc(out)) {
    if (c == '\n') {
      lines.emplace_back();
    } else {
      lines.back() += static_cast<char>(c);
    }
  }
  Require(pclose(out) == 0, command);
  lines.pop_back();
  return lines;
}

}  // namespace

int main(int argc, char** argv) {
  Require(argc == 2, "usage: namespaces_test PROGRAM");
  capstan::testing::apiserver::Server server;
  const auto started = server.Start();
  Require(started.has_value(), started ? "" : started.error().message);
  const auto created = server.CreateObjects(
      {R"({"apiVersion":"v1","kind":"Namespace","metadata":{"name":"blue"}})"});
  Require(created.has_value(), created ? "" : created.error().message);

  auto client = capstan::clientgo::rest::Client::New(server.Config());
  Require(client.has_value(), "a client");
  const auto names = ListNamespaces(**client);
  Require(names.has_value(), names ? "" : names.error().message);
  Require(std::find(names->begin(), names->end(), "blue") != names->end(), "blue is listed");

  const capstan::testing::TempDir folder;
  const std::string kubeconfig = folder.Write("kubeconfig", server.Kubeconfig(""));
  Require(Run(std::string(argv[1]) + " " + kubeconfig) == *names, "it prints what is listed");

  server.Stop();
  const auto refused = ListNamespaces(**client);
  Require(!refused && refused.error().message.starts_with("failed to list the namespaces: "),
          "an error says what failed");
}
