// SPDX-License-Identifier: Apache-2.0
#include "capstan/health.h"

#include <algorithm>
#include <cctype>

namespace capstan {
namespace {

// Replaces control characters, so that no reason can look like the line of another check.
std::string OneLine(std::string text) {
  for (char& c : text) {
    if (std::iscntrl(static_cast<unsigned char>(c)) != 0) c = ' ';
  }
  return text;
}

}  // namespace

void HealthChecks::Add(std::string name, Check check) {
  MutexLock lock(mu_);
  checks_.emplace_back(std::move(name), std::move(check));
}

void HealthChecks::AddNote(std::string name, std::function<std::string()> note) {
  MutexLock lock(mu_);
  notes_.emplace_back(std::move(name), std::move(note));
}

std::string HealthChecks::Notes() const {
  std::vector<NamedNote> notes;
  {
    MutexLock lock(mu_);
    notes = notes_;
  }
  std::string lines;
  for (const auto& [name, note] : notes) {
    const std::string text = note();
    if (!text.empty()) lines += "[i]" + name + ": " + OneLine(text) + "\n";
  }
  return lines;
}

HealthChecks::Answer HealthChecks::Handle(std::string_view subpath, const Query& query) const {
  // Checks run without the lock because a check may wait for other locks.
  std::vector<NamedCheck> checks;
  {
    MutexLock lock(mu_);
    checks = checks_;
  }
  if (checks.empty()) checks.emplace_back("ping", [] { return Expected<void>(); });

  if (subpath.empty() || subpath == "/") return HandleAll(checks, query);
  subpath.remove_prefix(1);
  const auto found = std::find_if(checks.begin(), checks.end(),
                                  [&](const NamedCheck& check) { return check.first == subpath; });
  if (found == checks.end()) return {404, "404 page not found\n"};
  const auto healthy = found->second();
  if (healthy) return {200, "ok"};
  return {500, "internal server error: " + OneLine(healthy.error().message) + "\n"};
}

HealthChecks::Answer HealthChecks::HandleAll(const std::vector<NamedCheck>& checks,
                                             const Query& query) const {
  bool verbose = false;
  std::vector<std::string> to_exclude;
  for (const auto& [parameter, value] : query) {
    if (parameter == "verbose") verbose = true;
    if (parameter == "exclude") to_exclude.push_back(value);
  }
  std::string lines;
  bool failed = false;
  for (const auto& [name, check] : checks) {
    if (std::erase(to_exclude, name) > 0) {
      lines += "[+]" + name + " excluded: ok\n";
      continue;
    }
    if (const auto healthy = check(); healthy) {
      lines += "[+]" + name + " ok\n";
    } else {
      failed = true;
      lines += "[-]" + name + " failed: " + OneLine(healthy.error().message) + "\n";
    }
  }
  if (!to_exclude.empty()) {
    lines += "warn: some health checks cannot be excluded: no matches for ";
    for (std::size_t i = 0; i < to_exclude.size(); ++i) {
      lines += (i == 0 ? "\"" : ",\"") + OneLine(to_exclude[i]) + "\"";
    }
    lines += "\n";
  }
  lines += Notes();
  if (failed) return {500, lines + name_ + " check failed\n"};
  if (!verbose) return {200, "ok"};
  return {200, lines + name_ + " check passed\n"};
}

}  // namespace capstan
