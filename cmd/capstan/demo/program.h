// SPDX-License-Identifier: Apache-2.0
// Program: one of our programs as the demo runs it: a process, its log, and its /metrics on a
// loopback port of its own. One thread.
#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "clientgo/transport/http_transport.h"
#include "cmd/capstan/demo/process.h"

namespace cmd::capstan::demo {

struct ProgramOptions {
  std::string name;       // of the file beside this program: "capstan-node-agent"
  std::string path = {};  // instead of that one
  std::vector<std::string> arguments = {};
  std::string log_path = {};
  std::vector<std::string> environment = {};  // as Process::Start has it
};

class Program {
 public:
  Program() = default;
  ~Program();  // stops it

  // The command line that was started.
  clientgo::util::Expected<std::string> Start(const ProgramOptions& options);
  // False before Start, too.
  bool Running() { return started_ && process_.Running(); }
  // By itself: nobody has stopped it.
  bool Ended() { return started_ && !stopped_ && !process_.Running(); }
  // The sum of the series of its /metrics that are called `name` and whose labels hold `label`, a
  // text like result="NotAllowed"; nullopt while it does not serve, or has none.
  std::optional<double> Metric(const std::stop_token& stop, const std::string& name,
                               const std::string& label = {}) const;
  // "9.1 MiB", of a field of /proc/<pid>/status.
  std::string Memory(const std::string& field) const;
  const Process& process() const { return process_; }
  // Its exit code. What it used is then known no more.
  int Stop();
  // The end of its log: where to look when a step failed.
  std::deque<std::string> LastLines() const;

 private:
  Process process_;
  std::unique_ptr<clientgo::transport::HttpTransport> metrics_;
  std::string log_path_;
  bool started_ = false;
  bool stopped_ = false;
};

// The sum of `text`'s series of that name and label, as Program::Metric has it.
std::optional<double> SumOfSeries(std::string_view text, std::string_view name,
                                  std::string_view label);

}  // namespace cmd::capstan::demo
