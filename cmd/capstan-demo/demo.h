// SPDX-License-Identifier: Apache-2.0
// RunDemo walks through the steps of the demo, which Steps in demo.cc lists. The verdict counts the
// targets that were read back.
#pragma once

#include <cstdint>
#include <stop_token>
#include <string>

#include "capstan/error.h"

namespace capstan::cmd::capstan_demo {

struct DemoOptions {
  std::string kubeconfig;     // empty: the embedded API server
  std::string manager;        // path; empty: the program beside this one
  std::string node_agent;     // likewise
  std::string feature_gates;  // of the manager
  int secrets = 20'000;
  int configurations = 50;
  int pods = 100;                      // whose gates the node agent opens
  std::string report = "report.html";  // empty: none
  bool serve = false;                  // serve the live page on loopback until Ctrl-C
  std::uint16_t port = 0;              // of the live page; 0: any free port
  bool plain = false;
};

// Returns whether every step passed. Cleans up, also after a failure or `stop`. With `serve` it
// returns when `stop` is requested. Fails, before the first step, when the kubeconfig, the file of
// the report or the port cannot be used.
Expected<bool> RunDemo(const DemoOptions& options, const std::stop_token& stop);

}  // namespace capstan::cmd::capstan_demo
