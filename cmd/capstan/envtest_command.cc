// SPDX-License-Identifier: Apache-2.0
#include "cmd/capstan/envtest_command.h"

#include <cstdlib>
#include <filesystem>
#include <string>
#include <system_error>
#include <utility>

#include "cmd/capstan/envtest/assets.h"
#include "cmd/capstan/inspect_commands.h"

namespace capstan::cmd::cli {
namespace {

std::string Variable(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? "" : value;
}

}  // namespace

int RunEnvtest(const flags::FlagSet& /*flags*/, InspectOptions& /*options*/) {
  std::error_code ignored;
  const auto self = std::filesystem::read_symlink("/proc/self/exe", ignored);
  std::string cache = Variable("XDG_CACHE_HOME");
  if (cache.empty()) cache = Variable("HOME") + "/.cache";
  const auto folder = envtest::MakeAssets(
      {.beside = self.parent_path().string(), .path = Variable("PATH"), .cache = std::move(cache)});
  if (!folder) return Fail(folder.error().message);
  Print(*folder + "\n");
  return kFine;
}

}  // namespace capstan::cmd::cli
