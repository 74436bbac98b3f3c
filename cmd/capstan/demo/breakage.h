// SPDX-License-Identifier: Apache-2.0
// Breakage: targets that cannot get a bundle, each for another reason that users meet, and what
// mends them. It writes through clientgo, like any user. One thread.
#pragma once

#include <functional>
#include <stop_token>
#include <string>
#include <vector>

#include "clientgo/rest/client.h"
#include "clientgo/util/error.h"
#include "cmd/capstan/inspect/explain.h"
#include "controllers/cainjector/rules/reason.h"

namespace cmd::capstan::demo {

struct BrokenTarget {
  std::string name;    // of a ValidatingWebhookConfiguration
  std::string broken;  // "the Secret lacks the annotation ..."
  std::string mended;  // "annotate the Secret"
  controllers::cainjector::Reason reason;
  std::string secret = {};       // in the demo's namespace
  std::string certificate = {};  // that the target asks for; empty: the Secret
};

class Breakage {
 public:
  // `client` outlives it; the namespace exists.
  Breakage(clientgo::rest::Client& client, std::string ns);

  // Three; two where nobody serves Certificates.
  clientgo::util::Expected<void> Create(const std::stop_token& stop);
  bool serves_certificates() const { return targets_.size() == 3; }
  const std::vector<BrokenTarget>& targets() const { return targets_; }
  // What `capstan explain` says of it now.
  clientgo::util::Expected<inspect::Explanation> Explain(const std::stop_token& stop,
                                                         const BrokenTarget& target);
  clientgo::util::Expected<void> Mend(const std::stop_token& stop, const BrokenTarget& target);
  // Read back: every bundle of the target is the CA of its Secret, byte by byte; and, while it is
  // broken, every bundle is empty.
  clientgo::util::Expected<bool> Holds(const std::stop_token& stop, const BrokenTarget& target,
                                       bool mended);
  // Deletes what Create made. Goes on over errors and returns the first.
  clientgo::util::Expected<void> CleanUp(const std::stop_token& stop);

 private:
  clientgo::util::Expected<void> CreateSource(const std::stop_token& stop,
                                              const BrokenTarget& target);

  clientgo::rest::Client& client_;
  const std::string ns_;
  std::string ca_;  // what the sources should hold
  std::vector<BrokenTarget> targets_;
};

}  // namespace cmd::capstan::demo
