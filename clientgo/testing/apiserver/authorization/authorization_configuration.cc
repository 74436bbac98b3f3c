// SPDX-License-Identifier: Apache-2.0
#include "clientgo/testing/apiserver/authorization/authorization_configuration.h"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <initializer_list>
#include <iterator>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "capstan/clientcmd/kubeconfig.h"
#include "capstan/logging.h"
#include "capstan/text.h"
#include "capstan/time.h"
#include "clientgo/testing/apiserver/types/go_text.h"
#include "clientgo/testing/apiserver/types/json_edit.h"
#include "clientgo/testing/apiserver/types/yaml_text.h"
#include "clientgo/testing/apiserver/validation/field_rules.h"
#include "clientgo/testing/apiserver/validation/validation.h"

namespace capstan::testing::apiserver {
namespace {

using Configuration = std::unique_ptr<runtime::JsonDocument>;

constexpr std::string_view kConfigGroup = "apiserver.config.k8s.io/";

template <class T = AuthorizerChain>
Expected<T> Wrong(const std::string& why) {
  return Err(ErrorReason::kInvalidArgument, why);
}
template <class T = Configuration>
Expected<T> NotLoaded(const std::string& why) {
  return Wrong<T>("failed to load AuthorizationConfiguration from file: " + why);
}

// FieldType is the type of a field in Go, as its decoder names it.
struct FieldType {
  const char* name;
  const char* type;  // "string", "bool" or "list"; otherwise the name of a struct
};

// Returns the fields of a struct. Mirrors k8s.io/apiserver/pkg/apis/apiserver/v1/types.go.
std::vector<FieldType> FieldsOf(std::string_view type) {
  if (type == "AuthorizationConfiguration") {
    return {{"apiVersion", "string"}, {"kind", "string"}, {"authorizers", "list"}};
  }
  if (type == "AuthorizerConfiguration") {
    return {{"type", "string"}, {"name", "string"}, {"webhook", "WebhookConfiguration"}};
  }
  if (type == "WebhookConfiguration") {
    return {{"authorizedTTL", "string"},
            {"cacheAuthorizedRequests", "bool"},
            {"unauthorizedTTL", "string"},
            {"cacheUnauthorizedRequests", "bool"},
            {"timeout", "string"},
            {"subjectAccessReviewVersion", "string"},
            {"matchConditionSubjectAccessReviewVersion", "string"},
            {"failurePolicy", "string"},
            {"connectionInfo", "WebhookConnectionInfo"},
            {"matchConditions", "list"}};
  }
  if (type == "WebhookConnectionInfo") return {{"type", "string"}, {"kubeConfigFile", "string"}};
  return {{"expression", "string"}};  // WebhookMatchCondition
}

std::string_view JsonKind(const runtime::JsonValue& value) {
  if (value.IsBool()) return "bool";
  if (value.IsNumber()) return "number";
  if (value.IsString()) return "string";
  return value.IsArray() ? "array" : "object";
}

// Decoding is what Go's strict decoder finds wrong.
struct Decoding {
  std::vector<std::string> unknown = {};  // paths
  std::string mismatch = {};              // the first wrong type
};

// Checks the fields of a struct. `fields` is their path without indices, as Go's errors have it.
void CheckStruct(const runtime::JsonValue& value, std::string_view type, const std::string& path,
                 const std::string& fields, Decoding& found) {
  const auto mismatched = [&](const runtime::JsonValue& wrong, std::string_view owner,
                              const std::string& field, std::string_view wanted) {
    if (!found.mismatch.empty()) return;
    found.mismatch = "json: cannot unmarshal " + std::string(JsonKind(wrong)) +
                     " into Go struct field " + std::string(owner) + "." + field + " of type " +
                     std::string(wanted);
  };
  const auto known = FieldsOf(type);
  for (const auto& [key, member] : value.GetObject()) {
    const std::string name(runtime::ToView(key));
    const std::string at = MemberPath(path, name);
    const std::string field = MemberPath(fields, name);
    const auto one = std::find_if(known.begin(), known.end(),
                                  [&](const FieldType& each) { return each.name == name; });
    if (one == known.end()) {
      found.unknown.push_back("unknown field " + Quoted(at));
      continue;
    }
    const std::string_view wanted = one->type;
    if (member.IsNull()) continue;
    if (wanted == "string" || wanted == "bool") {
      if (JsonKind(member) != wanted) mismatched(member, type, field, wanted);
    } else if (wanted == "list") {
      const std::string_view item_type =
          name == "authorizers" ? "AuthorizerConfiguration" : "WebhookMatchCondition";
      if (!member.IsArray()) {
        mismatched(member, type, field, "[]v1." + std::string(item_type));
        continue;
      }
      for (rapidjson::SizeType i = 0; i < member.Size(); ++i) {
        if (member[i].IsObject()) {
          CheckStruct(member[i], item_type, at + "[" + std::to_string(i) + "]", field, found);
        } else if (!member[i].IsNull()) {
          mismatched(member[i], type, field, "v1." + std::string(item_type));
        }
      }
    } else if (member.IsObject()) {
      CheckStruct(member, wanted, at, field, found);
    } else {
      mismatched(member, type, field, "v1." + std::string(wanted));
    }
  }
}

// Returns the configuration without anything that Go's strict decoder rejects.
Expected<Configuration> Load(std::string_view text) {
  std::vector<std::string> repeats;
  const auto json = JsonFromYaml(text, repeats);
  if (!json) return NotLoaded(json.error());
  std::string error;
  auto document = ParseJson(*json, &error);
  if (document == nullptr) return NotLoaded(error);
  if (!document->IsObject()) {
    return NotLoaded("couldn't get version/kind; json parse error: json: cannot unmarshal " +
                     std::string(JsonKind(*document)) + " into a Go struct");
  }
  const std::string version = StringAt(*document, "apiVersion");
  const std::string kind = StringAt(*document, "kind");
  for (const auto& [name, member] : {std::pair("Kind", kind), std::pair("apiVersion", version)}) {
    if (!member.empty()) continue;
    return NotLoaded("Object '" + std::string(name) + "' is missing in '" + std::string(text) +
                     "'");
  }
  const bool known = version == std::string(kConfigGroup) + "v1" ||
                     version == std::string(kConfigGroup) + "v1beta1" ||
                     version == std::string(kConfigGroup) + "v1alpha1";
  if (!known || kind != "AuthorizationConfiguration") {
    return NotLoaded("no kind " + Quoted(kind) + " is registered for version " + Quoted(version) +
                     " in scheme \"pkg/runtime/scheme.go:111\"");
  }
  Decoding found;
  CheckStruct(*document, "AuthorizationConfiguration", "", "", found);
  if (!found.mismatch.empty()) return NotLoaded(found.mismatch);
  if (!repeats.empty()) {
    found.unknown.insert(found.unknown.begin(),
                         "yaml: unmarshal errors:\n  " + Join(repeats, "\n  "));
  }
  if (!found.unknown.empty()) {
    return NotLoaded("strict decoding error: " + Join(found.unknown, ", "));
  }
  return document;
}

// Returns the duration of a valid field; `otherwise` if it is not given or 0.
Duration DurationOf(const Place& field, Duration otherwise) {
  const Duration given = ParseDuration(field.Text()).value_or(Duration::zero());
  return given == Duration::zero() ? otherwise : given;
}

// Returns why a field is no duration, as Go's decoder says it; empty: it is one.
std::string WhyNoDuration(const Place& webhook) {
  for (const char* const name : {"authorizedTTL", "unauthorizedTTL", "timeout"}) {
    const Place field = webhook[name];
    if (!field.Given() || ParseDuration(field.Text())) continue;
    return "time: invalid duration " + Quoted(field.Text());
  }
  return {};
}

void CheckTimes(const Place& webhook, const Place& authorizer, FieldRules& rules) {
  using namespace std::chrono_literals;
  const auto at = [&](const char* name) {
    return webhook[name].At(authorizer.path() + "." + name);
  };
  const Duration timeout = DurationOf(webhook["timeout"], 0s);
  if (timeout == 0s) rules.Required(at("timeout"));
  if (timeout > 30s || timeout < 0s) {
    rules.InvalidAs(at("timeout"), Quoted(FormatDuration(timeout)), "must be > 0s and <= 30s");
  }
  for (const char* const name : {"authorizedTTL", "unauthorizedTTL"}) {
    const Duration ttl = DurationOf(webhook[name], 1s);
    if (ttl < 0s) rules.InvalidAs(at(name), Quoted(FormatDuration(ttl)), "must be > 0s");
  }
}

void CheckConnection(const Place& info, FieldRules& rules) {
  const Place file = info["kubeConfigFile"];
  const std::string path(file.Text());
  const std::string_view type = info["type"].Text();
  if (type.empty()) return rules.Required(info["type"]);
  if (type == "InClusterConfig") {
    if (file.Given()) rules.Invalid(file, "can only be set when type=KubeConfigFile");
    return;
  }
  if (type != "KubeConfigFile") {
    return rules.Unsupported(info["type"], Quoted(type), {"InClusterConfig", "KubeConfigFile"});
  }
  if (path.empty()) return rules.Required(file);
  if (!path.starts_with('/')) return rules.Invalid(file, "must be an absolute path");
  std::error_code error;
  const auto status = std::filesystem::status(path, error);
  if (!std::filesystem::exists(status)) {
    return rules.Invalid(file, "error loading file: stat " + path + ": no such file or directory");
  }
  if (!std::filesystem::is_regular_file(status)) rules.Invalid(file, "must be a regular file");
}

// Checks the conditions and compiles them.
ReviewConditions CheckReviewConditions(const Place& list, FieldRules& rules) {
  constexpr std::size_t kConditionsMax = 64;
  ReviewConditions conditions;
  if (list.Items().size() > kConditionsMax) {
    rules.causes().push_back({.reason = "FieldValueTooMany",
                              .message = "Too many: " + std::to_string(list.Items().size()) +
                                         ": must have at most 64 items",
                              .field = list.path()});
    return conditions;
  }
  std::set<std::string_view> seen;
  for (const Place& item : list.Items()) {
    const Place expression = item["expression"];
    if (TrimSpace(expression.Text()).empty()) {
      rules.Required(expression);
    } else if (!seen.insert(expression.Text()).second) {
      rules.Duplicate(expression);
    } else if (const std::string why = conditions.Add(expression.Text()); !why.empty()) {
      rules.Invalid(expression, why);
    }
  }
  return conditions;
}

// Checks the configuration of a webhook. kube-apiserver's paths lack the field `webhook`.
WebhookAuthorizerOptions CheckReviewWebhook(const Place& authorizer, FieldRules& rules) {
  using namespace std::chrono_literals;
  const Place webhook = authorizer["webhook"].At(authorizer.path());
  CheckTimes(webhook, authorizer, rules);
  const Place version = webhook["subjectAccessReviewVersion"];
  if (rules.RequireText(version)) rules.OneOf(version, {"v1", "v1beta1"});
  const Place match_version = webhook["matchConditionSubjectAccessReviewVersion"];
  const Place conditions = webhook["matchConditions"];
  if (match_version.Text().empty() && !conditions.Items().empty()) {
    rules.Required(match_version, "required if match conditions are specified");
  }
  rules.OneOf(match_version, {"v1"});
  const Place policy = webhook["failurePolicy"];
  if (rules.RequireText(policy)) rules.OneOf(policy, {"NoOpinion", "Deny"});
  CheckConnection(webhook["connectionInfo"], rules);
  const auto remembers = [&](const char* field) { return !webhook[field].value().IsFalse(); };
  const auto ttl = [&](const char* field, Duration otherwise) {
    return std::chrono::duration_cast<Clock::Duration>(DurationOf(webhook[field], otherwise));
  };
  return {
      .name = std::string(authorizer["name"].Text()),
      .version = std::string(version.Text()),
      .timeout = std::chrono::ceil<std::chrono::milliseconds>(DurationOf(webhook["timeout"], 30s)),
      .deny_on_failure = policy.Text() == "Deny",
      .authorized_ttl = remembers("cacheAuthorizedRequests") ? ttl("authorizedTTL", 5min) : 0s,
      .unauthorized_ttl = remembers("cacheUnauthorizedRequests") ? ttl("unauthorizedTTL", 30s) : 0s,
      .conditions = CheckReviewConditions(conditions, rules)};
}

struct TypeName {
  std::string_view name;
  AuthorizerType type;
};
constexpr TypeName kAuthorizerTypes[] = {{"AlwaysAllow", AuthorizerType::kAlwaysAllow},
                                         {"AlwaysDeny", AuthorizerType::kAlwaysDeny},
                                         {"Node", AuthorizerType::kNode},
                                         {"RBAC", AuthorizerType::kRbac},
                                         {"Webhook", AuthorizerType::kWebhook}};

std::optional<AuthorizerType> AuthorizerTypeOf(std::string_view name) {
  const auto* const found = std::find_if(std::begin(kAuthorizerTypes), std::end(kAuthorizerTypes),
                                         [&](const TypeName& each) { return each.name == name; });
  if (found == std::end(kAuthorizerTypes)) return std::nullopt;
  return found->type;
}

// Configured is an authorizer whose webhook is not connected yet.
struct Configured {
  AuthorizerType type;
  WebhookAuthorizerOptions webhook = {};
  std::string kubeconfig = {};
};

// Checks one authorizer. Returns nullopt if it is not used.
std::optional<Configured> CheckAuthorizer(const Place& authorizer, std::set<std::string>& types,
                                          std::set<std::string>& names, FieldRules& rules) {
  const Place type_field = authorizer["type"];
  const std::string type_name(type_field.Text());
  if (!rules.RequireText(type_field)) return std::nullopt;
  const auto type = AuthorizerTypeOf(type_name);
  if (!type) {
    rules.Unsupported(type_field, Quoted(type_name),
                      {"ABAC", "AlwaysAllow", "AlwaysDeny", "Node", "RBAC", "Webhook"});
    return std::nullopt;
  }
  const bool is_webhook = *type == AuthorizerType::kWebhook;
  if (!types.insert(type_name).second && !is_webhook) {
    rules.Duplicate(type_field);
    return std::nullopt;
  }
  const Place name = authorizer["name"];
  if (rules.RequireText(name)) {
    if (names.count(std::string(name.Text())) > 0) {
      rules.Duplicate(name);
    } else if (const auto errors = SubdomainErrors(name.Text()); !errors.empty()) {
      rules.Invalid(name, "authorizer name is invalid: " + Join(errors, ", "));
    }
  }
  names.insert(std::string(name.Text()));
  const Place webhook = authorizer["webhook"];
  if (is_webhook && !webhook.Given()) rules.Required(webhook, "required when type=Webhook");
  if (!is_webhook && webhook.Given()) {
    rules.InvalidAs(webhook, "\"non-null\"", "may only be specified when type=Webhook");
  }
  Configured configured{.type = *type};
  if (is_webhook && webhook.Given()) {
    configured.webhook = CheckReviewWebhook(authorizer, rules);
    configured.kubeconfig = webhook["connectionInfo"]["kubeConfigFile"].Text();
  }
  return configured;
}

// Returns the errors about names, which kube-apiserver checks last.
std::vector<std::string> WrongNames(const Place& authorizers) {
  std::vector<std::string> errors;
  for (const Place& authorizer : authorizers.Items()) {
    const std::string type(authorizer["type"].Text());
    const std::string name(authorizer["name"].Text());
    if (type == "Webhook" || LowerAscii(type) == name) continue;
    errors.push_back(std::string("expected name ")
                         .append(LowerAscii(type))
                         .append(" for authorizer ")
                         .append(type)
                         .append(" instead of ")
                         .append(name));
  }
  return errors;
}

Expected<ChainedAuthorizer> Connect(Configured configured) {
  if (configured.type != AuthorizerType::kWebhook) {
    return ChainedAuthorizer{.type = configured.type};
  }
  if (configured.kubeconfig.empty()) {
    return Wrong<ChainedAuthorizer>(
        "authorizer " + configured.webhook.name +
        ": connectionInfo.type InClusterConfig is not supported; use KubeConfigFile");
  }
  auto config = clientcmd::LoadKubeconfig({configured.kubeconfig}, "");
  if (!config) return Err(std::move(config.error()));
  configured.webhook.server = *std::move(config);
  auto webhook = WebhookAuthorizer::New(std::move(configured.webhook));
  if (!webhook) return Err(std::move(webhook.error()));
  return ChainedAuthorizer{.type = configured.type, .webhook = *std::move(webhook)};
}

}  // namespace

Expected<AuthorizerChain> ReadAuthorizationConfiguration(std::string_view text) {
  const auto document = Load(text);
  if (!document) return Err(document.error());
  const Place authorizers = Place(**document, "")["authorizers"];
  std::vector<Cause> causes;
  FieldRules rules(causes);
  if (authorizers.Items().empty()) {
    rules.Required(authorizers, "at least one authorization mode must be defined");
  }
  std::vector<Configured> all;
  std::set<std::string> types;
  std::set<std::string> names;
  for (const Place& authorizer : authorizers.Items()) {
    if (authorizer["type"].Text() == "ABAC") {
      return Wrong(authorizer["type"].path() + ": ABAC is not supported; use RBAC or Webhook");
    }
    if (const std::string why = WhyNoDuration(authorizer["webhook"]); !why.empty()) {
      return NotLoaded<AuthorizerChain>(why);
    }
    if (auto one = CheckAuthorizer(authorizer, types, names, rules)) {
      all.push_back(*std::move(one));
    }
  }
  std::vector<std::string> errors;
  errors.reserve(causes.size());
  for (const Cause& cause : causes) errors.push_back(cause.field + ": " + cause.message);
  if (errors.empty()) errors = WrongNames(authorizers);
  if (!errors.empty()) return Wrong(Aggregate(errors));
  AuthorizerChain chain;
  for (Configured& one : all) {
    auto connected = Connect(std::move(one));
    if (!connected) return Err(std::move(connected.error()));
    chain.push_back(*std::move(connected));
  }
  return chain;
}

}  // namespace capstan::testing::apiserver
