// SPDX-License-Identifier: Apache-2.0
#include "cmd/capstan/demo/program.h"

#include <cstdlib>
#include <fstream>
#include <utility>

#include "clientgo/transport/http1_transport.h"
#include "statusz/page.h"

namespace cmd::capstan::demo {

using clientgo::util::Err;
using clientgo::util::Expected;

namespace {

constexpr std::chrono::seconds kPatience(40);  // longer than a manager drains its queues

}  // namespace

Program::~Program() {
  if (Running()) Stop();
}

Expected<std::string> Program::Start(const ProgramOptions& options) {
  auto port = FreePort();
  if (!port) return Err(std::move(port.error()));
  const std::string address = "127.0.0.1:" + std::to_string(*port);
  auto transport = clientgo::transport::NewHttp1Transport({.host = "http://" + address});
  if (!transport) return Err(std::move(transport.error()));
  std::vector<std::string> arguments = options.arguments;
  arguments.push_back("--metrics-listen-address=" + address);
  const std::string path = options.path.empty() ? SiblingProgram(options.name) : options.path;
  log_path_ = options.log_path;
  auto ok = process_.Start(path, arguments, log_path_, options.environment);
  if (!ok) return Err(std::move(ok.error()));
  started_ = true;
  metrics_ = *std::move(transport);
  std::string line = path;
  for (const std::string& argument : arguments) line += " " + argument;
  return line;
}

std::optional<double> Program::Metric(const std::stop_token& stop, const std::string& name,
                                      const std::string& label) const {
  if (!metrics_) return {};
  auto response = metrics_->RoundTrip(stop, {.target = "/metrics"});
  if (!response || (*response)->status() != 200) return {};
  std::string text;
  for (auto piece = (*response)->Read(); piece && !piece->empty(); piece = (*response)->Read()) {
    text += *piece;
  }
  return SumOfSeries(text, name, label);
}

std::string Program::Memory(const std::string& field) const {
  const auto kib = process_.MemoryKib(field);
  return kib ? statusz::Bytes(static_cast<double>(*kib) * 1024) : "unknown";
}

int Program::Stop() {
  stopped_ = true;
  return process_.Stop(kPatience);
}

std::deque<std::string> Program::LastLines() const {
  constexpr std::size_t kLines = 15;
  std::ifstream log(log_path_);
  std::deque<std::string> last;
  for (std::string line; std::getline(log, line);) {
    last.push_back(std::move(line));
    if (last.size() > kLines) last.pop_front();
  }
  return last;
}

std::optional<double> SumOfSeries(std::string_view text, std::string_view name,
                                  std::string_view label) {
  std::optional<double> sum;
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    const std::size_t end = line.rfind(' ');
    if (end == std::string_view::npos || line.substr(0, name.size()) != name) continue;
    const std::string_view labels = line.substr(name.size(), end - name.size());
    if (!labels.empty() && labels.front() != '{') continue;  // a longer name
    if (labels.find(label) == std::string_view::npos) continue;
    sum = sum.value_or(0) + std::strtod(std::string(line.substr(end + 1)).c_str(), nullptr);
  }
  return sum;
}

}  // namespace cmd::capstan::demo
