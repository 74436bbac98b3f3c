// SPDX-License-Identifier: Apache-2.0
// Program runs a program of capstan as a child process with a log file, and reads its /metrics on a
// loopback port. One thread.
#pragma once

#include <sys/types.h>

#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "capstan/error.h"
#include "capstan/transport/http_transport.h"

namespace capstan::cmd::capstan_demo {

struct ProgramOptions {
  std::string name;       // of a file beside this program: "capstan-node-agent"
  std::string path = {};  // replaces the file beside this program
  std::vector<std::string> arguments = {};
  std::string log_path = {};  // for stdout and stderr
};

// Program is killed when its parent dies. It has its own process group, so that Ctrl-C goes to the
// parent only.
class Program {
 public:
  Program() = default;
  ~Program() { Stop(); }
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  // Returns the command line.
  Expected<std::string> Start(const ProgramOptions& options);
  bool Running() { return !Reap(); }
  // Reports whether the program was started and has ended.
  bool Ended() { return pid_ > 0 && Reap(); }
  // Returns the sum of the series `name` in /metrics whose labels contain `label`, such as
  // result="NotAllowed". Returns nullopt if there is no such series, or no response.
  std::optional<double> Metric(std::string_view name, std::string_view label = {}) const;
  // Returns a field of /proc/<pid>/status ("VmRSS", "VmHWM") as text: "9.1 MiB".
  std::string Memory(const std::string& field) const;
  // Sends SIGTERM and, after a timeout, SIGKILL. Returns the exit code, or 128 + the signal. Memory
  // and metrics are unknown afterwards.
  int Stop();
  // Returns the end of the log.
  std::deque<std::string> LastLines() const;

 private:
  // Reports whether it is not running. exit_code_ is set when it was started.
  bool Reap();

  pid_t pid_ = -1;
  std::optional<int> exit_code_;
  std::unique_ptr<transport::HttpTransport> metrics_;
  std::string log_path_;
};

// Returns the sum of the series in a text of /metrics, as Program::Metric.
std::optional<double> SumOfSeries(std::string_view text, std::string_view name,
                                  std::string_view label);

}  // namespace capstan::cmd::capstan_demo
