// SPDX-License-Identifier: Apache-2.0
#include "apiserver/selectors.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

namespace apiserver {
namespace {

// Field paths beyond metadata.name and metadata.namespace.
struct Field {
  std::string_view resource;
  std::string_view path;
  std::string_view at = {};  // where it lies, when not at its path
};
constexpr std::array kFields = {
    Field{.resource = "secrets", .path = "type"},
    Field{.resource = "pods", .path = "spec.nodeName"},
    Field{.resource = "pods", .path = "spec.restartPolicy"},
    Field{.resource = "pods", .path = "spec.schedulerName"},
    Field{.resource = "pods", .path = "spec.serviceAccountName"},
    Field{.resource = "pods", .path = "status.phase"},
    Field{.resource = "pods", .path = "status.podIP"},
    Field{.resource = "namespaces", .path = "status.phase"},
    Field{.resource = "nodes", .path = "spec.unschedulable"},
    Field{.resource = "events", .path = "reason"},
    Field{.resource = "events", .path = "type"},
    Field{.resource = "events", .path = "involvedObject.kind"},
    Field{.resource = "events", .path = "involvedObject.name"},
    Field{.resource = "events", .path = "involvedObject.namespace"},
    Field{.resource = "events", .path = "involvedObject.uid"},
    Field{.resource = "events", .path = "involvedObject.apiVersion"},
    Field{.resource = "events", .path = "involvedObject.resourceVersion"},
    Field{.resource = "events", .path = "involvedObject.fieldPath"},
    Field{.resource = "events", .path = "reportingComponent"},
    Field{.resource = "events", .path = "source", .at = "source.component"},
};

// Kinds with field labels of their own differ from the rest in more than these.
bool HasOwnFields(const Resource& resource) {
  return std::any_of(kFields.begin(), kFields.end(),
                     [&](const Field& field) { return field.resource == resource.plural; });
}

// Where a field label lies in an object; empty: it is not known.
std::string_view Locate(const Resource& resource, std::string_view path) {
  if (path == "metadata.name") return path;
  if (path == "metadata.namespace" && (resource.namespaced || !HasOwnFields(resource))) return path;
  for (const Field& field : kFields) {
    if (field.resource != resource.plural || field.path != path) continue;
    return field.at.empty() ? field.path : field.at;
  }
  return {};
}

Status UnknownField(const Resource& resource, std::string_view path) {
  if (HasOwnFields(resource)) {
    return BadRequest("field label not supported: " + std::string(path));
  }
  return BadRequest(
      "\"" + std::string(path) +
      R"(" is not a known field selector: only "metadata.name", "metadata.namespace")");
}

// Up to the next ',' that no backslash takes its meaning.
std::string_view NextTerm(std::string_view text) {
  std::size_t end = 0;
  while (end < text.size() && text[end] != ',') end += text[end] == '\\' ? 2 : 1;
  return text.substr(0, end);
}

std::string Unescape(std::string_view text) {
  std::string plain;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\' && i + 1 < text.size()) ++i;
    plain += text[i];
  }
  return plain;
}

// A string, a bool, or "" for what is missing.
std::string FieldText(const JsonValue& root, std::string_view path) {
  const JsonValue* value = &root;
  while (!path.empty() && value != nullptr) {
    const std::size_t dot = std::min(path.find('.'), path.size());
    value = Find(*value, path.substr(0, dot));
    path.remove_prefix(std::min(dot + 1, path.size()));
  }
  if (value == nullptr) return {};
  if (value->IsString()) return std::string(ToView(*value));
  if (value->IsBool()) return value->GetBool() ? "true" : "false";
  return {};
}

}  // namespace

std::optional<std::int64_t> ParseInteger(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, ec] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (ec != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

bool LabelRequirement::Matches(const JsonValue* labels) const {
  const JsonValue* const label = labels == nullptr ? nullptr : Find(*labels, key);
  const bool exists = label != nullptr && label->IsString();
  const auto listed = [&] {
    return std::find(values.begin(), values.end(), ToView(*label)) != values.end();
  };
  switch (op) {
    case Operator::kExists:
      return exists;
    case Operator::kDoesNotExist:
      return !exists;
    case Operator::kIn:
      return exists && listed();
    case Operator::kNotIn:
      return !exists || !listed();
    case Operator::kGreaterThan:
    case Operator::kLessThan: {
      if (!exists) return false;
      const auto have = ParseInteger(ToView(*label));
      const auto bound = ParseInteger(values.front());
      if (!have || !bound) return false;
      return op == Operator::kGreaterThan ? *have > *bound : *have < *bound;
    }
  }
  return false;
}

Result<std::vector<FieldRequirement>> ParseFieldSelector(const Resource& resource,
                                                         std::string_view text) {
  std::vector<FieldRequirement> requirements;
  const std::string whole(text);
  while (!text.empty()) {
    const std::string_view term = NextTerm(text);
    text.remove_prefix(std::min(term.size() + 1, text.size()));
    if (term.empty()) continue;
    const std::size_t equals = term.find('=');
    if (equals == std::string_view::npos) {
      return tl::unexpected(BadRequest("invalid selector: '" + whole + "'; can't understand '" +
                                       std::string(term) + "'"));
    }
    const bool negated = equals > 0 && term[equals - 1] == '!';
    const bool doubled = !negated && equals + 1 < term.size() && term[equals + 1] == '=';
    const std::string_view path = term.substr(0, negated ? equals - 1 : equals);
    FieldRequirement requirement{.path = std::string(Locate(resource, path)),
                                 .value = Unescape(term.substr(equals + (doubled ? 2 : 1))),
                                 .equal = !negated};
    if (requirement.path.empty()) return tl::unexpected(UnknownField(resource, path));
    requirements.push_back(std::move(requirement));
  }
  return requirements;
}

Result<Selector> Selector::Parse(const Resource& resource, std::string_view labels,
                                 std::string_view fields) {
  Selector selector;
  auto label_requirements = ParseLabelSelector(labels);
  if (!label_requirements) return tl::unexpected(std::move(label_requirements.error()));
  auto field_requirements = ParseFieldSelector(resource, fields);
  if (!field_requirements) return tl::unexpected(std::move(field_requirements.error()));
  selector.labels_ = std::move(*label_requirements);
  selector.fields_ = std::move(*field_requirements);
  return selector;
}

bool Selector::Matches(const Object& object) const {
  if (empty()) return true;
  // Nearly all selectors ask for metadata alone; then the rest of the object is not even parsed.
  const bool metadata_only = std::all_of(
      fields_.begin(), fields_.end(),
      [](const FieldRequirement& field) { return field.path.starts_with("metadata."); });
  constexpr std::string_view kMetadata = "metadata.";
  JsonDocument root;
  const std::string_view text = metadata_only ? object.metadata() : std::string_view(object.text);
  root.Parse(text.data(), text.size());
  const JsonValue* const labels =
      metadata_only ? Find(root, "labels") : FindPath(root, {"metadata", "labels"});
  return std::all_of(labels_.begin(), labels_.end(),
                     [&](const LabelRequirement& label) { return label.Matches(labels); }) &&
         std::all_of(fields_.begin(), fields_.end(), [&](const FieldRequirement& field) {
           const std::string_view path = metadata_only
                                             ? std::string_view(field.path).substr(kMetadata.size())
                                             : std::string_view(field.path);
           return (FieldText(root, path) == field.value) == field.equal;
         });
}

}  // namespace apiserver
