// SPDX-License-Identifier: Apache-2.0
// HealthChecks: named checks behind one endpoint, answered as Kubernetes does: "ok", or with
// ?verbose (and always on failure) one "[+]name ok" / "[-]name failed: <reason>" line each;
// /path/<check> answers one, ?exclude=<check> leaves one out. Mirrors apiserver's healthz and
// controller-runtime's pkg/healthz (no checks: one named "ping").
// Differs: the reason is told, not withheld; there are notes. Thread-safe.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "clientgo/util/error.h"
#include "clientgo/util/mutex.h"

namespace controllers::runtime {

// Runs on the server's thread: quick, and without waiting for the network. Its error is shown to
// whoever may reach the endpoint, so it holds no secrets.
using Check = std::function<clientgo::util::Expected<void>()>;

class HealthChecks {
 public:
  explicit HealthChecks(std::string name) : name_(std::move(name)) {}  // "healthz"
  void Add(std::string name, Check check);
  // A line of ?verbose that never fails the endpoint: "[i]name: <text>"; none while it is empty.
  void AddNote(std::string name, std::function<std::string()> note);

  struct Answer {
    int status = 200;
    std::string body;
  };
  // `subpath`: what follows "/healthz"; `query`: the raw query string.
  Answer Handle(std::string_view subpath, std::string_view query) const;

 private:
  using NamedCheck = std::pair<std::string, Check>;
  using NamedNote = std::pair<std::string, std::function<std::string()>>;
  std::string Notes() const;
  Answer HandleAll(const std::vector<NamedCheck>& checks, std::string_view query) const;

  const std::string name_;
  mutable clientgo::util::Mutex mu_;
  std::vector<NamedCheck> checks_ GUARDED_BY(mu_);
  std::vector<NamedNote> notes_ GUARDED_BY(mu_);
};

}  // namespace controllers::runtime
