// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nss.h>
#include <sys/auxv.h>

namespace capstan::cmd {

// Limits a static program to the lookups that it contains. The modules in the machine's
// /etc/nsswitch.conf belong to another C library.
inline void UseOwnLookups() {
  if (getauxval(AT_BASE) != 0) return;  // it has a loader
  __nss_configure_lookup("hosts", "files dns");
  __nss_configure_lookup("passwd", "files");
}

}  // namespace capstan::cmd
