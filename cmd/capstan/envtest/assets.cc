// SPDX-License-Identifier: Apache-2.0
#include "cmd/capstan/envtest/assets.h"

#include <unistd.h>

#include <filesystem>
#include <string_view>
#include <system_error>

#include "capstan/text.h"

namespace capstan::cmd::cli::envtest {
namespace {

namespace fs = std::filesystem;

constexpr char kServer[] = "capstan-test-server";

bool IsProgram(const fs::path& path) {
  std::error_code ignored;
  return fs::is_regular_file(path, ignored) && access(path.c_str(), X_OK) == 0;
}

// Returns the program of this name in the first folder that has it, or an empty path.
fs::path Find(const std::string& name, std::string_view folders) {
  for (const std::string_view folder : Split(folders, ':')) {
    std::error_code ignored;
    const fs::path found = fs::path(folder) / name;
    if (IsProgram(found)) return fs::absolute(found, ignored);
  }
  return {};
}

// Makes or replaces a link by a rename, so that it exists at every moment.
std::error_code Link(const fs::path& target, const fs::path& link) {
  std::error_code failed;
  if (fs::read_symlink(link, failed) == target) return {};
  const fs::path temporary = link.string() + "." + std::to_string(getpid());
  fs::create_symlink(target, temporary, failed);
  if (!failed) fs::rename(temporary, link, failed);
  return failed;
}

}  // namespace

Expected<std::string> MakeAssets(const AssetsOptions& options) {
  const fs::path server = Find(kServer, options.beside + ":" + options.path);
  if (server.empty()) {
    return Err(ErrorReason::kInvalidArgument,
               "found no capstan-test-server; install it beside capstan or on PATH");
  }
  const fs::path folder =
      fs::path(options.cache) / "capstan/envtest" / server.parent_path().relative_path();
  std::error_code failed;
  fs::create_directories(folder, failed);
  if (!failed) failed = Link(server, folder / "kube-apiserver");
  if (!failed) failed = Link(server, folder / "etcd");
  const fs::path kubectl = Find("kubectl", options.path);
  if (!failed && !kubectl.empty()) failed = Link(kubectl, folder / "kubectl");
  if (!failed && kubectl.empty()) fs::remove(folder / "kubectl", failed);
  if (!failed) return folder.string();
  return Err(ErrorReason::kInvalidArgument, "failed to write " + folder.string() + ": " +
                                                failed.message() + "; set XDG_CACHE_HOME");
}

}  // namespace capstan::cmd::cli::envtest
