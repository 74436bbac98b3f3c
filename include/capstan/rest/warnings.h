// SPDX-License-Identifier: Apache-2.0
// WarningHandler receives the warnings that an API server adds to its responses, such as "v1beta1
// Foo is deprecated" and "unknown field \"spec.replica\"". A server sends them as headers:
// Warning: 299 - "text" (RFC 7234, section 5.5). Mirrors k8s.io/client-go/rest/warnings.go.
#pragma once

#include <cstddef>
#include <deque>
#include <set>
#include <string>
#include <string_view>

#include "capstan/export.h"
#include "capstan/mutex.h"

namespace capstan::rest {

class CAPSTAN_EXPORT WarningHandler {
 public:
  virtual ~WarningHandler() = default;
  // Is called for each warning of a response, before the verb returns. `code` is 299 for all that
  // Kubernetes sends, and `agent` is normally "-". `text` is not empty and has at most 2048 bytes.
  // Several threads may call it at once.
  virtual void HandleWarning(int code, std::string_view agent, std::string_view text) = 0;
};

// WarningLogger logs each distinct text of code 299 once. It remembers the last 256 texts, so a
// text that follows after 256 others is logged again. Thread-safe. Mirrors client-go's
// NewWarningWriter with Deduplicate. Differs: client-go remembers all texts, and by default it logs
// every warning.
class CAPSTAN_EXPORT WarningLogger final : public WarningHandler {
 public:
  void HandleWarning(int code, std::string_view agent, std::string_view text) override;

 private:
  static constexpr std::size_t kTextsMax = 256;

  // Returns whether `text` is new.
  bool Remember(std::string_view text);

  Mutex mu_;
  std::set<std::string, std::less<>> texts_ CAPSTAN_GUARDED_BY(mu_);
  std::deque<std::string_view> order_ CAPSTAN_GUARDED_BY(mu_);  // of texts_, the oldest first
};

// NoWarnings ignores all warnings. Mirrors client-go's NoWarnings.
class CAPSTAN_EXPORT NoWarnings final : public WarningHandler {
 public:
  void HandleWarning(int /*code*/, std::string_view /*agent*/, std::string_view /*text*/) override {
  }
};

}  // namespace capstan::rest
