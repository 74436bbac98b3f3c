// SPDX-License-Identifier: Apache-2.0
#include "clientgo/auth/subprocess.h"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/eventfd.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <map>
#include <string_view>
#include <system_error>

#include "capstan/clock.h"
#include "capstan/file.h"
#include "capstan/text.h"
#include "capstan/time.h"

namespace capstan::auth {
namespace {

bool IsExecutable(const std::string& path) {
  struct stat info {};
  return stat(path.c_str(), &info) == 0 && S_ISREG(info.st_mode) && access(path.c_str(), X_OK) == 0;
}

struct Pipe {
  FileDescriptor read_end;
  FileDescriptor write_end;
  bool Open() {
    std::array<int, 2> fds{};
    if (pipe2(fds.data(), O_CLOEXEC) != 0) return false;
    read_end = FileDescriptor(fds[0]);
    write_end = FileDescriptor(fds[1]);
    return fcntl(fds[0], F_SETFL, O_NONBLOCK) == 0;
  }
};

// Returns "NAME=value" strings for execve. If a name occurs twice, the last value wins.
std::vector<std::string> Environment(const ProcessOptions& options) {
  std::map<std::string, std::string, std::less<>> variables;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view text(*entry);
    const std::size_t equals = std::min(text.find('='), text.size());
    variables[std::string(text.substr(0, equals))] = text.substr(std::min(equals + 1, text.size()));
  }
  for (const auto& [name, value] : options.env) variables[name] = value;
  std::vector<std::string> out;
  out.reserve(variables.size());
  for (const auto& [name, value] : variables) out.emplace_back(name).append("=").append(value);
  return out;
}

std::vector<char*> Pointers(std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  pointers.reserve(texts.size() + 1);
  for (std::string& text : texts) pointers.push_back(text.data());
  pointers.push_back(nullptr);
  return pointers;
}

class Child {
 public:
  // Kills the process and its children, and waits for it.
  ~Child() {
    if (pid_ < 0) return;
    kill(-pid_, SIGKILL);
    kill(pid_, SIGKILL);  // if it left its group
    Reap(0);
  }
  // Returns 0, or an errno.
  int Spawn(const std::string& path, const ProcessOptions& options);
  // Reports whether the process has ended. status() is valid then.
  bool Reap(int flags);

  Pipe out;
  Pipe err;
  int status() const { return status_; }

 private:
  pid_t pid_ = -1;
  int status_ = 0;
};

int Child::Spawn(const std::string& path, const ProcessOptions& options) {
  if (!out.Open() || !err.Open()) return errno;
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  posix_spawn_file_actions_init(&actions);
  posix_spawnattr_init(&attributes);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, out.write_end.get(), STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, err.write_end.get(), STDERR_FILENO);
  // Some libraries open sockets without O_CLOEXEC.
  posix_spawn_file_actions_addclosefrom_np(&actions, STDERR_FILENO + 1);
  // Threads of this process block SIGTERM and SIGINT; a child would inherit that.
  sigset_t none;
  sigset_t all;
  sigemptyset(&none);
  sigfillset(&all);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setsigdefault(&attributes, &all);
  posix_spawnattr_setpgroup(&attributes, 0);
  posix_spawnattr_setflags(&attributes,
                           POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);
  std::vector<std::string> arguments = {options.command};
  arguments.insert(arguments.end(), options.args.begin(), options.args.end());
  std::vector<std::string> environment = Environment(options);
  const int error = posix_spawn(&pid_, path.c_str(), &actions, &attributes,
                                Pointers(arguments).data(), Pointers(environment).data());
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0) pid_ = -1;
  out.write_end.Close();
  err.write_end.Close();
  return error;
}

bool Child::Reap(int flags) {
  if (pid_ < 0) return true;
  pid_t ended = 0;
  do {
    ended = waitpid(pid_, &status_, flags);
  } while (ended < 0 && errno == EINTR);
  if (ended == 0) return false;
  // Another thread waited for it. Its status is unknown and counts as a failure.
  if (ended < 0) status_ = SIGKILL;
  pid_ = -1;
  return true;
}

constexpr int kReadsMax = 16;

// Reads what is in the pipe. Returns false at its end.
bool Drain(const FileDescriptor& pipe, std::string& text, std::size_t bytes_max) {
  std::array<char, 4096> buffer{};
  // Bounded, so that the deadline is checked while a process writes without end.
  for (int i = 0; i < kReadsMax; ++i) {
    const ssize_t n = read(pipe.get(), buffer.data(), buffer.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return errno == EAGAIN;
    if (n == 0) return false;
    // One byte above the limit shows that there was more.
    const std::size_t room = bytes_max + 1 - std::min(text.size(), bytes_max + 1);
    text.append(buffer.data(), std::min(room, static_cast<std::size_t>(n)));
  }
  return true;
}

// Reads both pipes until they end, then waits for the process.
Expected<ProcessResult> Communicate(const std::stop_token& stop, const ProcessOptions& options,
                                    Child& child) {
  const FileDescriptor stopped(eventfd(0, EFD_CLOEXEC));
  const std::stop_callback wake(stop, [&] { eventfd_write(stopped.get(), 1); });
  const auto deadline = Clock::Real().Now() + options.timeout;
  ProcessResult result;
  bool out_open = true;
  bool err_open = true;
  while (!stop.stop_requested()) {
    // A child that it left in the background may keep stderr open forever.
    if (!out_open && child.Reap(WNOHANG)) {
      if (err_open) Drain(child.err.read_end, result.err, options.stderr_bytes_max);
      if (WIFSIGNALED(child.status())) result.signal = WTERMSIG(child.status());
      if (WIFEXITED(child.status())) result.exit_code = WEXITSTATUS(child.status());
      if (result.err.size() > options.stderr_bytes_max) result.err.pop_back();
      return result;
    }
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::Real().Now());
    if (left.count() <= 0) {
      return Err(ErrorReason::kDeadlineExceeded,
                 "it did not end within " + FormatDuration(options.timeout));
    }
    // poll skips a negative descriptor. A process that has closed its output ends soon, so its end
    // is polled.
    constexpr int kExitPollMs = 5;
    std::array<pollfd, 3> fds = {pollfd{stopped.get(), POLLIN, 0},
                                 pollfd{out_open ? child.out.read_end.get() : -1, POLLIN, 0},
                                 pollfd{err_open ? child.err.read_end.get() : -1, POLLIN, 0}};
    const auto timeout = static_cast<int>(
        std::min<std::chrono::milliseconds::rep>(left.count(), out_open ? 60'000 : kExitPollMs));
    poll(fds.data(), fds.size(), timeout);
    if (out_open && fds[1].revents != 0) {
      out_open = Drain(child.out.read_end, result.out, options.stdout_bytes_max);
    }
    if (err_open && fds[2].revents != 0) {
      err_open = Drain(child.err.read_end, result.err, options.stderr_bytes_max);
    }
    if (result.out.size() > options.stdout_bytes_max) {
      return Err(ErrorReason::kInvalidArgument,
                 "it wrote more than " + std::to_string(options.stdout_bytes_max) + " bytes");
    }
  }
  return Err(ErrorReason::kCanceled, "canceled while it ran");
}

}  // namespace

Expected<std::string> FindCommand(const std::string& command) {
  if (command.find('/') != std::string::npos) {
    if (IsExecutable(command)) return command;
    const std::string why =
        access(command.c_str(), F_OK) == 0 ? "this process may not execute it" : "no such file";
    return Err(ErrorReason::kNotFound, command + ": " + why);
  }
  const char* path = std::getenv("PATH");
  if (path == nullptr) path = "/usr/local/bin:/usr/bin:/bin";
  for (const std::string_view folder : Split(path, ':')) {
    // An empty entry is the current folder. Like Go and unlike a shell, nothing is run from there.
    if (folder.starts_with('/')) {
      std::string candidate = std::string(folder) + "/" + command;
      if (IsExecutable(candidate)) return candidate;
    }
  }
  return Err(ErrorReason::kNotFound, command + ": executable file not found in $PATH");
}

Expected<ProcessResult> RunProcess(const std::stop_token& stop, const ProcessOptions& options) {
  const auto path = FindCommand(options.command);
  if (!path) return Err(path.error());
  Child child;
  if (const int error = child.Spawn(*path, options); error != 0) {
    return Err(ErrorReason::kInvalidArgument,
               "failed to start " + *path + ": " + std::system_category().message(error));
  }
  return Communicate(stop, options, child);
}

}  // namespace capstan::auth
