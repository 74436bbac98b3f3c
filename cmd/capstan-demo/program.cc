// SPDX-License-Identifier: Apache-2.0
#include "cmd/capstan-demo/program.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string_view>
#include <utility>

#include "clientgo/transport/http1_transport.h"
#include "statusz/page.h"

namespace cmd::capstan_demo {
namespace {

using clientgo::util::Err;
using clientgo::util::ErrorReason;
using clientgo::util::Expected;

constexpr int kExecFailed = 127;
constexpr int kSignalBase = 128;

// Runs in the child between fork and exec: async-signal-safe calls only.
[[noreturn]] void ExecChild(const std::vector<char*>& argv, const std::vector<char*>& environment,
                            int log_fd, pid_t parent) {
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
  execve(argv[0], argv.data(), environment.data());
  _exit(kExecFailed);
}

// Returns pointers into `texts`, and a null pointer.
std::vector<char*> Pointers(std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  pointers.reserve(texts.size() + 1);
  for (std::string& text : texts) pointers.push_back(text.data());
  pointers.push_back(nullptr);
  return pointers;
}

constexpr std::chrono::seconds kStopTimeout(40);  // longer than a manager needs to drain its queues

}  // namespace

Process::~Process() {
  if (pid_ > 0 && !Reap()) {
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
  }
}

Expected<void> Process::Start(const std::string& program, const std::vector<std::string>& arguments,
                              const std::string& log_path,
                              const std::vector<std::string>& environment) {
  if (access(program.c_str(), X_OK) != 0) {
    return Err(ErrorReason::kInvalidArgument, "failed to run " + program + ": " +
                                                  std::strerror(errno) +
                                                  "; build it with hack/demo, or set another path");
  }
  const int log_fd = open(log_path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (log_fd < 0) {
    return Err(ErrorReason::kInvalidArgument, log_path + ": " + std::strerror(errno));
  }
  std::vector<std::string> storage{program};
  storage.insert(storage.end(), arguments.begin(), arguments.end());
  const std::vector<char*> argv = Pointers(storage);
  std::vector<std::string> variables = environment;
  for (char** variable = environ; *variable != nullptr; ++variable) {
    const std::string_view text = *variable;
    const std::string_view name = text.substr(0, text.find('=') + 1);
    const bool replaced = std::any_of(environment.begin(), environment.end(),
                                      [&](const auto& one) { return one.starts_with(name); });
    if (!replaced) variables.emplace_back(text);
  }
  const std::vector<char*> envp = Pointers(variables);

  const pid_t parent = getpid();
  pid_ = fork();
  if (pid_ == 0) ExecChild(argv, envp, log_fd, parent);
  close(log_fd);
  if (pid_ < 0) {
    return Err(ErrorReason::kUnknown, std::string("failed to fork: ") + std::strerror(errno));
  }
  return {};
}

bool Process::Reap() {
  if (pid_ <= 0 || exit_code_) return true;
  int status = 0;
  if (waitpid(pid_, &status, WNOHANG) != pid_) return false;
  exit_code_ = WIFEXITED(status) ? WEXITSTATUS(status) : kSignalBase + WTERMSIG(status);
  return true;
}

bool Process::Running() { return !Reap(); }

std::optional<std::int64_t> Process::MemoryKib(const std::string& field) const {
  std::ifstream file("/proc/" + std::to_string(pid_) + "/status");
  for (std::string line; std::getline(file, line);) {
    if (line.rfind(field + ":", 0) != 0) continue;
    std::istringstream value(line.substr(field.size() + 1));
    std::int64_t kib = 0;
    if (value >> kib) return kib;
  }
  return {};
}

std::optional<double> Process::CpuSeconds() const {
  std::ifstream file("/proc/" + std::to_string(pid_) + "/stat");
  std::string text;
  std::getline(file, text);
  // The second field is the name in parentheses, which may contain spaces. utime and stime are the
  // 12th and 13th field after it.
  const std::size_t name_end = text.rfind(')');
  if (name_end == std::string::npos) return {};
  std::istringstream fields(text.substr(name_end + 1));
  std::string skipped;
  for (int i = 0; i < 11; ++i) fields >> skipped;
  double user = 0;
  double system = 0;
  if (!(fields >> user >> system)) return {};
  return (user + system) / static_cast<double>(sysconf(_SC_CLK_TCK));
}

int Process::Stop(clientgo::util::Clock::Duration timeout) {
  if (!Reap()) kill(pid_, SIGTERM);
  auto& clock = clientgo::util::Clock::Real();
  const auto deadline = clock.Now() + timeout;
  while (!Reap() && clock.Now() < deadline) {
    clock.SleepFor({}, std::chrono::milliseconds(10));
  }
  if (!Reap()) {
    kill(pid_, SIGKILL);
    int status = 0;
    waitpid(pid_, &status, 0);
    exit_code_ = kSignalBase + SIGKILL;
  }
  return *exit_code_;
}

std::string SiblingProgram(const std::string& name) {
  std::error_code error;
  const auto self = std::filesystem::read_symlink("/proc/self/exe", error);
  return (self.parent_path() / name).string();
}

Expected<std::uint16_t> FreePort() {
  const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof(address);
  auto* raw = reinterpret_cast<sockaddr*>(&address);
  const bool ok = fd >= 0 && bind(fd, raw, size) == 0 && getsockname(fd, raw, &size) == 0;
  const int error = errno;
  if (fd >= 0) close(fd);
  if (!ok) return Err(ErrorReason::kUnknown, std::string("no free port: ") + std::strerror(error));
  return ntohs(address.sin_port);
}

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
  return process_.Stop(kStopTimeout);
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

}  // namespace cmd::capstan_demo
