// SPDX-License-Identifier: Apache-2.0
#include "clientgo/testing/apiserver/validation/kind_rules.h"

#include <algorithm>
#include <cstddef>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "capstan/logging.h"
#include "capstan/text.h"
#include "clientgo/testing/apiserver/types/go_text.h"
#include "clientgo/testing/apiserver/validation/validation.h"

namespace capstan::testing::apiserver {
namespace {

bool Contains(const std::vector<Place>& list, std::string_view text) {
  return std::any_of(list.begin(), list.end(),
                     [&](const Place& item) { return item.Text() == text; });
}

// Checks a list of a rule that must not be empty, and where "*" must be alone.
void CheckWildcardList(const Place& field, std::string_view others, FieldRules& rules) {
  const auto list = field.Items();
  if (list.empty()) rules.Required(field);
  if (list.size() > 1 && Contains(list, "*")) {
    rules.Invalid(field, "if '*' is present, must not specify other " + std::string(others));
  }
}

void CheckResources(const Place& resources, FieldRules& rules) {
  const auto list = resources.Items();
  if (list.empty()) rules.Required(resources);
  std::set<std::string> all_of;  // "x" of "x/*"
  std::set<std::string> of_all;  // "x" of "*/x"
  bool plain = false;
  for (const Place& item : list) {
    const std::string text(item.Text());
    rules.RequireText(item);
    const std::size_t slash = text.find('/');
    if (slash == std::string::npos) {
      if (!text.empty()) plain = text != "*";
      continue;
    }
    const std::string resource = text.substr(0, slash);
    const std::string subresource = text.substr(slash + 1);
    const auto reject = [&](const std::string& pattern) {
      std::string detail = "if '";
      detail.append(pattern).append("' is present, must not specify ").append(text);
      rules.Invalid(item, detail);
    };
    if (all_of.count(resource) > 0) reject(resource + "/*");
    if (of_all.count(subresource) > 0) reject("*/" + subresource);
    if (subresource == "*") all_of.insert(resource);
    if (resource == "*") of_all.insert(subresource);
  }
  if (list.size() > 1 && Contains(list, "*/*")) {
    rules.Invalid(resources, "if '*/*' is present, must not specify other resources");
  }
  if (plain && Contains(list, "*")) {
    rules.Invalid(resources,
                  "if '*' is present, must not specify other resources without subresources");
  }
}

void CheckUrl(const Place& field, FieldRules& rules) {
  const std::string_view url = field.Text();
  constexpr std::string_view kForm = "; desired format: https://host[/path]";
  const std::size_t colon = url.find("://");
  const bool has_scheme = colon != std::string_view::npos;
  const std::string_view scheme = has_scheme ? url.substr(0, colon) : std::string_view();
  const std::string_view rest = has_scheme ? url.substr(colon + 3) : std::string_view();
  const std::string_view authority = rest.substr(0, rest.find_first_of("/?#"));
  const std::size_t at = authority.rfind('@');
  const std::string_view host = at == std::string_view::npos ? authority : authority.substr(at + 1);
  const auto reject = [&](std::string_view part, const std::string& detail) {
    rules.InvalidAs(field, Quoted(part), detail);
  };
  if (scheme != "https") {
    reject(scheme, "'https' is the only allowed URL scheme" + std::string(kForm));
  }
  if (host.empty()) reject("", "host must be specified" + std::string(kForm));
  if (at != std::string_view::npos) {
    reject(authority.substr(0, at), "user information is not permitted in the URL");
  }
  const std::size_t hash = std::min(url.find('#'), url.size());
  const std::size_t mark = std::min(url.find('?'), hash);
  if (hash + 1 < url.size()) {
    reject(url.substr(hash + 1), "fragments are not permitted in the URL");
  }
  if (mark + 1 < hash) {
    reject(url.substr(mark + 1, hash - mark - 1), "query parameters are not permitted in the URL");
  }
}

void CheckServicePath(const Place& path, FieldRules& rules) {
  std::string_view rest = path.Text();
  if (rest.empty() || rest == "/") return;
  if (!rest.starts_with('/')) rules.Invalid(path, "must start with a '/'");
  rest.remove_prefix(1);  // whatever it is, like kube-apiserver
  if (rest.ends_with('/')) rest.remove_suffix(1);
  int index = 0;
  for (const std::string_view step : SplitAll(rest, '/')) {
    const std::string segment = "segment[" + std::to_string(index++) + "]";
    if (step.empty()) {
      rules.Invalid(path, segment + " may not be empty");
      continue;
    }
    for (const std::string& error : SubdomainErrors(step)) {
      rules.Invalid(path, std::string(segment).append(": ").append(error));
    }
  }
}

void CheckServiceReference(const Place& service, FieldRules& rules) {
  constexpr int kPortMax = 65'535;
  // kube-apiserver confuses the two: a missing name is reported as a missing namespace.
  rules.RequireText(service["namespace"].At(service.path() + ".name"));
  rules.RequireText(service["name"].At(service.path() + ".namespace"));
  const Place port = service["port"];
  if (const auto number = port.Number(); number && (*number < 1 || *number > kPortMax)) {
    rules.Invalid(port, "port is not valid: must be between 1 and 65535, inclusive");
  }
  CheckServicePath(service["path"], rules);
}

void CheckName(const Place& name, FieldRules& rules) {
  const std::string_view text = name.Text();
  if (!rules.RequireText(name)) return;
  std::string errors = Join(SubdomainErrors(text), ",");
  if (errors.empty() && std::count(text.begin(), text.end(), '.') < 2) {
    errors = "should be a domain with at least three segments separated by dots";
  }
  if (!errors.empty()) rules.Invalid(name, errors);
}

void CheckWebhook(const Place& webhook, FieldRules& rules) {
  constexpr int kTimeoutMax = 30;
  CheckName(webhook["name"], rules);
  for (const Place& rule : webhook["rules"].Items()) CheckAdmissionRule(rule, rules);
  rules.OneOf(webhook["failurePolicy"], {"Fail", "Ignore"});
  rules.OneOf(webhook["matchPolicy"], {"Equivalent", "Exact"});
  rules.RequireText(webhook["sideEffects"], "must specify one of None, NoneOnDryRun");
  rules.OneOf(webhook["sideEffects"], {"None", "NoneOnDryRun"});
  const Place timeout = webhook["timeoutSeconds"];
  if (const auto number = timeout.Number(); number && (*number < 1 || *number > kTimeoutMax)) {
    rules.Invalid(timeout, "the timeout value must be between 1 and 30 seconds");
  }
  rules.LabelSelector(webhook["namespaceSelector"]);
  rules.LabelSelector(webhook["objectSelector"]);
  rules.OneOf(webhook["reinvocationPolicy"], {"IfNeeded", "Never"});
  CheckClient(webhook["clientConfig"], rules);
  CheckMatchConditions(webhook["matchConditions"], {}, rules);
  CheckReviewVersions(webhook["admissionReviewVersions"], "must specify one of v1, v1beta1", rules);
}

}  // namespace

void CheckReviewVersions(const Place& versions, std::string_view missing, FieldRules& rules) {
  const auto list = versions.Items();
  if (list.empty()) {
    rules.Required(versions, missing);
    return;
  }
  std::set<std::string_view> seen;
  for (const Place& version : list) {
    if (!seen.insert(version.Text()).second) {
      rules.Invalid(version, "duplicate version");
    } else {
      rules.InvalidText(version, Dns1035LabelErrors(version.Text()));
    }
  }
  if (seen.count("v1") == 0 && seen.count("v1beta1") == 0) {
    rules.Invalid(versions, "must include at least one of v1, v1beta1");
  }
}

void CheckAdmissionRule(const Place& rule, FieldRules& rules) {
  CheckWildcardList(rule["operations"], "operations", rules);
  for (const Place& operation : rule["operations"].Items()) {
    if (operation.Text().empty()) {
      rules.Unsupported(operation, R"("")", {"*", "CONNECT", "CREATE", "DELETE", "UPDATE"});
    }
    rules.OneOf(operation, {"*", "CONNECT", "CREATE", "DELETE", "UPDATE"});
  }
  CheckWildcardList(rule["apiGroups"], "API groups", rules);
  CheckWildcardList(rule["apiVersions"], "API versions", rules);
  for (const Place& version : rule["apiVersions"].Items()) rules.RequireText(version);
  CheckResources(rule["resources"], rules);
  rules.OneOf(rule["scope"], {"*", "Cluster", "Namespaced"});
}

void CheckClient(const Place& client, FieldRules& rules) {
  if (client["url"].Given() == client["service"].Given()) {
    rules.Required(client, "exactly one of url or service is required");
  } else if (client["url"].Given()) {
    CheckUrl(client["url"], rules);
  } else {
    CheckServiceReference(client["service"], rules);
  }
}

void CheckWebhooks(const Place& configuration, FieldRules& rules) {
  std::set<std::string_view> names;
  for (const Place& webhook : configuration["webhooks"].Items()) {
    CheckWebhook(webhook, rules);
    const Place name = webhook["name"];
    if (!name.Text().empty() && !names.insert(name.Text()).second) rules.Duplicate(name);
  }
}

}  // namespace capstan::testing::apiserver
