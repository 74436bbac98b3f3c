// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "capstan/text.h"
#include "clientgo/testing/apiserver/validation/metadata_validation.h"
#include "clientgo/testing/apiserver/validation/pod_rules.h"
#include "clientgo/testing/apiserver/validation/validation.h"

namespace capstan::testing::apiserver {
namespace {

constexpr std::string_view kEmptyText = R"("")";

bool IsListed(std::initializer_list<std::string_view> texts, std::string_view text) {
  return std::find(texts.begin(), texts.end(), text) != texts.end();
}

std::vector<std::string> VariableNameErrors(std::string_view name) {
  const auto is_known = [](char c) { return c >= ' ' && c <= '~' && c != '='; };
  if (std::all_of(name.begin(), name.end(), is_known)) return {};
  return {
      "a valid environment variable name must consist only of printable ASCII characters other "
      "than '='"};
}

// Splits "metadata.labels['a']" into the path and "a".
std::pair<std::string_view, std::optional<std::string_view>> SplitSubscript(std::string_view path) {
  const std::size_t open = path.find("['");
  const std::size_t end = path.size() - 2;
  if (!path.ends_with("']") || open == 0 || open == std::string_view::npos || open + 2 > end)
    return {path, std::nullopt};
  return {path.substr(0, open), path.substr(open + 2, end - open - 2)};
}

// Returns why Kubernetes has no such path in a Pod, or "".
std::string ConversionError(std::string_view version, std::string_view path) {
  if (version != "v1") return "unsupported pod version: " + std::string(version);
  const auto [field, subscript] = SplitSubscript(path);
  if (subscript) {
    if (field == "metadata.annotations" || field == "metadata.labels") return "";
    return "field label does not support subscript: " + std::string(path);
  }
  if (IsListed({"metadata.annotations", "metadata.labels", "metadata.name", "metadata.namespace",
                "metadata.uid", "spec.nodeName", "spec.restartPolicy", "spec.serviceAccountName",
                "spec.schedulerName", "status.phase", "status.hostIP", "status.hostIPs",
                "status.podIP", "status.podIPs", "spec.host"},
               path)) {
    return "";
  }
  return "field label not supported: " + std::string(path);
}

bool IsHugePagesPath(std::string_view resource) {
  return resource.starts_with("limits.hugepages-") || resource.starts_with("requests.hugepages-");
}

// The unit in which a container sees an amount.
void CheckDivisor(const Place& reference, FieldRules& rules) {
  const std::string_view resource = reference["resource"].Text();
  const Place divisor = reference["divisor"];
  const std::string_view unit = divisor.Text();
  if (unit.empty() || unit == "0") return;
  const auto refuse = [&](const std::string& values, std::string_view name) {
    rules.InvalidAs(divisor, Quote(resource),
                    "only divisor's values " + values + " are supported with the " +
                        std::string(name) + " resource");
  };
  if (resource == "limits.cpu" || resource == "requests.cpu") {
    if (unit != "1m" && unit != "1") refuse("1m and 1", "cpu");
    return;
  }
  constexpr std::array<std::pair<std::string_view, std::string_view>, 4> kNames = {
      {{"limits.memory", "memory"},
       {"requests.memory", "memory"},
       {"limits.ephemeral-storage", "local ephemeral storage"},
       {"requests.ephemeral-storage", "local ephemeral storage"}}};
  const auto* const known = std::find_if(kNames.begin(), kNames.end(),
                                         [&](const auto& name) { return name.first == resource; });
  if (known == kNames.end() && !IsHugePagesPath(resource)) return;
  if (IsListed({"1", "1k", "1M", "1G", "1T", "1P", "1E", "1Ki", "1Mi", "1Gi", "1Ti", "1Pi", "1Ei"},
               unit)) {
    return;
  }
  refuse("1, 1k, 1M, 1G, 1T, 1P, 1E, 1Ki, 1Mi, 1Gi, 1Ti, 1Pi, 1Ei",
         known == kNames.end() ? "hugepages" : known->second);
}

void CheckKeyReference(const Place& reference, FieldRules& rules) {
  rules.InvalidText(reference["name"], SubdomainErrors(reference["name"].Text()));
  if (rules.RequireText(reference["key"])) {
    rules.Invalid(reference["key"], ConfigKeyErrors(reference["key"].Text()));
  }
}

void CheckVariable(const Place& variable, FieldRules& rules) {
  const Place name = variable["name"];
  if (rules.RequireText(name)) rules.Invalid(name, VariableNameErrors(name.Text()));
  const Place from = variable["valueFrom"];
  if (!from.Given()) return;
  int sources = 0;
  if (const Place field = from["fieldRef"]; field.Given()) {
    ++sources;
    CheckFieldReference(field,
                        {"metadata.name", "metadata.namespace", "metadata.uid", "spec.nodeName",
                         "spec.serviceAccountName", "status.hostIP", "status.hostIPs",
                         "status.podIP", "status.podIPs"},
                        rules);
  }
  if (const Place resource = from["resourceFieldRef"]; resource.Given()) {
    ++sources;
    CheckResourceReference(resource, false, rules);
  }
  for (const char* const type : {"configMapKeyRef", "secretKeyRef"}) {
    if (!from[type].Given()) continue;
    ++sources;
    CheckKeyReference(from[type], rules);
  }
  const std::string none(kEmptyText);
  if (sources == 0) {
    rules.InvalidAs(
        from, none,
        "must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef` or `secretKeyRef`");
  } else if (!variable["value"].Text().empty()) {
    rules.InvalidAs(from, none, "may not be specified when `value` is not empty");
  } else if (sources > 1) {
    rules.InvalidAs(from, none, "may not have more than one field specified at a time");
  }
}

}  // namespace

void CheckFieldReference(const Place& reference, std::initializer_list<std::string_view> paths,
                         FieldRules& rules) {
  const Place version = reference["apiVersion"];
  const Place path = reference["fieldPath"];
  if (!rules.RequireText(version) || !rules.RequireText(path)) return;
  const std::string error = ConversionError(version.Text(), path.Text());
  if (!error.empty()) return rules.InvalidText(path, "error converting fieldPath: " + error);
  std::string_view known = path.Text();
  if (known == "spec.host") known = "spec.nodeName";
  const auto [field, subscript] = SplitSubscript(known);
  if (subscript) {
    const std::string key =
        field == "metadata.annotations" ? LowerAscii(*subscript) : std::string(*subscript);
    for (const std::string& why : QualifiedNameErrors(key)) {
      rules.InvalidAs(reference, Quote(key), why);
    }
  } else if (!IsListed(paths, field)) {
    rules.Unsupported(path, Quote(field), paths);
  }
}

void CheckResourceReference(const Place& reference, bool needs_container, FieldRules& rules) {
  const Place resource = reference["resource"];
  const std::initializer_list<std::string_view> names = {
      "limits.cpu",   "limits.ephemeral-storage",   "limits.memory",
      "requests.cpu", "requests.ephemeral-storage", "requests.memory"};
  const Place container = reference["containerName"];
  if (needs_container && container.Text().empty()) {
    rules.Required(container);
  } else if (rules.RequireText(resource) && !IsListed(names, resource.Text()) &&
             !IsHugePagesPath(resource.Text())) {
    rules.Unsupported(resource, Quote(resource.Text()), names);
  }
  CheckDivisor(reference, rules);
}

void CheckEnvironment(const Place& container, FieldRules& rules) {
  for (const Place& variable : container["env"].Items()) CheckVariable(variable, rules);
  const Place env_from = container["envFrom"];
  for (const Place& source : env_from.Items()) {
    const Place prefix = source["prefix"];
    rules.Invalid(prefix, VariableNameErrors(prefix.Text()));
    int sources = 0;
    for (const char* const type : {"configMapRef", "secretRef"}) {
      if (!source[type].Given()) continue;
      ++sources;
      // A name may be the prefix of one, as one that the server completes.
      const Place name = source[type]["name"];
      if (!rules.RequireText(name)) continue;
      rules.Invalid(name, SubdomainErrors(MaskTrailingDash(name.Text())));
    }
    const std::string none(kEmptyText);
    if (sources == 0) {
      rules.InvalidAs(env_from, none, "must specify one of: `configMapRef` or `secretRef`");
    } else if (sources > 1) {
      rules.InvalidAs(env_from, none, "may not have more than one field specified at a time");
    }
  }
}

}  // namespace capstan::testing::apiserver
