// SPDX-License-Identifier: Apache-2.0
// Each test uses a child process, because dropped privileges cannot be restored.
#include "cmd/cri-event-broker/privileges.h"

#include <gtest/gtest.h>
#include <linux/capability.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <functional>

namespace capstan::cmd::cri_event_broker {
namespace {

// Returns 0 when `holds` is true in a process without privileges, and 99 when it failed to drop
// them.
int ExitCodeAfterDrop(const std::function<bool()>& holds) {
  const pid_t child = fork();
  if (child == 0) {
    if (!DropPrivileges()) std::_Exit(99);
    std::_Exit(holds() ? 0 : 1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

#define EXPECT_AFTER_DROP(...) EXPECT_EQ(ExitCodeAfterDrop([] { return __VA_ARGS__; }), 0)

bool Refused(long result) { return result < 0 && errno == EPERM; }

TEST(PrivilegesTest, DropsAllCapabilities) {
  EXPECT_EQ(ExitCodeAfterDrop([] {
              __user_cap_header_struct header{.version = _LINUX_CAPABILITY_VERSION_3, .pid = 0};
              std::array<__user_cap_data_struct, _LINUX_CAPABILITY_U32S_3> sets{};
              if (syscall(SYS_capget, &header, sets.data()) != 0) return false;
              for (const auto& set : sets) {
                if ((set.effective | set.permitted | set.inheritable) != 0) return false;
              }
              return prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_IS_SET, CAP_SYS_ADMIN, 0, 0) == 0;
            }),
            0);
}

TEST(PrivilegesTest, EmptiesBoundingSetOfRoot) {
  if (geteuid() != 0) GTEST_SKIP() << "needs root: only CAP_SETPCAP may empty the bounding set";
  EXPECT_AFTER_DROP(prctl(PR_CAPBSET_READ, CAP_SYS_ADMIN, 0, 0, 0) == 0 &&
                    prctl(PR_CAPBSET_READ, CAP_DAC_OVERRIDE, 0, 0, 0) == 0);
}

TEST(PrivilegesTest, SetsNoNewPrivsAndSeccomp) {
  EXPECT_AFTER_DROP(prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1);
  EXPECT_AFTER_DROP(prctl(PR_GET_SECCOMP, 0, 0, 0, 0) == 2);
}

TEST(PrivilegesTest, DeniesExec) {
  EXPECT_AFTER_DROP(Refused(execl("/bin/true", "true", nullptr)));
}

TEST(PrivilegesTest, DeniesSocketsOtherThanUnix) {
  EXPECT_AFTER_DROP(socket(AF_UNIX, SOCK_DGRAM, 0) >= 0);
  EXPECT_AFTER_DROP(Refused(socket(AF_INET, SOCK_STREAM, 0)));
  EXPECT_AFTER_DROP(Refused(socket(AF_INET6, SOCK_DGRAM, 0)));
  EXPECT_AFTER_DROP(Refused(socket(AF_NETLINK, SOCK_RAW, 0)));
  EXPECT_AFTER_DROP(Refused(socket(AF_PACKET, SOCK_RAW, 0)));
}

TEST(PrivilegesTest, DeniesPtraceNamespacesBpfAndIoUring) {
  EXPECT_AFTER_DROP(Refused(ptrace(PTRACE_TRACEME, 0, nullptr, nullptr)));
  EXPECT_AFTER_DROP(Refused(syscall(SYS_unshare, 0x10000000)));  // CLONE_NEWUSER
  EXPECT_AFTER_DROP(Refused(syscall(SYS_bpf, 0, nullptr, 0)));
  EXPECT_AFTER_DROP(Refused(syscall(SYS_io_uring_setup, 1, nullptr)));
}

TEST(PrivilegesTest, LimitsCoreDumpsAndOpenFiles) {
  EXPECT_EQ(ExitCodeAfterDrop([] {
              rlimit core{};
              rlimit files{};
              getrlimit(RLIMIT_CORE, &core);
              getrlimit(RLIMIT_NOFILE, &files);
              return core.rlim_max == 0 && files.rlim_max == 64 &&
                     prctl(PR_GET_DUMPABLE, 0, 0, 0, 0) == 0;
            }),
            0);
}

}  // namespace
}  // namespace capstan::cmd::cri_event_broker
