// SPDX-License-Identifier: Apache-2.0
// Runnable: what a Manager starts and stops. Mirrors controller-runtime's manager.Runnable.
#pragma once

#include <stop_token>
#include <string>

#include "clientgo/util/error.h"

namespace controllers::runtime {

class Runnable {
 public:
  virtual ~Runnable() = default;
  // Blocks until `stop` is requested and all is put away, or until it failed.
  virtual clientgo::util::Expected<void> Start(std::stop_token stop) = 0;
  virtual std::string name() const = 0;
};

}  // namespace controllers::runtime
