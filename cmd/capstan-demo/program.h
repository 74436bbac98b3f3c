// SPDX-License-Identifier: Apache-2.0
// Program runs a program of capstan as a child process with a log file, and reads its /metrics on a
// loopback port. Process is the child process. One thread.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "clientgo/transport/http_transport.h"
#include "clientgo/util/clock.h"
#include "clientgo/util/error.h"

namespace cmd::capstan_demo {

// Process is a child process, measured from /proc and stopped by SIGTERM. It is killed when its
// parent dies. It has its own process group, so that Ctrl-C goes to the parent only.
class Process {
 public:
  Process() = default;
  ~Process();  // kills it
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  // Writes stdout and stderr to `log_path`. `environment` has "NAME=value" texts that replace the
  // variables of this process.
  clientgo::util::Expected<void> Start(const std::string& program,
                                       const std::vector<std::string>& arguments,
                                       const std::string& log_path,
                                       const std::vector<std::string>& environment = {});
  bool Running();
  // Returns a field of /proc/<pid>/status in KiB ("VmRSS", "VmHWM"); nullopt after its end.
  std::optional<std::int64_t> MemoryKib(const std::string& field) const;
  // Returns the user and system time so far.
  std::optional<double> CpuSeconds() const;
  // Sends SIGTERM and, after `timeout`, SIGKILL. Returns the exit code, or 128 + the signal.
  int Stop(clientgo::util::Clock::Duration timeout);

 private:
  bool Reap();

  pid_t pid_ = -1;
  std::optional<int> exit_code_;
};

// Returns the path of a program beside the running one.
std::string SiblingProgram(const std::string& name);
// Returns a free TCP port of the loopback interface.
clientgo::util::Expected<std::uint16_t> FreePort();

struct ProgramOptions {
  std::string name;       // of a file beside this program: "capstan-node-agent"
  std::string path = {};  // replaces the file beside this program
  std::vector<std::string> arguments = {};
  std::string log_path = {};
  std::vector<std::string> environment = {};  // see Process::Start
};

class Program {
 public:
  Program() = default;
  ~Program();  // stops it

  // Returns the command line.
  clientgo::util::Expected<std::string> Start(const ProgramOptions& options);
  bool Running() { return started_ && process_.Running(); }
  // Reports whether it ended without Stop.
  bool Ended() { return started_ && !stopped_ && !process_.Running(); }
  // Returns the sum of the series `name` in /metrics whose labels contain `label`, such as
  // result="NotAllowed"; nullopt: there is none, or no answer.
  std::optional<double> Metric(const std::stop_token& stop, const std::string& name,
                               const std::string& label = {}) const;
  // Returns a field of /proc/<pid>/status as text: "9.1 MiB".
  std::string Memory(const std::string& field) const;
  const Process& process() const { return process_; }
  // Returns the exit code. Memory and CPU time are unknown afterwards.
  int Stop();
  // Returns the end of the log.
  std::deque<std::string> LastLines() const;

 private:
  Process process_;
  std::unique_ptr<clientgo::transport::HttpTransport> metrics_;
  std::string log_path_;
  bool started_ = false;
  bool stopped_ = false;
};

// Returns the sum of the series in a text of /metrics, as Program::Metric.
std::optional<double> SumOfSeries(std::string_view text, std::string_view name,
                                  std::string_view label);

}  // namespace cmd::capstan_demo
