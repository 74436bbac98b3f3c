// SPDX-License-Identifier: Apache-2.0
// LivePage: the demo's Record in a browser of this machine: http://127.0.0.1:<port>/, as HTML or
// with ?format=json. Read-only.
#pragma once

#include <cstdint>
#include <string>

#include "cmd/capstan/demo/record.h"
#include "httpserver/server.h"

namespace cmd::capstan::demo {

class LivePage {
 public:
  // `record` outlives it. Port 0: any free one.
  LivePage(const Record& record, std::uint16_t port);

  clientgo::util::Expected<void> Start();
  std::string url() const;  // after Start
  void Stop();

 private:
  httpserver::Server server_;
};

}  // namespace cmd::capstan::demo
