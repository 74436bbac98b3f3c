// SPDX-License-Identifier: Apache-2.0
// DropPrivileges gives up every privilege that the broker does not need. The runtime's socket is
// equivalent to root on the node, so a compromised broker should be able to do little else. The
// user stays root, because the socket belongs to root with mode 0660.
#pragma once

#include "capstan/error.h"

namespace capstan::cmd::cri_event_broker {

// Applies to this thread and the threads that it starts, so call it before any starts. Afterwards
//  - all five capability sets are empty, and an exec cannot restore them (no_new_privs);
//  - a seccomp filter denies with EPERM: exec, sockets other than AF_UNIX, ptrace and the memory of
//    other processes, namespaces, mounts, kernel modules, bpf, io_uring and similar calls;
//  - limits forbid core dumps and more than 64 open files.
// Fails with kForbidden when the kernel refuses one of these; the caller must exit then.
Expected<void> DropPrivileges();

}  // namespace capstan::cmd::cri_event_broker
