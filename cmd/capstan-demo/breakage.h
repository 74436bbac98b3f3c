// SPDX-License-Identifier: Apache-2.0
// Breakage creates targets that cannot get a bundle, each for another common reason, and fixes
// them. It writes through clientgo, like any user. One thread.
#pragma once

#include <stop_token>
#include <string>
#include <vector>

#include "capstan/error.h"
#include "capstan/rest/client.h"
#include "cmd/capstan/inspect/explain.h"
#include "controllers/cainjector/rules/reason.h"

namespace capstan::cmd::capstan_demo {

struct BrokenTarget {
  std::string name;    // of a ValidatingWebhookConfiguration
  std::string broken;  // "the Secret lacks the annotation ..."
  std::string fixed;   // "the Secret is annotated"
  cainjector::Reason reason;
  std::string secret = {};       // in the demo's namespace
  std::string certificate = {};  // the source of the target; empty: the Secret
};

class Breakage {
 public:
  // `client` must outlive the Breakage. The namespace must exist.
  Breakage(rest::Client& client, std::string ns);

  // Creates three targets, or two when the server has no Certificates.
  Expected<void> Create(const std::stop_token& stop);
  bool serves_certificates() const { return targets_.size() == 3; }
  const std::vector<BrokenTarget>& targets() const { return targets_; }
  // Returns what `capstan explain` reports for the target.
  Expected<cli::inspect::Explanation> Explain(const std::stop_token& stop,
                                              const BrokenTarget& target);
  Expected<void> Fix(const std::stop_token& stop, const BrokenTarget& target);
  // Reads the target. Reports whether every bundle is the CA of its Secret or, when not `fixed`,
  // empty.
  Expected<bool> Holds(const std::stop_token& stop, const BrokenTarget& target, bool fixed);
  // Deletes the objects of Create. Returns the first error and continues after errors.
  Expected<void> CleanUp(const std::stop_token& stop);

 private:
  Expected<void> CreateSource(const std::stop_token& stop, const BrokenTarget& target);

  rest::Client& client_;
  const std::string ns_;
  std::string ca_;  // the CA of the fixed sources
  std::vector<BrokenTarget> targets_;
};

}  // namespace capstan::cmd::capstan_demo
