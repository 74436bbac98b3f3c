// SPDX-License-Identifier: Apache-2.0
// HealthChecks answers one health endpoint from named checks, as Kubernetes does: "ok", or with
// ?verbose (and always on failure) one line "[+]name ok" or "[-]name failed: <reason>" for each.
// /path/<check> answers one check, ?exclude=<check> skips one. Mirrors apiserver's healthz and
// controller-runtime's pkg/healthz (without checks there is one named "ping").
// Differs: the reason is shown, and there are notes. Thread-safe.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "capstan/error.h"
#include "capstan/export.h"
#include "capstan/mutex.h"

namespace capstan {

// Check runs on the server's thread, so it must not wait for the network. Its error is shown to
// every client of the endpoint, so it must not hold secrets.
using Check = std::function<Expected<void>()>;

class CAPSTAN_EXPORT HealthChecks {
 public:
  explicit HealthChecks(std::string name) : name_(std::move(name)) {}  // "healthz"
  void Add(std::string name, Check check);
  // Adds a line to ?verbose that never fails the endpoint: "[i]name: <text>". An empty text adds no
  // line.
  void AddNote(std::string name, std::function<std::string()> note);

  struct Answer {
    int status = 200;
    std::string body;
  };
  using Query = std::vector<std::pair<std::string, std::string>>;
  // `subpath` is the part of the path after "/healthz", `query` the decoded parameters.
  Answer Handle(std::string_view subpath, const Query& query = {}) const;

 private:
  using NamedCheck = std::pair<std::string, Check>;
  using NamedNote = std::pair<std::string, std::function<std::string()>>;
  std::string Notes() const;
  Answer HandleAll(const std::vector<NamedCheck>& checks, const Query& query) const;

  const std::string name_;
  mutable Mutex mu_;
  std::vector<NamedCheck> checks_ CAPSTAN_GUARDED_BY(mu_);
  std::vector<NamedNote> notes_ CAPSTAN_GUARDED_BY(mu_);
};

}  // namespace capstan
