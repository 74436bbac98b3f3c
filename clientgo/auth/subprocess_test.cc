// SPDX-License-Identifier: Apache-2.0
#include "clientgo/auth/subprocess.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <thread>

#include "capstan/clock.h"
#include "capstan/testing/temp_dir.h"

namespace capstan::auth {
namespace {

using std::chrono::milliseconds;
using ::testing::HasSubstr;

ProcessOptions Shell(std::string script) {
  return {.command = "/bin/sh", .args = {"-c", std::move(script)}};
}

// Reports whether this process has no child, neither running nor as a zombie.
bool HasNoChild() { return waitpid(-1, nullptr, WNOHANG) < 0 && errno == ECHILD; }

// Reports whether a process in the group that the script wrote to `file` still exists.
bool IsGroupAlive(const std::string& file) {
  pid_t group = 0;
  std::ifstream(file) >> group;
  return group > 0 && kill(-group, 0) == 0;
}

TEST(SubprocessTest, ReturnsOutputAndExitStatus) {
  const auto result = RunProcess({}, Shell("echo out; echo err >&2; exit 3"));

  ASSERT_TRUE(result.has_value()) << result.error().message;
  EXPECT_EQ(result->out, "out\n");
  EXPECT_EQ(result->err, "err\n");
  EXPECT_EQ(result->exit_code, 3);
  EXPECT_EQ(RunProcess({}, Shell("kill -9 $$")).value().signal, SIGKILL);
  EXPECT_TRUE(HasNoChild());
}

TEST(SubprocessTest, ReturnsWhileBackgroundChildKeepsStderrOpen) {
  // The background process keeps stderr open, like an agent that a plugin started.
  ProcessOptions options = Shell("sleep 60 >/dev/null & echo $!; echo done >&2");
  options.timeout = std::chrono::seconds(20);

  const auto result = RunProcess({}, options);

  ASSERT_TRUE(result.has_value()) << result.error().message;
  EXPECT_EQ(result->exit_code, 0);
  EXPECT_EQ(result->err, "done\n");
  EXPECT_EQ(kill(std::stoi(result->out), SIGKILL), 0) << "the background process has ended";
}

TEST(SubprocessTest, ChildInheritsNoDescriptorOrSignalMask) {
  const int leak = open("/dev/null", O_RDONLY);  // NOLINT(android-cloexec-open): that is the test
  ASSERT_GE(leak, 3);
  setenv("CAPSTAN_TEST_REPLACED", "old", 1);
  ProcessOptions options = Shell(
      "ls /proc/self/fd | wc -l; cat; grep SigBlk /proc/self/status; "
      "echo $CAPSTAN_TEST_REPLACED $CAPSTAN_TEST_ADDED");
  options.env = {{"CAPSTAN_TEST_REPLACED", "new"}, {"CAPSTAN_TEST_ADDED", "=x"}};
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &set, nullptr);

  const auto result = RunProcess({}, options);

  pthread_sigmask(SIG_UNBLOCK, &set, nullptr);
  unsetenv("CAPSTAN_TEST_REPLACED");
  close(leak);
  ASSERT_TRUE(result.has_value()) << result.error().message;
  // 0, 1, 2, and the directory that ls reads.
  EXPECT_EQ(result->out, "4\nSigBlk:\t0000000000000000\nnew =x\n") << result->err;
}

TEST(SubprocessTest, StopEndsHungProgramAndItsChildren) {
  const testing::TempDir dir;
  const std::string started = dir.Path("started");
  std::stop_source stop;
  const std::jthread stopper([&] {
    while (!IsGroupAlive(started)) Clock::Real().SleepFor({}, milliseconds(1));
    stop.request_stop();
  });

  const auto result =
      RunProcess(stop.get_token(), Shell("sleep 1000 & echo $$ > " + started + ".new; mv " +
                                         started + ".new " + started + "; wait"));

  ASSERT_FALSE(result.has_value());
  EXPECT_EQ(result.error().reason, ErrorReason::kCanceled);
  EXPECT_TRUE(HasNoChild());
}

TEST(SubprocessTest, TimeoutEndsHungProgram) {
  ProcessOptions options = Shell("sleep 1000");
  options.timeout = milliseconds(50);
  const auto silent = RunProcess({}, options);
  // This program closes its output and continues.
  options = Shell("exec >&- 2>&-; sleep 1000");
  options.timeout = milliseconds(50);
  const auto closed = RunProcess({}, options);

  ASSERT_FALSE(silent.has_value());
  EXPECT_EQ(silent.error().reason, ErrorReason::kDeadlineExceeded);
  EXPECT_EQ(silent.error().message, "it did not end within 50ms");
  ASSERT_FALSE(closed.has_value());
  EXPECT_EQ(closed.error().reason, ErrorReason::kDeadlineExceeded);
  EXPECT_TRUE(HasNoChild());
}

TEST(SubprocessTest, LimitsOutput) {
  ProcessOptions options = Shell("yes");
  options.stdout_bytes_max = 10000;
  const auto endless = RunProcess({}, options);
  options = Shell("yes | head -c 100000 >&2; echo ok");
  options.stderr_bytes_max = 1000;
  const auto talkative = RunProcess({}, options);

  ASSERT_FALSE(endless.has_value());
  EXPECT_THAT(endless.error().message, HasSubstr("it wrote more than 10000 bytes"));
  ASSERT_TRUE(talkative.has_value());
  EXPECT_EQ(talkative->out, "ok\n");
  EXPECT_EQ(talkative->err.size(), 1000U);
  EXPECT_TRUE(HasNoChild());
}

TEST(SubprocessTest, ExplainsWhyProgramCannotRun) {
  const testing::TempDir dir;
  const auto why = [](const std::string& command) {
    const auto result = RunProcess({}, {.command = command});
    return result ? "ran"
                  : std::string(ToString(result.error().reason)) + " " + result.error().message;
  };

  EXPECT_EQ(why("no-such-command"), "NotFound no-such-command: executable file not found in $PATH");
  EXPECT_EQ(why("/no/such/command"), "NotFound /no/such/command: no such file");
  EXPECT_THAT(why(dir.Write("plain", "")), HasSubstr("this process may not execute it"));
  EXPECT_THAT(why("/usr"), HasSubstr("this process may not execute it"));
  const std::string no_program = dir.Write("garbage", "garbage");
  std::filesystem::permissions(no_program, std::filesystem::perms::owner_all);
  EXPECT_THAT(why(no_program), HasSubstr("failed to start " + no_program + ": Exec format error"));
}

}  // namespace
}  // namespace capstan::auth
