// SPDX-License-Identifier: Apache-2.0
// Process: one of the real programs as a child process: started, measured from /proc, stopped by
// SIGTERM. It dies with its parent, whatever ends that, and is not in its process group: a Ctrl-C
// is for the demo, which stops its children itself. One thread.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "clientgo/util/clock.h"
#include "clientgo/util/error.h"

namespace cmd::capstan::demo {

class Process {
 public:
  Process() = default;
  ~Process();  // kills what still runs
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  // Its stderr goes to `log_path`. `environment`: "NAME=value", instead of what this process has of
  // that name.
  clientgo::util::Expected<void> Start(const std::string& program,
                                       const std::vector<std::string>& arguments,
                                       const std::string& log_path,
                                       const std::vector<std::string>& environment = {});
  bool Running();
  // A field of /proc/<pid>/status in KiB ("VmRSS", "VmHWM"); nullopt when it is gone.
  std::optional<std::int64_t> MemoryKib(const std::string& field) const;
  // User and system time used so far.
  std::optional<double> CpuSeconds() const;
  // SIGTERM, then waits; SIGKILL after `patience`. The exit code, or 128 + the signal.
  int Stop(clientgo::util::Clock::Duration patience);

 private:
  bool Reap();

  pid_t pid_ = -1;
  std::optional<int> exit_code_;
};

// The path of a program beside the running one.
std::string SiblingProgram(const std::string& name);
// A TCP port of the loopback interface that nobody listens on right now.
clientgo::util::Expected<std::uint16_t> FreePort();

}  // namespace cmd::capstan::demo
