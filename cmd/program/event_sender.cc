// SPDX-License-Identifier: Apache-2.0
#include "cmd/program/event_sender.h"

#include <unistd.h>

#include <array>
#include <utility>

namespace cmd::program {

clientgo::util::Expected<void> EventSender::Start(std::stop_token stop) {
  events_.Run(std::move(stop));
  return {};
}

std::string HostName() {
  std::array<char, 256> name{};
  return gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "";
}

}  // namespace cmd::program
