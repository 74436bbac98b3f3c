// SPDX-License-Identifier: Apache-2.0
#include "clientgo/testing/apiserver/http/health.h"

#include <array>
#include <string_view>

#include "capstan/text.h"
#include "clientgo/testing/apiserver/types/json_edit.h"

namespace capstan::testing::apiserver {
namespace {

struct Check {
  std::string_view name;
  bool only_readyz = false;
};

constexpr std::array<Check, 11> kChecks = {
    {{"ping"},
     {"log"},
     {"etcd"},
     {"etcd-readiness", true},
     {"informer-sync", true},
     {"poststarthook/start-apiextensions-controllers"},
     {"poststarthook/crd-informer-synced"},
     {"poststarthook/start-system-namespaces-controller"},
     {"poststarthook/rbac/bootstrap-roles"},
     {"poststarthook/scheduling/bootstrap-system-priority-classes"},
     {"shutdown", true}}};

constexpr std::array<std::string_view, 3> kEndpoints = {"healthz", "livez", "readyz"};

bool Has(std::string_view endpoint, const Check& check) {
  return !check.only_readyz || endpoint == "readyz";
}

// Returns the answer of all checks of an endpoint.
std::string AllChecks(std::string_view endpoint, const httpserver::Request& request) {
  std::set<std::string> excluded;
  bool verbose = false;
  for (const auto& [name, value] : request.query) {
    if (name == "verbose") verbose = true;
    if (name == "exclude") excluded.insert(value);
  }
  if (!verbose) return "ok";
  std::string text;
  for (const Check& check : kChecks) {
    if (!Has(endpoint, check)) continue;
    const std::string name(check.name);
    text.append("[+]").append(name).append(excluded.erase(name) > 0 ? " excluded: ok\n" : " ok\n");
  }
  if (!excluded.empty()) {
    text += "warn: some health checks cannot be excluded: no matches for " +
            Join(excluded, ",", [](const std::string& name) { return Quote(name); }) + '\n';
  }
  return text.append(endpoint).append(" check passed\n");
}

}  // namespace

std::optional<std::string> FindHealth(const httpserver::Request& request) {
  for (const std::string_view endpoint : kEndpoints) {
    std::string_view path = request.path;
    path.remove_prefix(1);
    if (!path.starts_with(endpoint)) continue;
    path.remove_prefix(endpoint.size());
    if (path.empty()) return AllChecks(endpoint, request);
    for (const Check& check : kChecks) {
      if (Has(endpoint, check) && path.front() == '/' && path.substr(1) == check.name) return "ok";
    }
  }
  return std::nullopt;
}

void AddHealthPaths(std::set<std::string>& paths) {
  for (const std::string_view endpoint : kEndpoints) {
    const std::string path = "/" + std::string(endpoint);
    paths.insert(path);
    for (const Check& check : kChecks) {
      if (Has(endpoint, check)) paths.insert(path + "/" + std::string(check.name));
    }
  }
}

}  // namespace capstan::testing::apiserver
