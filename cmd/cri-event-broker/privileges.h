// SPDX-License-Identifier: Apache-2.0
// DropPrivileges: what a process that holds the runtime's socket can do without, it gives up.
//
// The runtime's socket is as good as root on the node; what remains here is to make a broken broker
// a poor place to stand: no capability, no way to get one, no other program, no network, no
// tracing, no core dump, few files. Its user stays: the socket is root's, mode 0660.
#pragma once

#include "clientgo/util/error.h"

namespace cmd::cri_event_broker {

// For this thread and those it starts: call it before any. After it
//  - all five capability sets are empty, and an exec cannot bring them back (no_new_privs);
//  - a seccomp filter refuses, with EPERM: exec, sockets that are not AF_UNIX, ptrace and other
//    processes' memory, namespaces, mounts, kernel modules, bpf, io_uring and the like;
//  - limits: no core dump, 64 files.
// kForbidden: which of these the kernel refuses. Then do not go on.
clientgo::util::Expected<void> DropPrivileges();

}  // namespace cmd::cri_event_broker
