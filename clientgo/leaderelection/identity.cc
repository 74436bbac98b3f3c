// SPDX-License-Identifier: Apache-2.0
#include <sys/random.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include <glog/logging.h>

#include "clientgo/leaderelection/leader_election.h"

namespace clientgo::leaderelection {
namespace {

// RFC 9562 version 4, from the kernel.
std::string RandomUuid() {
  std::array<std::uint8_t, 16> bytes{};
  ssize_t got = 0;
  do {
    got = getrandom(bytes.data(), bytes.size(), 0);
  } while (got < 0 && errno == EINTR);
  // 16 bytes are never returned in part; without them two candidates might share an identity.
  PCHECK(got == static_cast<ssize_t>(bytes.size())) << "getrandom";
  bytes[6] = static_cast<std::uint8_t>((bytes[6] & 0x0fU) | 0x40U);
  bytes[8] = static_cast<std::uint8_t>((bytes[8] & 0x3fU) | 0x80U);

  constexpr std::string_view kHex = "0123456789abcdef";
  std::string uuid;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10) uuid += '-';
    uuid += kHex[bytes[i] >> 4U];
    uuid += kHex[bytes[i] & 0x0fU];
  }
  return uuid;
}

}  // namespace

std::string DefaultIdentity() {
  std::array<char, 256> hostname{};
  if (gethostname(hostname.data(), hostname.size() - 1) != 0) {
    std::strncpy(hostname.data(), "unknown", hostname.size() - 1);
  }
  return std::string(hostname.data()) + "_" + RandomUuid();
}

}  // namespace clientgo::leaderelection
