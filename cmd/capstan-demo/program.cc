// SPDX-License-Identifier: Apache-2.0
#include "cmd/capstan-demo/program.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string_view>
#include <utility>

#include "capstan/file.h"
#include "capstan/httpserver/server.h"
#include "capstan/statusz/page.h"
#include "capstan/testing/eventually.h"
#include "capstan/transport/http1_transport.h"

namespace capstan::cmd::capstan_demo {
namespace {

constexpr int kExecFailed = 127;
constexpr int kSignalBase = 128;

// Runs in the child between fork and exec: async-signal-safe calls only.
[[noreturn]] void ExecChild(const std::vector<char*>& argv, int log_fd, pid_t parent) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(kExecFailed);  // the parent died before prctl
  setpgid(0, 0);
  dup2(log_fd, STDERR_FILENO);
  dup2(log_fd, STDOUT_FILENO);
  // Close the sockets of the API server, which would otherwise stay open in the child.
  close_range(STDERR_FILENO + 1, ~0U, 0);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);  // a blocked SIGTERM would be inherited
  execv(argv[0], argv.data());
  _exit(kExecFailed);
}

constexpr std::chrono::seconds kStopTimeout(40);  // longer than a manager needs to drain its queues
constexpr std::chrono::seconds kMetricsTimeout(5);

}  // namespace

Expected<std::string> Program::Start(const ProgramOptions& options) {
  httpserver::Server probe({}, {});  // finds a free port
  if (auto bound = probe.Start(); !bound) return Err(bound.error());
  const std::string address = "127.0.0.1:" + std::to_string(probe.port());
  probe.Stop();
  auto transport = transport::NewHttp1Transport({.host = "http://" + address});
  if (!transport) return Err(std::move(transport.error()));
  std::error_code ignored;
  const auto folder = std::filesystem::read_symlink("/proc/self/exe", ignored).parent_path();
  const std::string path = options.path.empty() ? (folder / options.name).string() : options.path;
  if (access(path.c_str(), X_OK) != 0) {
    return Err(ErrorReason::kInvalidArgument, "failed to run " + path + ": " +
                                                  std::strerror(errno) +
                                                  "; build it with hack/demo, or set another path");
  }
  log_path_ = options.log_path;
  const FileDescriptor log(open(log_path_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600));
  if (log.get() < 0) {
    return Err(ErrorReason::kInvalidArgument, log_path_ + ": " + std::strerror(errno));
  }
  std::vector<std::string> words = options.arguments;
  words.insert(words.begin(), path);
  words.push_back("--metrics-listen-address=" + address);
  std::string line;
  std::vector<char*> argv;
  for (std::string& word : words) {
    line += (line.empty() ? "" : " ") + word;
    argv.push_back(word.data());
  }
  argv.push_back(nullptr);

  const pid_t parent = getpid();
  pid_ = fork();
  if (pid_ == 0) ExecChild(argv, log.get(), parent);
  if (pid_ < 0) {
    return Err(ErrorReason::kUnknown, std::string("failed to fork: ") + std::strerror(errno));
  }
  metrics_ = *std::move(transport);
  return line;
}

bool Program::Reap() {
  if (pid_ <= 0 || exit_code_) return true;
  int status = 0;
  if (waitpid(pid_, &status, WNOHANG) != pid_) return false;
  exit_code_ = WIFEXITED(status) ? WEXITSTATUS(status) : kSignalBase + WTERMSIG(status);
  return true;
}

std::optional<double> Program::Metric(std::string_view name, std::string_view label) const {
  if (!metrics_) return {};
  auto response = metrics_->RoundTrip({}, {.target = "/metrics", .timeout = kMetricsTimeout});
  if (!response || (*response)->status() != 200) return {};
  std::string text;
  for (auto piece = (*response)->Read(); piece && !piece->empty(); piece = (*response)->Read()) {
    text += *piece;
  }
  return SumOfSeries(text, name, label);
}

std::string Program::Memory(const std::string& field) const {
  std::ifstream file("/proc/" + std::to_string(pid_) + "/status");
  for (std::string line; std::getline(file, line);) {
    if (!line.starts_with(field + ":")) continue;
    return statusz::Bytes(1024 * std::strtod(line.c_str() + field.size() + 1, nullptr));
  }
  return "unknown";
}

int Program::Stop() {
  if (!Reap()) kill(pid_, SIGTERM);
  if (!testing::Eventually([&] { return Reap(); }, kStopTimeout)) {
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
    exit_code_ = kSignalBase + SIGKILL;
  }
  return exit_code_.value_or(0);
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

}  // namespace capstan::cmd::capstan_demo
