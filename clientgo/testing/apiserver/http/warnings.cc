// SPDX-License-Identifier: Apache-2.0
#include "clientgo/testing/apiserver/http/warnings.h"

#include <cstddef>
#include <set>
#include <string_view>

#include "capstan/text.h"
#include "clientgo/testing/apiserver/types/json_edit.h"

namespace capstan::testing::apiserver {

void AddWarnings(const std::vector<std::string>& warnings, httpserver::Headers& headers) {
  constexpr std::size_t kBytesMax = 4096;
  constexpr std::size_t kShortBytes = 256;
  std::set<std::string_view> seen;
  std::size_t bytes = 0;
  for (const std::string& warning : warnings) {
    if (seen.insert(warning).second) bytes += warning.size();
  }
  const bool truncates = bytes > kBytesMax;
  std::size_t written = 0;
  for (std::string_view text : warnings) {
    if (seen.erase(text) == 0) continue;
    if (truncates && written >= kBytesMax) return;
    if (truncates) text = TruncateUtf8(text, kShortBytes);
    written += text.size();
    headers.emplace_back("Warning", "299 - " + Quote(text));
  }
}

}  // namespace capstan::testing::apiserver
