// SPDX-License-Identifier: Apache-2.0
// RunTest runs the test of an example on the embedded API server or on any other. The checks are
// those of include/capstan/testing/require.h, which need no test framework.
#pragma once

#include <cstdio>
#include <exception>
#include <iostream>
#include <string>
#include <string_view>

#include "capstan/testing/apiserver/server.h"
#include "capstan/testing/require.h"
#include "capstan/testing/temp_dir.h"

using capstan::testing::Require;
using capstan::testing::Value;

// Returns what a command prints.
inline std::string Output(const std::string& command) {
  std::string text;
  FILE* out = popen(command.c_str(), "r");
  Require(out != nullptr, command);
  for (int c = std::fgetc(out); c != EOF; c = std::fgetc(out)) text += static_cast<char>(c);
  Require(pclose(out) == 0, command);
  return text;
}

// Calls `test`, which needs no API server. Returns the exit code of the test program.
template <class Test>
int RunUnitTest(Test test) {
  try {
    test();
    return 0;
  } catch (const std::exception& error) {
    std::cerr << "FAILED: " << error.what() << '\n';
    return 1;
  }
}

// Calls `test` with a kubeconfig: of the embedded API server, which starts in milliseconds, or of
// the last two arguments, --real KUBECONFIG. Returns the exit code of the test program.
template <class Test>
int RunTest(int argc, char** argv, Test test) {
  return RunUnitTest([&] {
    if (argc > 2 && std::string_view(argv[argc - 2]) == "--real") {
      test(std::string(argv[argc - 1]));
      return;
    }
    capstan::testing::apiserver::Server server;
    Value(server.Start(), "the embedded API server starts");
    const capstan::testing::TempDir folder;
    test(folder.Write("kubeconfig", server.Kubeconfig("")));
  });
}
