// SPDX-License-Identifier: Apache-2.0
// Targets are the annotated webhook configurations of the demo with the Secret that is their
// source. It reads them back for the verdict. One thread. It fails as Namespace does.
#pragma once

#include <functional>
#include <map>
#include <string>

#include "cmd/capstan-demo/namespace.h"

namespace capstan::cmd::capstan_demo {

class Targets {
 public:
  static constexpr int kWebhooksEach = 2;

  // `ns` must outlive it. The namespace must exist.
  explicit Targets(const Namespace& ns) : ns_(ns) {}

  // Writes a new CA into the Secret, or creates the Secret. The targets must then hold the CA
  // beside the old ones.
  void RotateCa();
  // Creates a target. It must get the newest CA, and may get older ones.
  void Add(bool validating);
  void DeleteFirst();

  int count() const { return static_cast<int>(targets_.size()); }
  struct ReadBack {
    int in_sync = 0;                   // targets with exactly the expected bundle in each webhook
    std::string first_wrong = "none";  // the first other target
  };
  // Lists all configurations and compares each bundle.
  ReadBack Read() const;

 private:
  struct Target {
    bool validating = true;
    // Created after a rotation: the number of its older CAs depends on timing.
    bool late = false;
  };
  bool IsRight(const Target& target, const std::string& bundle) const;

  const Namespace& ns_;
  std::map<std::string, Target, std::less<>> targets_;
  std::string bundle_;  // the CAs so far, oldest first, as PEM
  std::string ca_;      // the newest
  int serial_ = 0;      // of the next target
};

}  // namespace capstan::cmd::capstan_demo
