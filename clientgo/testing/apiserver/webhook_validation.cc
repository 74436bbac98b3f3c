// SPDX-License-Identifier: Apache-2.0
#include "clientgo/testing/apiserver/webhook_validation.h"

#include <algorithm>
#include <cstddef>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "clientgo/testing/apiserver/validation.h"

namespace capstan::testing::apiserver {
namespace {

using Causes = std::vector<Cause>;

std::string At(const std::string& path, std::size_t index) {
  return path + "[" + std::to_string(index) + "]";
}

// Returns the cause for a value that is no string. `value` is its JSON.
Cause Invalid(std::string field, const std::string& value, std::string_view detail) {
  return {.reason = "FieldValueInvalid",
          .message = "Invalid value: " + value + ": " + std::string(detail),
          .field = std::move(field)};
}

Cause Duplicate(std::string field, std::string_view value) {
  return {.reason = "FieldValueDuplicate",
          .message = "Duplicate value: \"" + std::string(value) + "\"",
          .field = std::move(field)};
}

// Checks an optional string that has only these values. They are sorted.
void CheckEnum(const runtime::JsonValue& object, const std::string& path, const char* key,
               const std::vector<std::string_view>& supported, Causes& causes) {
  const std::string_view value = runtime::GetString(object, key);
  const bool known = std::find(supported.begin(), supported.end(), value) != supported.end();
  if (value.empty() || known) return;
  std::string all;
  for (const std::string_view one : supported) all += (all.empty() ? "" : ", ") + Quote(one);
  causes.push_back(NotSupported(path + "." + key, Quote(value), all));
}

bool Contains(const runtime::JsonValue& list, std::string_view text) {
  return std::any_of(list.Begin(), list.End(), [&](const runtime::JsonValue& item) {
    return item.IsString() && runtime::ToView(item) == text;
  });
}

// Checks a list of a rule that must not be empty, and where "*" must be alone.
void CheckWildcardList(const runtime::JsonValue& rule, const std::string& path, const char* key,
                       std::string_view others, Causes& causes) {
  const runtime::JsonValue& list = ListAt(rule, key);
  const std::string field = path + "." + key;
  if (list.Empty()) causes.push_back(Required(field, ""));
  if (list.Size() > 1 && Contains(list, "*")) {
    causes.push_back(Invalid(field, runtime::ToJson(list),
                             "if '*' is present, must not specify other " + std::string(others)));
  }
}

void CheckResources(const runtime::JsonValue& rule, const std::string& path, Causes& causes) {
  const runtime::JsonValue& list = ListAt(rule, "resources");
  if (list.Empty()) causes.push_back(Required(path, ""));
  std::set<std::string> all_of;  // "x" of "x/*"
  std::set<std::string> of_all;  // "x" of "*/x"
  bool plain = false;
  for (rapidjson::SizeType i = 0; i < list.Size(); ++i) {
    const std::string text(list[i].IsString() ? runtime::ToView(list[i]) : std::string_view());
    if (text.empty()) causes.push_back(Required(At(path, i), ""));
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
      causes.push_back(InvalidValue(At(path, i), text, detail));
    };
    if (all_of.count(resource) > 0) reject(resource + "/*");
    if (of_all.count(subresource) > 0) reject("*/" + subresource);
    if (subresource == "*") all_of.insert(resource);
    if (resource == "*") of_all.insert(subresource);
  }
  const std::string value = runtime::ToJson(list);
  if (list.Size() > 1 && Contains(list, "*/*")) {
    causes.push_back(Invalid(path, value, "if '*/*' is present, must not specify other resources"));
  }
  if (plain && Contains(list, "*")) {
    causes.push_back(Invalid(
        path, value, "if '*' is present, must not specify other resources without subresources"));
  }
}

void CheckRule(const runtime::JsonValue& rule, const std::string& path, Causes& causes) {
  constexpr std::string_view kOperations[] = {"*", "CONNECT", "CREATE", "DELETE", "UPDATE"};
  CheckWildcardList(rule, path, "operations", "operations", causes);
  const runtime::JsonValue& operations = ListAt(rule, "operations");
  for (rapidjson::SizeType i = 0; i < operations.Size(); ++i) {
    const std::string_view one = operations[i].IsString() ? runtime::ToView(operations[i]) : "";
    if (std::find(std::begin(kOperations), std::end(kOperations), one) != std::end(kOperations)) {
      continue;
    }
    causes.push_back(NotSupported(At(path + ".operations", i), Quote(one),
                                  R"("*", "CONNECT", "CREATE", "DELETE", "UPDATE")"));
  }
  CheckWildcardList(rule, path, "apiGroups", "API groups", causes);
  CheckWildcardList(rule, path, "apiVersions", "API versions", causes);
  CheckResources(rule, path + ".resources", causes);
  CheckEnum(rule, path, "scope", {"*", "Cluster", "Namespaced"}, causes);
}

void CheckSelector(const runtime::JsonValue& selector, const std::string& path, Causes& causes) {
  for (const auto& label : ObjectAt(selector, "matchLabels").GetObject()) {
    for (const std::string& error : QualifiedNameErrors(runtime::ToView(label.name))) {
      causes.push_back(InvalidValue(path + ".matchLabels", runtime::ToView(label.name), error));
    }
  }
  const runtime::JsonValue& expressions = ListAt(selector, "matchExpressions");
  for (rapidjson::SizeType i = 0; i < expressions.Size(); ++i) {
    const std::string at = At(path + ".matchExpressions", i);
    const std::string_view op = runtime::GetString(expressions[i], "operator");
    const bool values = !ListAt(expressions[i], "values").Empty();
    if (op == "In" || op == "NotIn") {
      if (values) continue;
      causes.push_back(
          Required(at + ".values", "must be specified when `operator` is 'In' or 'NotIn'"));
    } else if (op == "Exists" || op == "DoesNotExist") {
      if (!values) continue;
      causes.push_back(ForbiddenField(
          at + ".values", "may not be specified when `operator` is 'Exists' or 'DoesNotExist'"));
    } else {
      causes.push_back(InvalidValue(at + ".operator", op, "not a valid selector operator"));
    }
  }
}

void CheckUrl(std::string_view url, const std::string& path, Causes& causes) {
  constexpr std::string_view kForm = "; desired format: https://host[/path]";
  const std::size_t colon = url.find("://");
  const bool has_scheme = colon != std::string_view::npos;
  const std::string_view scheme = has_scheme ? url.substr(0, colon) : std::string_view();
  const std::string_view rest = has_scheme ? url.substr(colon + 3) : std::string_view();
  const std::string_view authority = rest.substr(0, rest.find_first_of("/?#"));
  const std::size_t at = authority.rfind('@');
  const std::string_view host = at == std::string_view::npos ? authority : authority.substr(at + 1);
  if (scheme != "https") {
    causes.push_back(
        InvalidValue(path, scheme, "'https' is the only allowed URL scheme" + std::string(kForm)));
  }
  if (host.empty()) {
    causes.push_back(InvalidValue(path, "", "host must be specified" + std::string(kForm)));
  }
  if (at != std::string_view::npos) {
    causes.push_back(InvalidValue(path, authority.substr(0, at),
                                  "user information is not permitted in the URL"));
  }
  const std::size_t hash = std::min(url.find('#'), url.size());
  const std::size_t mark = std::min(url.find('?'), hash);
  if (hash + 1 < url.size()) {
    causes.push_back(
        InvalidValue(path, url.substr(hash + 1), "fragments are not permitted in the URL"));
  }
  if (mark + 1 < hash) {
    causes.push_back(InvalidValue(path, url.substr(mark + 1, hash - mark - 1),
                                  "query parameters are not permitted in the URL"));
  }
}

void CheckService(const runtime::JsonValue& service, const std::string& path, Causes& causes) {
  constexpr int kPortMax = 65'535;
  // kube-apiserver confuses the two: a missing name is reported as a missing namespace.
  if (runtime::GetString(service, "namespace").empty())
    causes.push_back(Required(path + ".name", ""));
  if (runtime::GetString(service, "name").empty())
    causes.push_back(Required(path + ".namespace", ""));
  const runtime::JsonValue* const port = runtime::Find(service, "port");
  if (port != nullptr && port->IsInt() && (port->GetInt() < 1 || port->GetInt() > kPortMax)) {
    causes.push_back(Invalid(path + ".port", std::to_string(port->GetInt()),
                             "port is not valid: must be between 1 and 65535, inclusive"));
  }
  const std::string_view url_path = runtime::GetString(service, "path");
  if (!url_path.empty() && !url_path.starts_with('/')) {
    causes.push_back(InvalidValue(path + ".path", url_path, "must start with a '/'"));
  }
}

void CheckClient(const runtime::JsonValue& webhook, const std::string& path, Causes& causes) {
  const runtime::JsonValue& client = ObjectAt(webhook, "clientConfig");
  const bool url = runtime::Find(client, "url") != nullptr;
  const bool service = runtime::Find(client, "service") != nullptr;
  if (url == service) {
    causes.push_back(Required(path, "exactly one of url or service is required"));
  } else if (url) {
    CheckUrl(runtime::GetString(client, "url"), path + ".url", causes);
  } else {
    CheckService(ObjectAt(client, "service"), path + ".service", causes);
  }
}

void CheckName(std::string_view name, const std::string& path, Causes& causes) {
  if (name.empty()) {
    causes.push_back(Required(path, ""));
    return;
  }
  std::string errors;
  for (const std::string& error : SubdomainErrors(name)) {
    errors += (errors.empty() ? "" : ",") + error;
  }
  if (errors.empty() && std::count(name.begin(), name.end(), '.') < 2) {
    errors = "should be a domain with at least three segments separated by dots";
  }
  if (!errors.empty()) causes.push_back(InvalidValue(path, name, errors));
}

void CheckReviewVersions(const runtime::JsonValue& webhook, const std::string& path,
                         Causes& causes) {
  const runtime::JsonValue& versions = ListAt(webhook, "admissionReviewVersions");
  if (versions.Empty()) {
    causes.push_back(Required(path, "must specify one of v1, v1beta1"));
    return;
  }
  std::set<std::string_view> seen;
  for (rapidjson::SizeType i = 0; i < versions.Size(); ++i) {
    const std::string_view version = versions[i].IsString() ? runtime::ToView(versions[i]) : "";
    if (seen.insert(version).second) continue;
    causes.push_back(InvalidValue(At(path, i), version, "duplicate version"));
  }
  if (seen.count("v1") == 0 && seen.count("v1beta1") == 0) {
    causes.push_back(
        Invalid(path, runtime::ToJson(versions), "must include at least one of v1, v1beta1"));
  }
}

void CheckWebhook(const runtime::JsonValue& webhook, const std::string& path, Causes& causes) {
  constexpr int kTimeoutMax = 30;
  CheckName(runtime::GetString(webhook, "name"), path + ".name", causes);
  const runtime::JsonValue& rules = ListAt(webhook, "rules");
  for (rapidjson::SizeType i = 0; i < rules.Size(); ++i) {
    CheckRule(rules[i], At(path + ".rules", i), causes);
  }
  CheckEnum(webhook, path, "failurePolicy", {"Fail", "Ignore"}, causes);
  CheckEnum(webhook, path, "matchPolicy", {"Equivalent", "Exact"}, causes);
  if (runtime::GetString(webhook, "sideEffects").empty()) {
    causes.push_back(Required(path + ".sideEffects", "must specify one of None, NoneOnDryRun"));
  }
  CheckEnum(webhook, path, "sideEffects", {"None", "NoneOnDryRun"}, causes);
  const runtime::JsonValue* const timeout = runtime::Find(webhook, "timeoutSeconds");
  if (timeout != nullptr && timeout->IsInt() &&
      (timeout->GetInt() < 1 || timeout->GetInt() > kTimeoutMax)) {
    causes.push_back(Invalid(path + ".timeoutSeconds", std::to_string(timeout->GetInt()),
                             "the timeout value must be between 1 and 30 seconds"));
  }
  for (const char* const key : {"namespaceSelector", "objectSelector"}) {
    CheckSelector(ObjectAt(webhook, key), path + "." + key, causes);
  }
  CheckEnum(webhook, path, "reinvocationPolicy", {"IfNeeded", "Never"}, causes);
  CheckClient(webhook, path + ".clientConfig", causes);
  CheckReviewVersions(webhook, path + ".admissionReviewVersions", causes);
}

}  // namespace

std::vector<Cause> ValidateWebhooks(const runtime::JsonValue& configuration) {
  Causes causes;
  const runtime::JsonValue& webhooks = ListAt(configuration, "webhooks");
  std::set<std::string_view> names;
  for (rapidjson::SizeType i = 0; i < webhooks.Size(); ++i) {
    const std::string path = At("webhooks", i);
    CheckWebhook(webhooks[i], path, causes);
    const std::string_view name = runtime::GetString(webhooks[i], "name");
    if (name.empty() || names.insert(name).second) continue;
    causes.push_back(Duplicate(path + ".name", name));
  }
  return causes;
}

}  // namespace capstan::testing::apiserver
