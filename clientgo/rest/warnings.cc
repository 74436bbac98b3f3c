// SPDX-License-Identifier: Apache-2.0
#include "capstan/rest/warnings.h"

#include "capstan/log.h"

namespace capstan::rest {

bool WarningLogger::Remember(std::string_view text) {
  MutexLock lock(mu_);
  const auto [inserted, is_new] = texts_.emplace(text);
  if (!is_new) return false;
  order_.emplace_back(*inserted);
  if (order_.size() > kTextsMax) {
    texts_.erase(texts_.find(order_.front()));
    order_.pop_front();
  }
  return true;
}

void WarningLogger::HandleWarning(int code, std::string_view /*agent*/, std::string_view text) {
  constexpr int kMiscellaneousPersistentWarning = 299;
  if (code != kMiscellaneousPersistentWarning || !Remember(text)) return;
  WarningS("Warning of the API server", "text", text);
}

}  // namespace capstan::rest
