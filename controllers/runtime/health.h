// SPDX-License-Identifier: Apache-2.0
// HealthChecks: named checks behind one endpoint, answered as Kubernetes does: "ok", or with
// ?verbose (and always on failure) one "[+]name ok" / "[-]name failed: <reason>" line each;
// /path/<check> answers one, ?exclude=<check> leaves one out. Mirrors apiserver's healthz.
// Differs: the reason is told, not withheld. Thread-safe.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "clientgo/util/error.h"
#include "clientgo/util/mutex.h"

namespace controllers::runtime {

using Check = std::function<clientgo::util::Expected<void>()>;

class HealthChecks {
 public:
  explicit HealthChecks(std::string name) : name_(std::move(name)) {}  // "healthz"
  void Add(std::string name, Check check);

  struct Answer {
    int status = 200;
    std::string body;
  };
  // `subpath`: what follows "/healthz"; `query`: the raw query string.
  Answer Handle(std::string_view subpath, std::string_view query) const;

 private:
  const std::string name_;
  mutable clientgo::util::Mutex mu_;
  std::vector<std::pair<std::string, Check>> checks_ GUARDED_BY(mu_);
};

}  // namespace controllers::runtime
