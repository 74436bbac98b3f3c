// SPDX-License-Identifier: Apache-2.0
// RunTest runs the test of an example on the embedded API server or on any other. The other
// functions are checks that need no test framework.
#pragma once

#include <cstdio>
#include <exception>
#include <iostream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "capstan/clientgo/util/error.h"
#include "capstan/testing/apiserver/server.h"
#include "capstan/testing/temp_dir.h"

// Ends the test with the text `what` unless the condition is true.
inline void Require(bool condition, const std::string& what) {
  if (!condition) throw std::runtime_error(what);
}

// Returns the value of a result. Ends the test after an error.
template <class T>
T Value(capstan::clientgo::util::Expected<T> result, const std::string& what) {
  Require(result.has_value(), what + ": " + (result ? "" : result.error().message));
  if constexpr (!std::is_void_v<T>) return *std::move(result);
}

// Returns what a command prints.
inline std::string Output(const std::string& command) {
  std::string text;
  FILE* out = popen(command.c_str(), "r");
  Require(out != nullptr, command);
  for (int c = std::fgetc(out); c != EOF; c = std::fgetc(out)) text += static_cast<char>(c);
  Require(pclose(out) == 0, command);
  return text;
}

// Calls `test` with a kubeconfig: of the embedded API server, which starts in milliseconds, or of
// the last two arguments, --real KUBECONFIG. Returns the exit code of the test program.
template <class Test>
int RunTest(int argc, char** argv, Test test) {
  try {
    if (argc > 2 && std::string_view(argv[argc - 2]) == "--real") {
      test(std::string(argv[argc - 1]));
      return 0;
    }
    capstan::testing::apiserver::Server server;
    Value(server.Start(), "the embedded API server starts");
    const capstan::testing::TempDir folder;
    test(folder.Write("kubeconfig", server.Kubeconfig("")));
    return 0;
  } catch (const std::exception& error) {
    std::cerr << "FAILED: " << error.what() << '\n';
    return 1;
  }
}
