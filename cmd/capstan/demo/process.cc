// SPDX-License-Identifier: Apache-2.0
#include "cmd/capstan/demo/process.h"

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
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string_view>

namespace cmd::capstan::demo {

using clientgo::util::Err;
using clientgo::util::ErrorReason;
using clientgo::util::Expected;

namespace {

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
  // Sockets of the parent's API server must not live on in the child: they would never close.
  close_range(STDERR_FILENO + 1, ~0U, 0);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);  // a blocked SIGTERM would be inherited
  execve(argv[0], argv.data(), environment.data());
  _exit(kExecFailed);
}

// Into `texts`, and a null pointer.
std::vector<char*> Pointers(std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  pointers.reserve(texts.size() + 1);
  for (std::string& text : texts) pointers.push_back(text.data());
  pointers.push_back(nullptr);
  return pointers;
}

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
    return Err(ErrorReason::kInvalidArgument,
               program + " cannot be run: " + std::strerror(errno) +
                   "; build it (hack/demo does) or name another one");
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
    return Err(ErrorReason::kUnknown, std::string("cannot fork: ") + std::strerror(errno));
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
  // The second field is the program's name in parentheses and may hold spaces; utime and stime are
  // the 12th and 13th after it.
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

int Process::Stop(clientgo::util::Clock::Duration patience) {
  if (!Reap()) kill(pid_, SIGTERM);
  auto& clock = clientgo::util::Clock::Real();
  const auto deadline = clock.Now() + patience;
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

}  // namespace cmd::capstan::demo
