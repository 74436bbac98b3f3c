// SPDX-License-Identifier: Apache-2.0
#include "clientgo/testing/apiserver/storage/selectors.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <optional>
#include <utility>

#include "capstan/text.h"
#include "clientgo/testing/apiserver/validation/validation.h"

namespace capstan::testing::apiserver {
namespace {

using Operator = LabelRequirement::Operator;

// "<path>: Invalid value: "<text>": <why>; <why>".
Status Invalid(const std::string& path, const std::string& text,
               const std::vector<std::string>& reasons) {
  return BadRequest("unable to parse requirement: " + path + ": " +
                    InvalidValue("", text, Join(reasons, "; ")).message);
}

// Checks the names and values, which the parser does not.
std::optional<Status> CheckRequirement(const LabelRequirement& requirement) {
  const auto errors = QualifiedNameErrors(requirement.key);
  if (!errors.empty()) return Invalid("<nil>", requirement.key, errors);
  const bool number =
      requirement.op == Operator::kGreaterThan || requirement.op == Operator::kLessThan;
  for (std::size_t i = 0; i < requirement.values.size(); ++i) {
    const std::string& value = requirement.values[i];
    const std::string path = "values[" + std::to_string(i) + "]";
    if (number && !ParseInteger(value)) {
      return Invalid(path, value, {"for 'Gt', 'Lt' operators, the value must be an integer"});
    }
    const auto value_errors = LabelValueErrors(value);
    if (!value_errors.empty()) {
      return Invalid(path + "[" + requirement.key + "]", value, value_errors);
    }
  }
  return std::nullopt;
}

// SelectableField is a field label besides metadata.name and metadata.namespace.
struct SelectableField {
  std::string_view group;
  std::string_view resource;
  std::string_view path;
  std::string_view at = {};         // its place in the object; empty: the path
  std::string_view otherwise = {};  // the place that is read if `at` has no text
  std::string_view fallback = {};   // the text of a missing value
};
constexpr SelectableField kFields[] = {
    {"", "secrets", "type"},
    {"", "pods", "spec.nodeName"},
    {"", "pods", "spec.host", "spec.nodeName"},
    {"", "pods", "spec.restartPolicy"},
    {"", "pods", "spec.schedulerName"},
    {"", "pods", "spec.serviceAccountName"},
    {"", "pods", "spec.hostNetwork", {}, {}, "false"},
    {"", "pods", "status.phase"},
    {"", "pods", "status.podIP"},
    {"", "pods", "status.podIPs"},  // a list, which has no text
    {"", "pods", "status.nominatedNodeName"},
    {"", "services", "spec.clusterIP"},
    {"", "services", "spec.type"},
    {"", "replicationcontrollers", "status.replicas", {}, {}, "0"},
    {"", "namespaces", "status.phase"},
    {"", "nodes", "spec.unschedulable", {}, {}, "false"},
    {"batch", "jobs", "status.successful", "status.succeeded", {}, "0"},
    {"certificates.k8s.io", "clustertrustbundles", "spec.signerName"},
    {"certificates.k8s.io", "certificatesigningrequests", "spec.signerName"},
    {"resource.k8s.io", "resourceslices", "spec.nodeName"},
    {"resource.k8s.io", "resourceslices", "spec.driver"},
    {"resource.k8s.io", "resourceslices", "spec.pool.name"},
    {"", "events", "reason"},
    {"", "events", "type"},
    {"", "events", "involvedObject.kind"},
    {"", "events", "involvedObject.name"},
    {"", "events", "involvedObject.namespace"},
    {"", "events", "involvedObject.uid"},
    {"", "events", "involvedObject.apiVersion"},
    {"", "events", "involvedObject.resourceVersion"},
    {"", "events", "involvedObject.fieldPath"},
    {"", "events", "reportingComponent"},
    {"", "events", "source", "source.component", "reportingComponent"},
    {"events.k8s.io", "events", "reason"},
    {"events.k8s.io", "events", "type"},
    {"events.k8s.io", "events", "regarding.kind"},
    {"events.k8s.io", "events", "regarding.name"},
    {"events.k8s.io", "events", "regarding.namespace"},
    {"events.k8s.io", "events", "regarding.uid"},
    {"events.k8s.io", "events", "regarding.apiVersion"},
    {"events.k8s.io", "events", "regarding.resourceVersion"},
    {"events.k8s.io", "events", "regarding.fieldPath"},
    {"events.k8s.io", "events", "reportingController"},
};

bool IsOf(const SelectableField& field, const Resource& resource) {
  return field.resource == resource.plural && field.group == resource.group;
}

// Kinds with their own field labels also have other error texts.
bool HasOwnFields(const Resource& resource) {
  return resource.custom ||
         std::any_of(std::begin(kFields), std::end(kFields),
                     [&](const SelectableField& field) { return IsOf(field, resource); });
}

// Returns where the value of a field label is; without a path: the label is unknown.
FieldRequirement Locate(const Resource& resource, std::string_view path) {
  const bool has_namespace = resource.namespaced || !HasOwnFields(resource);
  if (path == "metadata.name") return {.path = "metadata.name"};
  if (path == "metadata.namespace" && has_namespace) return {.path = "metadata.namespace"};
  for (const std::string_view selectable : Split(resource.selectable, ',')) {
    if (!path.empty() && selectable == path) return {.path = std::string(path)};
  }
  for (const SelectableField& field : kFields) {
    if (!IsOf(field, resource) || field.path != path) continue;
    return {.path = std::string(field.at.empty() ? field.path : field.at),
            .otherwise = field.otherwise,
            .fallback = field.fallback};
  }
  return {};
}

Status UnknownField(const Resource& resource, const std::string& path) {
  if (!HasOwnFields(resource)) {
    return BadRequest(
        "\"" + path +
        R"(" is not a known field selector: only "metadata.name", "metadata.namespace")");
  }
  if (resource.kind == "Job") {
    return BadRequest("field label \"" + path + "\" not supported for Job");
  }
  const std::string kind(resource.kind);
  const std::string of =
      kind == "ResourceSlice" ? " for " + resource.ApiVersion() + ", Kind=" + kind : "";
  return BadRequest("field label not supported" + of + ": " + path);
}

// Returns the text up to the next unescaped ','.
std::string_view NextTerm(std::string_view text) {
  std::size_t end = 0;
  while (end < text.size() && text[end] != ',') end += text[end] == '\\' ? 2 : 1;
  return text.substr(0, std::min(end, text.size()));
}

// Mirrors fields.UnescapeValue, also in its texts.
Result<std::string> Unescape(std::string_view text) {
  constexpr std::string_view kEscaped = "\\,=";
  if (text.find_first_of(kEscaped) == std::string_view::npos) return std::string(text);
  const std::string prefix = "invalid field selector: ";
  std::string plain;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool escaped = text[i] == '\\';
    if (escaped && (++i == text.size() || kEscaped.find(text[i]) == std::string_view::npos)) {
      const std::size_t size =
          i == text.size() ? 0 : Utf8SequenceLength(&text[i], text.data() + text.size());
      return tl::unexpected(
          BadRequest(prefix + "invalid escape sequence: \\" + std::string(text.substr(i, size))));
    }
    if (!escaped && (text[i] == ',' || text[i] == '=')) {
      return tl::unexpected(BadRequest(
          prefix + "unescaped character in value: " + std::to_string(static_cast<int>(text[i]))));
    }
    plain += text[i];
  }
  return ToValidUtf8(std::move(plain));
}

// Returns the terms between unescaped commas. Go sorts them, so the first error is the same.
std::vector<std::string_view> Terms(std::string_view text) {
  std::vector<std::string_view> terms;
  while (!text.empty()) {
    const std::string_view term = NextTerm(text);
    text.remove_prefix(std::min(term.size() + 1, text.size()));
    if (!term.empty()) terms.push_back(term);
  }
  std::sort(terms.begin(), terms.end());
  return terms;
}

// Returns a string, a number or a bool as text; "" when it is missing.
std::string FieldText(const runtime::JsonValue& root, std::string_view path) {
  const runtime::JsonValue* value = &root;
  for (const std::string_view step : Split(path, '.')) {
    value = runtime::Find(*value, step);
    if (value == nullptr) return {};
  }
  if (value->IsString()) return std::string(runtime::ToView(*value));
  if (value->IsBool()) return value->GetBool() ? "true" : "false";
  if (value->IsInt64()) return std::to_string(value->GetInt64());
  return {};
}

// Returns the value that a requirement compares.
std::string FieldText(const runtime::JsonValue& root, const FieldRequirement& field) {
  std::string text = FieldText(root, field.path);
  if (text.empty() && !field.otherwise.empty()) text = FieldText(root, field.otherwise);
  return text.empty() ? std::string(field.fallback) : text;
}

}  // namespace

bool MatchesLabels(const std::vector<LabelRequirement>& requirements,
                   const runtime::JsonValue& labels) {
  return std::all_of(
      requirements.begin(), requirements.end(), [&](const LabelRequirement& requirement) {
        const runtime::JsonValue* const label = runtime::Find(labels, requirement.key);
        const bool exists = label != nullptr && label->IsString();
        return requirement.Matches(exists ? std::optional(runtime::ToView(*label)) : std::nullopt);
      });
}

Result<std::vector<FieldRequirement>> ParseFieldSelector(const Resource& resource,
                                                         std::string_view text) {
  std::vector<FieldRequirement> requirements;
  for (const std::string_view term : Terms(text)) {
    const std::size_t equals = term.find('=');
    if (equals == std::string_view::npos) {
      return tl::unexpected(BadRequest("invalid selector: '" + std::string(text) +
                                       "'; can't understand '" + std::string(term) + "'"));
    }
    const bool negated = equals > 0 && term[equals - 1] == '!';
    const bool doubled = !negated && equals + 1 < term.size() && term[equals + 1] == '=';
    const std::string path(term.substr(0, negated ? equals - 1 : equals));
    auto value = Unescape(term.substr(equals + (doubled ? 2 : 1)));
    if (!value) return tl::unexpected(std::move(value.error()));
    if (path.empty() && value->empty()) continue;  // "=" selects everything
    FieldRequirement requirement = Locate(resource, path);
    if (requirement.path.empty()) return tl::unexpected(UnknownField(resource, path));
    requirement.value = *std::move(value);
    requirement.equal = !negated;
    requirements.push_back(std::move(requirement));
  }
  return requirements;
}

Result<Selector> Selector::Parse(const Resource& resource, std::string_view labels,
                                 std::string_view fields) {
  auto label_requirements = ParseLabelSelector(labels);
  if (!label_requirements) {
    return tl::unexpected(BadRequest(std::move(label_requirements.error().message)));
  }
  for (const LabelRequirement& requirement : *label_requirements) {
    if (auto error = CheckRequirement(requirement)) return tl::unexpected(*std::move(error));
  }
  auto field_requirements = ParseFieldSelector(resource, fields);
  if (!field_requirements) return tl::unexpected(std::move(field_requirements.error()));
  Selector selector;
  selector.labels_ = *std::move(label_requirements);
  selector.fields_ = *std::move(field_requirements);
  return selector;
}

bool Selector::MayMatchKey(std::string_view key) const {
  const std::string_view name = key.substr(key.rfind('/') + 1);
  return std::all_of(fields_.begin(), fields_.end(), [&](const FieldRequirement& field) {
    return field.path != "metadata.name" || (field.value == name) == field.equal;
  });
}

bool Selector::Matches(const Object& object) const {
  if (empty()) return true;
  // Nearly all selectors need only metadata. Then the rest of the object is not parsed.
  const bool metadata_only = std::all_of(
      fields_.begin(), fields_.end(),
      [](const FieldRequirement& field) { return field.path.starts_with("metadata."); });
  const std::string metadata = R"({"metadata":)" + std::string(object.metadata()) + "}";
  const std::string& text = metadata_only ? metadata : object.text;
  runtime::JsonDocument root;
  root.Parse(text.data(), text.size());
  const runtime::JsonValue& labels = ObjectAt(ObjectAt(root, "metadata"), "labels");
  return MatchesLabels(labels_, labels) &&
         std::all_of(fields_.begin(), fields_.end(), [&](const FieldRequirement& field) {
           return (FieldText(root, field) == field.value) == field.equal;
         });
}

}  // namespace capstan::testing::apiserver
