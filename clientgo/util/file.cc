// SPDX-License-Identifier: Apache-2.0
#include "capstan/file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <system_error>

namespace capstan {
namespace {

constexpr std::size_t kBytesMax = std::size_t{16} << 20U;

tl::unexpected<Error> Failed(std::string_view what, const std::string& path) {
  return Err(ErrorReason::kInvalidArgument,
             std::string(what) + " " + path + ": " + std::system_category().message(errno));
}

}  // namespace

Expected<std::string> ReadFile(const std::string& path) {
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return Failed("open", path);
  std::string text;
  std::array<char, 4096> buffer;
  for (;;) {
    const ssize_t n = read(fd, buffer.data(), buffer.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) {
      auto error = Failed("read", path);
      close(fd);
      return error;
    }
    if (n == 0) break;
    text.append(buffer.data(), static_cast<std::size_t>(n));
    if (text.size() > kBytesMax) {
      close(fd);
      return Err(ErrorReason::kInvalidArgument, path + ": the file is too large");
    }
  }
  close(fd);
  return text;
}

FileStamp StampOf(const std::string& path) {
  struct stat info {};
  if (stat(path.c_str(), &info) != 0) return {};
  return {static_cast<std::int64_t>(info.st_ino), info.st_size, info.st_mtim.tv_sec,
          info.st_mtim.tv_nsec};
}

}  // namespace capstan
