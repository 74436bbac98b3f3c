// SPDX-License-Identifier: Apache-2.0
// MemoryCurve: what a CA injector takes on this machine, by the number of objects in the API
// server: one embedded server, filled in steps, and a fresh process of the program at each. Blocks.
#pragma once

#include <functional>
#include <stop_token>
#include <string>
#include <vector>

#include "clientgo/util/error.h"
#include "statusz/page.h"

namespace cmd::capstan::demo {

enum class FillWith { kSecrets, kCustomResourceDefinitions };

struct Injector {
  std::string name;  // "capstan-controller-manager"; of the file beside this program, too
  std::string path = {};
  std::vector<std::string> arguments = {};  // $KUBECONFIG is set; the metrics' address is added
  // A part of its user agent, for one whose metrics do not tell what its caches hold.
  std::string user_agent = {};
};

struct CurveOptions {
  FillWith kind = FillWith::kSecrets;
  int objects = 0;     // in the last of the steps
  std::string folder;  // for kubeconfigs and logs; exists
  std::vector<Injector> injectors;
};

inline constexpr int kCurveSteps = 4;  // from none to all
inline constexpr int kCrdKib = 100;    // of each definition, as the large ones are

// One line each injector: peak resident memory (VmHWM) in bytes once its caches are full.
clientgo::util::Expected<std::vector<statusz::Chart::Line>> MeasureMemory(
    const std::stop_token& stop, const CurveOptions& options,
    const std::function<void(const std::string&)>& progress);

}  // namespace cmd::capstan::demo
