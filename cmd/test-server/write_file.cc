// SPDX-License-Identifier: Apache-2.0
#include "cmd/test-server/write_file.h"

#include <sys/stat.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>

#include "capstan/file.h"

namespace capstan::cmd::test_server {

Expected<void> WriteFile(const std::string& path, const std::string& text, mode_t mode) {
  std::string temporary = path + ".XXXXXX";
  const FileDescriptor created(mkstemp(temporary.data()));  // mode 0600
  const bool ok = created.get() >= 0 && fchmod(created.get(), mode) == 0 &&
                  (std::ofstream(temporary) << text).flush().good() &&
                  rename(temporary.c_str(), path.c_str()) == 0;
  if (ok) return {};
  const int error = errno;
  if (created.get() >= 0) unlink(temporary.c_str());
  return Err(ErrorReason::kInvalidArgument,
             "failed to write " + path + ": " + std::strerror(error));
}

}  // namespace capstan::cmd::test_server
