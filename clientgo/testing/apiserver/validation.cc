// SPDX-License-Identifier: Apache-2.0
#include "clientgo/testing/apiserver/validation.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "capstan/base64.h"
#include "capstan/cert/certificate.h"
#include "capstan/cert/pem.h"
#include "capstan/text.h"
#include "clientgo/testing/apiserver/definition_validation.h"
#include "clientgo/testing/apiserver/trust_bundle_validation.h"
#include "clientgo/testing/apiserver/webhook_validation.h"
#include "clientgo/testing/apiserver/workload_validation.h"

namespace capstan::testing::apiserver {
namespace {

constexpr std::size_t kSubdomainMax = 253;
constexpr std::size_t kPartMax = 63;

bool IsAlphanumeric(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}
bool IsKeyCharacter(char c) { return IsAlphanumeric(c) || c == '-' || c == '_' || c == '.'; }

// A part has letters and digits, and "-_." inside.
bool IsPart(std::string_view text) {
  return !text.empty() && IsAlphanumeric(text.front()) && IsAlphanumeric(text.back()) &&
         std::all_of(text.begin(), text.end(), IsKeyCharacter);
}

std::string TooLong(std::size_t length_max) {
  return "must be no more than " + std::to_string(length_max) + " characters";
}

void AddInvalid(std::vector<Cause>& causes, const std::string& field, std::string_view value,
                const std::vector<std::string>& errors) {
  for (const std::string& error : errors) causes.push_back(InvalidValue(field, value, error));
}

void ValidateKeys(const runtime::JsonValue& map, const std::string& field,
                  std::vector<Cause>& causes) {
  for (const auto& member : map.GetObject()) {
    AddInvalid(causes, field, runtime::ToView(member.name),
               QualifiedNameErrors(runtime::ToView(member.name)));
  }
}

void ValidateFinalizers(const runtime::JsonValue& metadata, std::vector<Cause>& causes) {
  const runtime::JsonValue& finalizers = ListAt(metadata, "finalizers");
  for (const runtime::JsonValue& finalizer : finalizers.GetArray()) {
    AddInvalid(causes, "metadata.finalizers", runtime::ToView(finalizer),
               QualifiedNameErrors(runtime::ToView(finalizer)));
  }
  for (rapidjson::SizeType i = 0; i < finalizers.Size(); ++i) {
    const std::string_view name = runtime::ToView(finalizers[i]);
    const bool standard = name == "foregroundDeletion" || name == "orphan" || name == "kubernetes";
    if (standard || name.find('/') != std::string_view::npos) continue;
    causes.push_back(InvalidValue("metadata.finalizers[" + std::to_string(i) + "]", name,
                                  "name is neither a standard finalizer name nor is it fully "
                                  "qualified"));
  }
}

// Returns the finalizers of `next` that `live` does not have, as Go prints a []string.
std::string NewFinalizers(const runtime::JsonValue& live, const runtime::JsonValue& next) {
  std::string text;
  const runtime::JsonValue& before = ListAt(ObjectAt(live, "metadata"), "finalizers");
  for (const runtime::JsonValue& finalizer :
       ListAt(ObjectAt(next, "metadata"), "finalizers").GetArray()) {
    const bool known = std::find(before.Begin(), before.End(), finalizer) != before.End();
    if (!known)
      text += (text.empty() ? "\"" : ", \"") + std::string(runtime::ToView(finalizer)) + "\"";
  }
  return text;
}

// The names of RBAC's kinds are not DNS names: "system:node".
std::vector<std::string> PathSegmentErrors(std::string_view text) {
  std::vector<std::string> errors;
  if (text == "." || text == "..") errors.push_back("may not be '" + std::string(text) + "'");
  for (const char c : {'/', '%'}) {
    if (text.find(c) != std::string_view::npos) {
      errors.push_back(std::string("may not contain '") + c + "'");
    }
  }
  return errors;
}

// Returns the check of the names of a kind.
auto NameErrorsOf(const Resource& resource) {
  if (resource.custom) return SubdomainErrors;
  if (resource.group == "rbac.authorization.k8s.io") return PathSegmentErrors;
  // More below. The API server's own APIService of the core group is "v1.".
  if (resource.kind == "ClusterTrustBundle" || resource.kind == "APIService") {
    return PathSegmentErrors;
  }
  if (resource.kind == "Namespace") return DnsLabelErrors;
  return resource.kind == "Service" ? Dns1035LabelErrors : SubdomainErrors;
}

void ValidateOwners(const runtime::JsonValue& metadata, std::vector<Cause>& causes) {
  std::string first;  // the controller
  const runtime::JsonValue& owners = ListAt(metadata, "ownerReferences");
  for (const runtime::JsonValue& owner : owners.GetArray()) {
    const runtime::JsonValue* const controller = runtime::Find(owner, "controller");
    if (controller == nullptr || !controller->IsTrue()) continue;
    const std::string name = std::string(runtime::GetString(owner, "kind")) + "/" +
                             std::string(runtime::GetString(owner, "name"));
    if (first.empty()) {
      first = name;
      continue;
    }
    std::string message = "Invalid value: ";
    message += runtime::ToJson(owners);
    message +=
        ": Only one reference can have Controller set to true. Found \"true\" in references for ";
    message.append(first).append(" and ").append(name);
    causes.push_back({.reason = "FieldValueInvalid",
                      .message = std::move(message),
                      .field = "metadata.ownerReferences"});
  }
}

void ValidateMetadata(const Resource& resource, const runtime::JsonValue& object,
                      std::vector<Cause>& causes) {
  const auto name_errors = NameErrorsOf(resource);
  const runtime::JsonValue& metadata = ObjectAt(object, "metadata");
  const std::string_view generate_name = runtime::GetString(metadata, "generateName");
  if (!generate_name.empty()) {
    // "x-" is valid: a suffix follows it.
    const auto errors = name_errors(std::string(generate_name) + "x");
    AddInvalid(causes, "metadata.generateName", generate_name, errors);
  }
  const std::string_view name = runtime::GetString(metadata, "name");
  if (name.empty()) {
    causes.push_back(Required("metadata.name", "name or generateName is required"));
  } else {
    AddInvalid(causes, "metadata.name", name, name_errors(name));
  }
  const runtime::JsonValue& labels = ObjectAt(metadata, "labels");
  ValidateKeys(labels, "metadata.labels", causes);
  for (const auto& member : labels.GetObject()) {
    AddInvalid(causes, "metadata.labels", runtime::ToView(member.value),
               LabelValueErrors(runtime::ToView(member.value)));
  }
  ValidateKeys(ObjectAt(metadata, "annotations"), "metadata.annotations", causes);
  ValidateOwners(metadata, causes);
  ValidateFinalizers(metadata, causes);
}

void ValidateMetadataUpdate(const runtime::JsonValue& live, const runtime::JsonValue& next,
                            std::vector<Cause>& causes) {
  const std::string added = NewFinalizers(live, next);
  if (!added.empty() && !Metadata(live, "deletionTimestamp").empty()) {
    causes.push_back(ForbiddenField("metadata.finalizers",
                                    "no new finalizers can be added if the object is being "
                                    "deleted, found new finalizers []string{" +
                                        added + "}"));
  }
  for (const char* const key : {"uid", "creationTimestamp"}) {
    const std::string_view value = Metadata(next, key);
    if (value.empty() || value == Metadata(live, key)) continue;
    causes.push_back(InvalidValue(std::string("metadata.") + key, value, "field is immutable"));
  }
}

void ValidateData(const runtime::JsonValue& object, std::string_view field,
                  std::vector<Cause>& causes) {
  for (const auto& member : ObjectAt(object, field).GetObject()) {
    const std::string_view key = runtime::ToView(member.name);
    AddInvalid(causes, std::string(field) + "[" + std::string(key) + "]", key,
               ConfigKeyErrors(key));
  }
}

// Returns a cause if the values have more than 1 MiB. `field` is what the error names.
void ValidateSize(std::size_t size, const std::string& field, std::vector<Cause>& causes) {
  constexpr std::size_t kSizeMax = 1U << 20U;
  if (size <= kSizeMax) return;
  causes.push_back({.reason = "FieldValueTooLong",
                    .message = "Too long: may not be more than 1048576 bytes",
                    .field = field});
}

std::size_t TextSize(const runtime::JsonValue& data) {
  std::size_t size = 0;
  for (const auto& member : data.GetObject()) size += runtime::ToView(member.value).size();
  return size;
}

// Returns the size of values in base64.
std::size_t BytesSize(const runtime::JsonValue& data) {
  std::size_t size = 0;
  for (const auto& member : data.GetObject()) {
    std::string_view text = runtime::ToView(member.value);
    size += text.size() / 4 * 3;
    for (; text.ends_with('='); text.remove_suffix(1)) --size;
  }
  return size;
}

void ValidateConfigMap(const runtime::JsonValue& object, std::vector<Cause>& causes) {
  const runtime::JsonValue& binary = ObjectAt(object, "binaryData");
  ValidateData(object, "data", causes);
  for (const auto& member : ObjectAt(object, "data").GetObject()) {
    const std::string_view key = runtime::ToView(member.name);
    if (runtime::Find(binary, key) == nullptr) continue;
    causes.push_back(InvalidValue("data[" + std::string(key) + "]", key,
                                  "duplicate of key present in binaryData"));
  }
  ValidateData(object, "binaryData", causes);
  ValidateSize(TextSize(ObjectAt(object, "data")) + BytesSize(binary), "[]", causes);
}

// SecretType names keys that the Secrets of a type have.
struct SecretType {
  std::string_view type;
  std::vector<std::string> keys;
  bool one_is_enough = false;
};

const std::vector<SecretType>& SecretTypes() {
  static const std::vector<SecretType> types = {
      {"kubernetes.io/tls", {"tls.crt", "tls.key"}},
      {"kubernetes.io/dockercfg", {".dockercfg"}},
      {"kubernetes.io/dockerconfigjson", {".dockerconfigjson"}},
      {"kubernetes.io/basic-auth", {"username", "password"}, true},
      {"kubernetes.io/ssh-auth", {"ssh-privatekey"}},
  };
  return types;
}

void ValidateSecret(const runtime::JsonValue& object, std::vector<Cause>& causes) {
  const runtime::JsonValue& data = ObjectAt(object, "data");
  ValidateData(object, "data", causes);
  ValidateSize(BytesSize(data), "data", causes);
  for (const auto& [type, keys, one_is_enough] : SecretTypes()) {
    if (type != runtime::GetString(object, "type")) continue;
    std::vector<Cause> missing;
    for (const std::string& key : keys) {
      if (runtime::Find(data, key) == nullptr) missing.push_back(Required("data[" + key + "]", ""));
    }
    if (one_is_enough && missing.size() < keys.size()) continue;
    causes.insert(causes.end(), missing.begin(), missing.end());
  }
}

void ValidateApiService(const runtime::JsonValue& object, std::vector<Cause>& causes) {
  const runtime::JsonValue& spec = ObjectAt(object, "spec");
  const std::string wanted = std::string(runtime::GetString(spec, "version")) + "." +
                             std::string(runtime::GetString(spec, "group"));
  if (const std::string_view name = Metadata(object, "name"); name != wanted) {
    causes.push_back(InvalidValue("metadata.name", name,
                                  R"(must be `spec.version+"."+spec.group`: ")" + wanted + "\""));
  }
  const runtime::JsonValue* const skip = runtime::Find(spec, "insecureSkipTLSVerify");
  if (skip == nullptr || !skip->IsTrue() || runtime::Find(spec, "caBundle") == nullptr) return;
  causes.push_back({.reason = "FieldValueInvalid",
                    .message = "Invalid value: true: may not be true if caBundle is present",
                    .field = "spec.insecureSkipTLSVerify"});
}

// kube-apiserver validates its internal type: webhook.clientConfig is webhookClientConfig there.
void ValidateConversion(const runtime::JsonValue& object, std::vector<Cause>& causes) {
  const runtime::JsonValue* const conversion = runtime::FindPath(object, {"spec", "conversion"});
  if (conversion == nullptr || !conversion->IsObject()) return;
  const std::string path = "spec.conversion";
  const runtime::JsonValue& webhook = ObjectAt(*conversion, "webhook");
  const runtime::JsonValue* const config = runtime::Find(webhook, "clientConfig");
  const bool versions = !ListAt(webhook, "conversionReviewVersions").Empty();
  const std::string_view strategy = runtime::GetString(*conversion, "strategy");
  if (strategy.empty()) {
    causes.push_back(Required(path + ".strategy", ""));
  } else if (strategy != "None" && strategy != "Webhook") {
    causes.push_back(NotSupported(path + ".strategy", "\"" + std::string(strategy) + "\"",
                                  R"("None", "Webhook")"));
  }
  if (strategy == "Webhook") {
    if (config == nullptr) {
      causes.push_back(
          Required(path + ".webhookClientConfig", "required when strategy is set to Webhook"));
    } else if ((runtime::Find(*config, "url") == nullptr) ==
               (runtime::Find(*config, "service") == nullptr)) {
      causes.push_back(
          Required(path + ".webhookClientConfig", "exactly one of url or service is required"));
    }
    if (!versions) causes.push_back(Required(path + ".conversionReviewVersions", ""));
    return;
  }
  const std::string why = "should not be set when strategy is not set to Webhook";
  if (config != nullptr) causes.push_back(ForbiddenField(path + ".webhookClientConfig", why));
  if (versions) causes.push_back(ForbiddenField(path + ".conversionReviewVersions", why));
}

void ValidateApproval(const runtime::JsonValue& object, std::vector<Cause>& causes) {
  const std::string group =
      "." + std::string(runtime::GetString(ObjectAt(object, "spec"), "group"));
  if (!group.ends_with(".k8s.io") && !group.ends_with(".kubernetes.io")) return;
  const std::string path = "metadata.annotations[api-approved.kubernetes.io]";
  const runtime::JsonValue* const value =
      runtime::FindPath(object, {"metadata", "annotations", "api-approved.kubernetes.io"});
  const std::string_view state = value == nullptr ? std::string_view() : runtime::ToView(*value);
  if (state.empty()) {
    causes.push_back(Required(
        path, R"(protected groups must have approval annotation "api-approved.kubernetes.io", see )"
              "https://github.com/kubernetes/enhancements/pull/1111"));
  } else if (!state.starts_with("unapproved") && !state.starts_with("https://")) {
    causes.push_back(InvalidValue(
        path, state,
        R"(protected groups must have approval annotation "api-approved.kubernetes.io" with )"
        "either a URL or a reason starting with \"unapproved\", see "
        "https://github.com/kubernetes/enhancements/pull/1111"));
  }
}

void ValidateLease(const runtime::JsonValue& object, std::vector<Cause>& causes) {
  const auto check = [&](const char* key, int least, std::string_view what) {
    const runtime::JsonValue* const value = runtime::FindPath(object, {"spec", key});
    if (value == nullptr || !value->IsInt() || value->GetInt() >= least) return;
    causes.push_back(
        {.reason = "FieldValueInvalid",
         .message = "Invalid value: " + std::to_string(value->GetInt()) + ": " + std::string(what),
         .field = std::string("spec.") + key});
  };
  check("leaseDurationSeconds", 1, "must be greater than 0");
  check("leaseTransitions", 0, "must be greater than or equal to 0");
}

void ValidateEvent(const runtime::JsonValue& object, std::vector<Cause>& causes) {
  const std::string_view ns = runtime::GetString(ObjectAt(object, "involvedObject"), "namespace");
  const std::string_view own = Metadata(object, "namespace");
  // Events about cluster-scoped objects are in "default".
  if (ns == own || (ns.empty() && own == "default")) return;
  causes.push_back(InvalidValue("involvedObject.namespace", ns, "does not match event.namespace"));
}

void ValidateImmutable(const runtime::JsonValue& live, const runtime::JsonValue& next,
                       std::vector<Cause>& causes) {
  const runtime::JsonValue* const immutable = runtime::Find(live, "immutable");
  if (immutable == nullptr || !immutable->IsTrue()) return;
  const auto differs = [&](std::string_view key) {
    const runtime::JsonValue* const before = runtime::Find(live, key);
    const runtime::JsonValue* const after = runtime::Find(next, key);
    return before == nullptr || after == nullptr ? before != after : *before != *after;
  };
  for (const char* const key : {"immutable", "data", "binaryData"}) {
    if (!differs(key)) continue;
    causes.push_back(ForbiddenField(key, "field is immutable when `immutable` is set"));
  }
}

// An update may not replace a valid CA bundle of the conversion webhook with an invalid one. A
// create may set an invalid one.
void ValidateConversionBundle(const runtime::JsonValue& live, const runtime::JsonValue& next,
                              std::vector<Cause>& causes) {
  const auto bundle = [](const runtime::JsonValue& object) {
    const runtime::JsonValue& conversion = ObjectAt(ObjectAt(object, "spec"), "conversion");
    return runtime::GetString(ObjectAt(ObjectAt(conversion, "webhook"), "clientConfig"),
                              "caBundle");
  };
  const auto why_not = [](std::string_view base64) {
    return WhyNoRootCertificates(Base64Decode(base64).value_or(""));
  };
  const auto why = why_not(bundle(next));
  if (!why || why_not(bundle(live))) return;
  causes.push_back(
      InvalidValue("spec.conversion.webhookClientConfig.caBundle", bundle(next), *why));
}

}  // namespace

std::vector<std::string> SubdomainErrors(std::string_view text) {
  std::vector<std::string> errors;
  if (text.size() > kSubdomainMax) errors.push_back(TooLong(kSubdomainMax));
  if (!IsDnsSubdomain(text)) {
    errors.emplace_back(
        "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' "
        "or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex "
        "used for validation is "
        "'[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')");
  }
  return errors;
}

std::vector<std::string> QualifiedNameErrors(std::string_view text) {
  std::vector<std::string> errors;
  const auto slashes = std::count(text.begin(), text.end(), '/');
  if (slashes > 1) {
    errors.emplace_back(
        "a qualified name must consist of alphanumeric characters, '-', '_' or '.', and must start "
        "and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', "
        "regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]') with an optional "
        "DNS subdomain prefix and '/' (e.g. 'example.com/MyName')");
    return errors;
  }
  if (slashes == 1) {
    const std::string_view prefix = text.substr(0, text.find('/'));
    if (prefix.empty()) {
      errors.emplace_back("prefix part must be non-empty");
    } else {
      for (const std::string& error : SubdomainErrors(prefix)) {
        errors.push_back("prefix part " + error);
      }
    }
    text.remove_prefix(prefix.size() + 1);
  }
  if (text.empty()) errors.emplace_back("name part must be non-empty");
  if (text.size() > kPartMax) errors.push_back("name part " + TooLong(kPartMax));
  if (!IsPart(text)) {
    errors.emplace_back(
        "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and "
        "end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex "
        "used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')");
  }
  return errors;
}

std::vector<std::string> DnsLabelErrors(std::string_view text) {
  const auto is_edge = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); };
  const auto is_inside = [&](char c) { return is_edge(c) || c == '-'; };
  std::vector<std::string> errors;
  if (text.size() > kPartMax) errors.push_back(TooLong(kPartMax));
  if (text.empty() || !is_edge(text.front()) || !is_edge(text.back()) ||
      !std::all_of(text.begin(), text.end(), is_inside)) {
    errors.emplace_back(
        "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and "
        "must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex "
        "used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')");
  }
  return errors;
}

std::vector<std::string> Dns1035LabelErrors(std::string_view text) {
  const auto is_lower = [](char c) { return c >= 'a' && c <= 'z'; };
  const auto is_inside = [&](char c) { return is_lower(c) || (c >= '0' && c <= '9') || c == '-'; };
  std::vector<std::string> errors;
  if (text.size() > kPartMax) errors.push_back(TooLong(kPartMax));
  if (text.empty() || !is_lower(text.front()) || text.back() == '-' ||
      !std::all_of(text.begin(), text.end(), is_inside)) {
    errors.emplace_back(
        "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an "
        "alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or "
        "'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')");
  }
  return errors;
}

std::vector<std::string> ConfigKeyErrors(std::string_view text) {
  std::vector<std::string> errors;
  if (text.size() > kSubdomainMax) errors.push_back(TooLong(kSubdomainMax));
  if (text.empty() || !std::all_of(text.begin(), text.end(), IsKeyCharacter)) {
    errors.emplace_back(
        "a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. "
        "'key.name',  or 'KEY_NAME',  or 'key-name', regex used for validation is "
        "'[-._a-zA-Z0-9]+')");
  }
  if (text == "." || text == "..") {
    errors.push_back("must not be '" + std::string(text) + "'");
  } else if (text.starts_with("..")) {
    errors.emplace_back("must not start with '..'");
  }
  return errors;
}

std::vector<std::string> LabelValueErrors(std::string_view text) {
  std::vector<std::string> errors;
  if (text.size() > kPartMax) errors.push_back(TooLong(kPartMax));
  if (!text.empty() && !IsPart(text)) {
    errors.emplace_back(
        "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or "
        "'.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or "
        "'my_value',  or '12345', regex used for validation is "
        "'(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')");
  }
  return errors;
}

// Mirrors rootCertPool and createErrorParsingCAData of client-go's transport.go.
std::optional<std::string> WhyNoRootCertificates(std::string_view pem) {
  if (pem.empty()) return std::nullopt;
  const std::string what = "unable to load root certificates: ";
  std::string why;  // the error of the first bad block
  cert::PemReader reader(pem);
  while (!reader.rest().empty()) {
    const auto block = reader.Next();
    if (!block) {
      if (why.empty()) why = "unable to parse bytes as PEM block";
      break;
    }
    if (block->label != cert::kCertificateBlock || block->has_headers) continue;
    const auto certificate = cert::ParseCertificate(block->bytes);
    if (certificate) return std::nullopt;
    if (why.empty()) why = "failed to parse certificate: x509: " + certificate.error().message;
  }
  return what + (why.empty() ? "no valid certificate authority data seen" : why);
}

std::vector<Cause> Validate(const Resource& resource, const runtime::JsonValue& object) {
  std::vector<Cause> causes;
  ValidateMetadata(resource, object, causes);
  if (resource.custom) return causes;  // its schema is all; its kind may be a built-in one's
  if (resource.group == "admissionregistration.k8s.io") {
    auto more = ValidateWebhooks(object);
    causes.insert(causes.end(), more.begin(), more.end());
  }
  if (resource.kind == "APIService") ValidateApiService(object, causes);
  if (resource.kind == "CustomResourceDefinition") {
    auto more = ValidateDefinition(object);
    causes.insert(causes.end(), more.begin(), more.end());
    ValidateConversion(object, causes);
    ValidateApproval(object, causes);
  }
  if (resource.kind == "Lease") ValidateLease(object, causes);
  if (resource.kind == "Event") ValidateEvent(object, causes);
  if (resource.kind == "Secret") ValidateSecret(object, causes);
  if (resource.kind == "ConfigMap") ValidateConfigMap(object, causes);
  if (resource.kind == "ClusterTrustBundle") {
    auto more = ValidateTrustBundle(object);
    causes.insert(causes.end(), more.begin(), more.end());
  }
  auto more = ValidateWorkload(resource, object);
  causes.insert(causes.end(), more.begin(), more.end());
  return causes;
}

std::vector<Cause> ValidateCreate(const Resource& resource, const runtime::JsonValue& object) {
  constexpr std::size_t kCronJobNameMax = 52;  // a Job's name has 11 more characters
  std::vector<Cause> causes = Validate(resource, object);
  const std::string_view name = Metadata(object, "name");
  if (resource.kind == "CronJob" && !resource.custom && name.size() > kCronJobNameMax) {
    causes.push_back(InvalidValue("metadata.name", name, TooLong(kCronJobNameMax)));
  }
  return causes;
}

std::vector<Cause> ValidateUpdate(const Resource& resource, const runtime::JsonValue& live,
                                  const runtime::JsonValue& next, bool spec) {
  std::vector<Cause> causes;
  ValidateMetadataUpdate(live, next, causes);
  if (resource.custom) return causes;
  // kube-apiserver validates the metadata of these kinds twice, so it reports each cause twice.
  const bool twice = resource.group.empty() || resource.group == "coordination.k8s.io";
  if (twice) ValidateMetadataUpdate(live, next, causes);
  const std::string_view type = runtime::GetString(next, "type");
  if (resource.kind == "Secret" && type != runtime::GetString(live, "type")) {
    causes.push_back(InvalidValue("type", type, "field is immutable"));
  }
  if (resource.kind == "Secret" || resource.kind == "ConfigMap") {
    ValidateImmutable(live, next, causes);
  }
  if (resource.kind == "CustomResourceDefinition") ValidateConversionBundle(live, next, causes);
  const std::string_view signer = runtime::GetString(ObjectAt(next, "spec"), "signerName");
  if (resource.kind == "ClusterTrustBundle" &&
      signer != runtime::GetString(ObjectAt(live, "spec"), "signerName")) {
    causes.push_back(InvalidValue("spec.signerName", signer, "field is immutable"));
  }
  if (spec) {
    auto more = ValidateWorkloadUpdate(resource, live, next);
    causes.insert(causes.end(), more.begin(), more.end());
  }
  return causes;
}

}  // namespace capstan::testing::apiserver
