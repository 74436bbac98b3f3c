// SPDX-License-Identifier: Apache-2.0
// Breakage creates targets that cannot get a bundle, each for another common reason, and fixes
// them. It writes through clientgo, like any user. One thread. It fails as Namespace does.
#pragma once

#include <string>
#include <vector>

#include "cmd/capstan-demo/namespace.h"
#include "cmd/capstan/inspect/explain.h"

namespace capstan::cmd::capstan_demo {

struct BrokenTarget {
  std::string name;    // of a ValidatingWebhookConfiguration with one webhook
  std::string reason;  // "NotAllowed"
  std::string broken;  // "the Secret lacks the annotation ..."
  std::string fixed;   // "the Secret is annotated"
  std::string secret;
  Annotation annotation;         // of the Secret
  std::string ca_crt;            // in the Secret
  std::string fix;               // the members of a merge patch of the Secret
  std::string certificate = {};  // the source of the target; empty: the Secret
};

class Breakage {
 public:
  // `ns` must outlive the Breakage. The namespace must exist.
  explicit Breakage(const Namespace& ns);

  // Creates three targets, or two when the server has no Certificates.
  void Create();
  bool serves_certificates() const { return targets_.size() == 3; }
  const std::vector<BrokenTarget>& targets() const { return targets_; }
  // Returns what `capstan explain` reports for the target.
  cli::inspect::Explanation Explain(const BrokenTarget& target) const;
  void Fix(const BrokenTarget& target) const { ns_.PatchSecret(target.secret, target.fix); }
  // Reads the target. Reports whether its bundle is the CA of its Secret or, when not `fixed`,
  // empty.
  bool Holds(const BrokenTarget& target, bool fixed) const;

 private:
  const Namespace& ns_;
  const std::string ca_;  // the CA of the fixed sources
  std::vector<BrokenTarget> targets_;
};

}  // namespace capstan::cmd::capstan_demo
