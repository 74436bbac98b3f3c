// SPDX-License-Identifier: Apache-2.0
#include "clientgo/testing/apiserver/validation/validation.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "capstan/base64.h"
#include "capstan/cert/certificate.h"
#include "capstan/cert/pem.h"
#include "capstan/logging.h"
#include "capstan/runtime/json_writer.h"
#include "capstan/text.h"
#include "clientgo/testing/apiserver/validation/field_rules.h"
#include "clientgo/testing/apiserver/validation/kind_rules.h"
#include "clientgo/testing/apiserver/validation/metadata_validation.h"
#include "clientgo/testing/apiserver/validation/rule_text.h"

namespace capstan::testing::apiserver {
namespace {

constexpr std::size_t kSubdomainMax = 253;
constexpr std::size_t kPartMax = 63;
constexpr std::size_t kDataMax = 1U << 20U;  // of a ConfigMap or a Secret

bool IsKeyCharacter(char c) { return IsAsciiAlphanumeric(c) || c == '-' || c == '_' || c == '.'; }

// A part has letters and digits, and "-_." inside.
bool IsPart(std::string_view text) {
  return !text.empty() && IsAsciiAlphanumeric(text.front()) && IsAsciiAlphanumeric(text.back()) &&
         std::all_of(text.begin(), text.end(), IsKeyCharacter);
}

std::string TooLong(std::size_t length_max) {
  return "must be no more than " + std::to_string(length_max) + " characters";
}

// Returns the size of the texts in a map.
std::size_t TextSize(const runtime::JsonValue& data) {
  std::size_t size = 0;
  for (const auto& member : data.GetObject()) size += runtime::ToView(member.value).size();
  return size;
}

// Returns the keys of the data of a ConfigMap or a Secret: "data[ca.crt]".
std::vector<Place> DataKeys(const Place& data) {
  auto keys = data.Keys();
  for (Place& key : keys) key = key.At(data.path() + "[" + std::string(key.Text()) + "]");
  return keys;
}

void CheckData(const Place& data, FieldRules& rules) {
  for (const Place& key : DataKeys(data)) rules.Invalid(key, ConfigKeyErrors(key.Text()));
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

// The keys of registries are an object in JSON.
void CheckRegistryKeys(const Place& value, FieldRules& rules) {
  if (!value.Given()) return;
  std::string why;
  const auto json = ParseJson(Base64Decode(value.Text()).value_or(""), &why);
  if (json != nullptr) {
    if (json->IsObject() || json->IsNull()) return;
    const char* const kind = json->IsArray()    ? "array"
                             : json->IsString() ? "string"
                             : json->IsBool()   ? "bool"
                                                : "number";
    why = std::string("json: cannot unmarshal ") + kind +
          " into Go value of type map[string]interface {}";
  }
  rules.InvalidAs(value, R"("<secret contents redacted>")", why);
}

void CheckTextUpdate(const Place& live, const Place& next, FieldRules& rules) {
  if (live.Text() != next.Text()) rules.InvalidText(next, "field is immutable");
}

// Returns what is wrong with the length and the form of a text. `form` says what is well-formed.
std::vector<std::string> FormErrors(std::string_view text, std::size_t size_max, bool well_formed,
                                    const char* form) {
  std::vector<std::string> errors;
  if (text.size() > size_max) errors.push_back(TooLong(size_max));
  if (!well_formed) errors.emplace_back(form);
  return errors;
}

Place SpecOf(const runtime::JsonValue& object) { return {ObjectAt(object, "spec"), "spec"}; }

}  // namespace

std::vector<std::string> SubdomainErrors(std::string_view text) {
  return FormErrors(
      text, kSubdomainMax, IsDnsSubdomain(text),
      "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' "
      "or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex "
      "used for validation is "
      "'[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')");
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
  return FormErrors(text, kPartMax,
                    !text.empty() && is_edge(text.front()) && is_edge(text.back()) &&
                        std::all_of(text.begin(), text.end(), is_inside),
                    IsDnsSubdomain(text)
                        ? "must not contain dots"
                        : "a lowercase RFC 1123 label must consist of lower case alphanumeric "
                          "characters or '-', and "
                          "must start and end with an alphanumeric character (e.g. 'my-name',  or "
                          "'123-abc', regex "
                          "used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')");
}

std::vector<std::string> Dns1035LabelErrors(std::string_view text) {
  const auto is_lower = [](char c) { return c >= 'a' && c <= 'z'; };
  const auto is_inside = [&](char c) { return is_lower(c) || (c >= '0' && c <= '9') || c == '-'; };
  return FormErrors(
      text, kPartMax,
      !text.empty() && is_lower(text.front()) && text.back() != '-' &&
          std::all_of(text.begin(), text.end(), is_inside),
      "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an "
      "alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or "
      "'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')");
}

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

std::vector<std::string> ConfigKeyErrors(std::string_view text) {
  std::vector<std::string> errors = FormErrors(
      text, kSubdomainMax, !text.empty() && std::all_of(text.begin(), text.end(), IsKeyCharacter),
      "a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. "
      "'key.name',  or 'KEY_NAME',  or 'key-name', regex used for validation is "
      "'[-._a-zA-Z0-9]+')");
  if (text == "." || text == "..") {
    errors.push_back("must not be '" + std::string(text) + "'");
  } else if (text.starts_with("..")) {
    errors.emplace_back("must not start with '..'");
  }
  return errors;
}

std::vector<std::string> LabelValueErrors(std::string_view text) {
  return FormErrors(
      text, kPartMax, text.empty() || IsPart(text),
      "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or "
      "'.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or "
      "'my_value',  or '12345', regex used for validation is "
      "'(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')");
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

void CheckSpecFinalizer(const Place& finalizer, FieldRules& rules) {
  rules.Invalid(finalizer, QualifiedNameErrors(finalizer.Text()));
  if (!IsShortFinalizer(finalizer.Text())) return;
  rules.Invalid(finalizer, "name is neither a standard finalizer name nor is it fully qualified");
}

void CheckConfigMap(const Place& object, FieldRules& rules) {
  const Place data = object["data"];
  const Place binary = object["binaryData"];
  CheckData(data, rules);
  for (const Place& key : DataKeys(data)) {
    if (!binary.Entry(key.Text()).Given()) continue;
    rules.Invalid(key, "duplicate of key present in binaryData");
  }
  CheckData(binary, rules);
  const std::size_t size = TextSize(ObjectAt(object.value(), "data")) +
                           BytesSize(ObjectAt(object.value(), "binaryData"));
  if (size > kDataMax) rules.TooLong(object.At("[]"), kDataMax);
}

void CheckSecret(const Place& object, FieldRules& rules) {
  const Place data = object["data"];
  CheckData(data, rules);
  if (BytesSize(ObjectAt(object.value(), "data")) > kDataMax) rules.TooLong(data, kDataMax);
  if (object["type"].Text() == "kubernetes.io/service-account-token") {
    const Place name =
        object["metadata"]["annotations"].Entry("kubernetes.io/service-account.name");
    rules.RequireText(name);
  }
  for (const auto& [type, keys, one_is_enough] : SecretTypes()) {
    if (type != object["type"].Text()) continue;
    const auto has = [&](const std::string& key) { return data.Entry(key).Given(); };
    if (type.starts_with("kubernetes.io/docker"))
      CheckRegistryKeys(data.Entry(keys.front()), rules);
    if (one_is_enough && std::any_of(keys.begin(), keys.end(), has)) continue;
    for (const std::string& key : keys) {
      if (!has(key)) rules.Required(data.Entry(key));
    }
  }
}

void CheckRequiredName(const Place& metadata, std::string_view wanted, std::string_view detail,
                       FieldRules& rules) {
  const Place prefix = metadata["generateName"];
  if (!prefix.Text().empty() && prefix.Text() != wanted) rules.Invalid(prefix, detail);
  const Place name = metadata["name"];
  if (!name.Text().empty() && name.Text() != wanted) rules.Invalid(name, detail);
}

void CheckLease(const Place& object, FieldRules& rules) {
  const Place duration = object["spec"]["leaseDurationSeconds"];
  if (duration.Number().value_or(1) < 1) rules.Invalid(duration, "must be greater than 0");
  rules.NotNegative(object["spec"]["leaseTransitions"]);
}

void CheckDataUpdate(const Place& live, const Place& next, FieldRules& rules) {
  if (!live["immutable"].IsTrue()) return;
  for (const char* const member : {"immutable", "data", "binaryData"}) {
    if (live[member].value() == next[member].value()) continue;
    rules.Forbidden(next[member], "field is immutable when `immutable` is set");
  }
}

void CheckSecretUpdate(const Place& live, const Place& next, FieldRules& rules) {
  CheckTextUpdate(live["type"], next["type"], rules);
  CheckDataUpdate(live, next, rules);
}

void CheckTrustBundleUpdate(const Place& live, const Place& next, FieldRules& rules) {
  CheckTextUpdate(live["spec"]["signerName"], next["spec"]["signerName"], rules);
}

std::vector<Cause> Validate(const Resource& resource, const runtime::JsonValue& object,
                            bool create) {
  std::vector<Cause> causes;
  FieldRules rules(causes);
  const Place whole(object, "");
  CheckMetadata(resource, whole["metadata"], rules);
  CheckRules(resource.rules, whole, rules);
  if (resource.validate != nullptr) resource.validate(whole, rules);
  if (resource.validate_always != nullptr) resource.validate_always(whole, rules);
  if (create && resource.validate_new != nullptr) resource.validate_new(whole, rules);
  return causes;
}

std::vector<Cause> ValidateUpdate(const Resource& resource, const runtime::JsonValue& live,
                                  const runtime::JsonValue& next, std::string_view subresource) {
  std::vector<Cause> causes;
  // A write of the status of a custom resource ignores the metadata.
  if (resource.custom && subresource == "status") return causes;
  FieldRules rules(causes);
  const Place before(live, "");
  const Place after(next, "");
  CheckMetadataUpdate(resource, subresource, before["metadata"], after["metadata"], rules);
  if (resource.custom) return causes;
  // kube-apiserver validates the metadata of these kinds twice, so it reports each cause twice.
  const bool twice = resource.group.empty() || resource.group == "coordination.k8s.io";
  if (twice)
    CheckMetadataUpdate(resource, subresource, before["metadata"], after["metadata"], rules);
  if (subresource == "status" && resource.validate_status != nullptr) {
    resource.validate_status(before, after, rules);
  }
  if (subresource == "approval") CheckSigningRequestApproval(before, after, rules);
  if (subresource == "finalize") CheckFinalizedNamespace(after, rules);
  // Other subresources cannot change the spec.
  if (!subresource.empty() && subresource != "scale") return causes;
  CheckRulesOfUpdate(resource.rules, before, after, rules);
  if (resource.validate_update != nullptr) resource.validate_update(before, after, rules);
  const auto check_update = [&] {
    if (resource.validate_spec_update == nullptr) return;
    resource.validate_spec_update(SpecOf(live), SpecOf(next), causes);
  };
  if (resource.update_first) check_update();
  if (resource.validate_always != nullptr) resource.validate_always(after, rules);
  if (!resource.update_first) check_update();
  return causes;
}

}  // namespace capstan::testing::apiserver
