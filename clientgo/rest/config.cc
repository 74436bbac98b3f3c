// SPDX-License-Identifier: Apache-2.0
#include "clientgo/rest/config.h"

namespace clientgo::rest {
namespace {

#if defined(__x86_64__)
constexpr std::string_view kArch = "amd64";
#elif defined(__aarch64__)
constexpr std::string_view kArch = "arm64";
#else
constexpr std::string_view kArch = "unknown";
#endif
constexpr std::size_t kCommitLength = 7;

}  // namespace

std::string DefaultUserAgent(std::string_view program, std::string_view version) {
  const auto or_unknown = [](std::string_view text) {
    return std::string(text.empty() ? "unknown" : text);
  };
  program = program.substr(program.rfind('/') + 1);
  const std::size_t plus = version.find('+');
  const std::string_view commit =
      plus == std::string_view::npos ? "" : version.substr(plus + 1, kCommitLength);
  version = version.substr(0, version.find_first_of("-+"));
  return or_unknown(program) + "/" + or_unknown(version) + " (linux/" + std::string(kArch) +
         ") kubernetes/" + or_unknown(commit);
}

}  // namespace clientgo::rest
