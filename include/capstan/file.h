// SPDX-License-Identifier: Apache-2.0
// File descriptors, and small files that may change: kubeconfigs, certificates, tokens.
#pragma once

#include <unistd.h>

#include <array>
#include <cstdint>
#include <string>
#include <utility>

#include "capstan/error.h"
#include "capstan/export.h"

namespace capstan {

// FileDescriptor owns one file descriptor and closes it.
class CAPSTAN_EXPORT FileDescriptor {
 public:
  FileDescriptor() = default;
  explicit FileDescriptor(int fd) : fd_(fd) {}
  FileDescriptor(FileDescriptor&& other) noexcept : fd_(other.Release()) {}
  FileDescriptor& operator=(FileDescriptor&& other) noexcept {
    if (this != &other) {
      Close();
      fd_ = other.Release();
    }
    return *this;
  }
  ~FileDescriptor() { Close(); }

  void Close() {
    if (fd_ >= 0) close(fd_);
    fd_ = -1;
  }
  int get() const { return fd_; }
  // Gives ownership to the caller.
  int Release() { return std::exchange(fd_, -1); }

 private:
  int fd_ = -1;
};

// Returns a whole file. The error is kInvalidArgument with the path: "open <path>: No such file or
// directory". Files larger than 16 MiB are an error.
CAPSTAN_EXPORT Expected<std::string> ReadFile(const std::string& path);

// FileStamp distinguishes versions of a file by inode, size and modification time. It is all zero
// for a missing file. A stamp that is taken before the file is read hides no change.
using FileStamp = std::array<std::int64_t, 4>;
CAPSTAN_EXPORT FileStamp StampOf(const std::string& path);

}  // namespace capstan
