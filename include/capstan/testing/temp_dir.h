// SPDX-License-Identifier: Apache-2.0
// TempDir is a temporary directory. The destructor removes it.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "capstan/export.h"

namespace capstan::testing {

class CAPSTAN_EXPORT TempDir {
 public:
  TempDir() : path_(std::filesystem::temp_directory_path() / "capstan-test-XXXXXX") {
    std::string name = path_;
    path_ = mkdtemp(name.data());
  }
  ~TempDir() { std::filesystem::remove_all(path_); }
  TempDir(const TempDir&) = delete;
  TempDir& operator=(const TempDir&) = delete;

  std::string Path(const std::string& name) const { return path_ / name; }
  // Writes a file by a rename, as the kubelet does, so that readers never see a part of it.
  std::string Write(const std::string& name, const std::string& text) const {
    std::ofstream(Path(name + ".new")) << text;
    std::filesystem::rename(Path(name + ".new"), Path(name));
    return Path(name);
  }
  void Remove(const std::string& name) const { std::filesystem::remove(Path(name)); }

 private:
  std::filesystem::path path_;
};

}  // namespace capstan::testing
