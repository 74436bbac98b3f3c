// SPDX-License-Identifier: Apache-2.0
#include "cmd/cri-event-broker/privileges.h"

#include <linux/audit.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <string>
#include <system_error>
#include <vector>

namespace capstan::cmd::cri_event_broker {

namespace {

#if defined(__x86_64__)
constexpr std::uint32_t kArchitecture = AUDIT_ARCH_X86_64;
#elif defined(__aarch64__)
constexpr std::uint32_t kArchitecture = AUDIT_ARCH_AARCH64;
#else
#error "name this architecture's AUDIT_ARCH_ constant"
#endif

constexpr rlim_t kOpenFilesMax = 64;

// System calls that the broker does not need and that help an attacker to reach the node.
constexpr std::array kRefused = {
    __NR_execve,
    __NR_execveat,
    __NR_ptrace,
    __NR_process_vm_readv,
    __NR_process_vm_writev,
    __NR_pidfd_getfd,
    __NR_kcmp,
    __NR_setns,
    __NR_unshare,
    __NR_mount,
    __NR_umount2,
    __NR_pivot_root,
    __NR_chroot,
    __NR_move_mount,
    __NR_open_tree,
    __NR_fsopen,
    __NR_fsmount,
    __NR_mount_setattr,
    __NR_open_by_handle_at,
    __NR_init_module,
    __NR_finit_module,
    __NR_delete_module,
    __NR_kexec_load,
    __NR_reboot,
    __NR_bpf,
    __NR_perf_event_open,
    __NR_userfaultfd,
    __NR_io_uring_setup,
    __NR_keyctl,
    __NR_add_key,
    __NR_request_key,
    __NR_mknodat,
    __NR_swapon,
    __NR_swapoff,
    __NR_settimeofday,
    __NR_clock_settime,
    __NR_sethostname,
    __NR_setdomainname,
    __NR_acct,
    __NR_quotactl,
};

sock_filter Statement(unsigned code, std::uint32_t k) {
  return {.code = static_cast<std::uint16_t>(code), .jt = 0, .jf = 0, .k = k};
}
sock_filter Jump(unsigned code, std::uint32_t k, std::uint8_t if_true, std::uint8_t if_false) {
  return {.code = static_cast<std::uint16_t>(code), .jt = if_true, .jf = if_false, .k = k};
}

// A deny list, not an allow list: the calls of libc and gRPC differ between versions, and an allow
// list would break the broker after an update.
std::vector<sock_filter> Filter() {
  constexpr unsigned kLoad = BPF_LD | BPF_W | BPF_ABS;
  constexpr unsigned kEqual = BPF_JMP | BPF_JEQ | BPF_K;
  constexpr unsigned kReturn = BPF_RET | BPF_K;
  constexpr std::uint32_t kRefuse = SECCOMP_RET_ERRNO | EPERM;
  std::vector<sock_filter> filter = {
    // The numbers of another architecture mean other calls.
    Statement(kLoad, offsetof(seccomp_data, arch)),
    Jump(kEqual, kArchitecture, 1, 0),
    Statement(kReturn, SECCOMP_RET_KILL_PROCESS),
    Statement(kLoad, offsetof(seccomp_data, nr)),
#if defined(__x86_64__)
    Jump(BPF_JMP | BPF_JGE | BPF_K, 0x40000000U, 0, 1),  // the x32 numbers
    Statement(kReturn, kRefuse),
#endif
  };
  for (const long number : kRefused) {
    filter.push_back(Jump(kEqual, static_cast<std::uint32_t>(number), 0, 1));
    filter.push_back(Statement(kReturn, kRefuse));
  }
  filter.insert(filter.end(), {
                                  Jump(kEqual, __NR_socket, 1, 0),
                                  Statement(kReturn, SECCOMP_RET_ALLOW),
                                  Statement(kLoad, offsetof(seccomp_data, args)),
                                  Jump(kEqual, AF_UNIX, 0, 1),
                                  Statement(kReturn, SECCOMP_RET_ALLOW),
                                  Statement(kReturn, kRefuse),
                              });
  return filter;
}

tl::unexpected<Error> Refused(const char* what) {
  return Err(ErrorReason::kForbidden, std::string("cannot drop privileges: ") + what + ": " +
                                          std::generic_category().message(errno));
}

}  // namespace

Expected<void> DropPrivileges() {
  // Lowering the hard limits needs no privilege, and raising them again does.
  const rlimit no_core{0, 0};
  const rlimit files{kOpenFilesMax, kOpenFilesMax};
  if (setrlimit(RLIMIT_CORE, &no_core) != 0) return Refused("RLIMIT_CORE");
  if (setrlimit(RLIMIT_NOFILE, &files) != 0) return Refused("RLIMIT_NOFILE");
  if (prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) != 0) return Refused("PR_SET_DUMPABLE");
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return Refused("PR_SET_NO_NEW_PRIVS");
  if (prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0) != 0) {
    return Refused("PR_CAP_AMBIENT_CLEAR_ALL");
  }
  // Without CAP_SETPCAP the bounding set stays, but no_new_privs makes it useless.
  for (unsigned long capability = 0; prctl(PR_CAPBSET_READ, capability, 0, 0, 0) >= 0;
       ++capability) {
    prctl(PR_CAPBSET_DROP, capability, 0, 0, 0);
  }
  __user_cap_header_struct header{.version = _LINUX_CAPABILITY_VERSION_3, .pid = 0};
  std::array<__user_cap_data_struct, _LINUX_CAPABILITY_U32S_3> none{};
  if (syscall(SYS_capset, &header, none.data()) != 0) return Refused("capset");
  std::vector<sock_filter> filter = Filter();
  const sock_fprog program{.len = static_cast<unsigned short>(filter.size()),
                           .filter = filter.data()};
  if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0) != 0) return Refused("seccomp");
  return {};
}

}  // namespace capstan::cmd::cri_event_broker
