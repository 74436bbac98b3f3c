// SPDX-License-Identifier: Apache-2.0
#include "cmd/capstan/demo/private_file.h"

#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace cmd::capstan::demo {

clientgo::util::Expected<void> WritePrivateFile(const std::string& path, const std::string& text) {
  std::string temporary = path + ".XXXXXX";
  const int fd = mkstemp(temporary.data());  // mode 0600
  bool ok = fd >= 0;
  for (std::size_t written = 0; ok && written < text.size();) {
    const ssize_t n = write(fd, text.data() + written, text.size() - written);
    ok = n > 0;
    if (ok) written += static_cast<std::size_t>(n);
  }
  ok = ok && rename(temporary.c_str(), path.c_str()) == 0;
  const int error = errno;
  if (fd >= 0) {
    close(fd);
    if (!ok) unlink(temporary.c_str());
  }
  if (ok) return {};
  return clientgo::util::Err(clientgo::util::ErrorReason::kInvalidArgument,
                             "cannot write " + path + ": " + std::strerror(error));
}

}  // namespace cmd::capstan::demo
