// SPDX-License-Identifier: Apache-2.0
#include "clientgo/testing/apiserver/validation/field_rules.h"

#include <algorithm>
#include <utility>

#include "capstan/logging.h"
#include "capstan/runtime/json_writer.h"
#include "capstan/text.h"
#include "clientgo/testing/apiserver/validation/validation.h"

namespace capstan::testing::apiserver {
namespace {

const runtime::JsonValue& NoValue() {
  static const runtime::JsonValue null;
  return null;
}

// Go sorts the keys of maps. The members of its types that errors show are in this order, too,
// except that a selector's matchLabels come first.
std::string_view SortKey(const runtime::JsonValue& name) {
  const std::string_view text = runtime::ToView(name);
  return text == "matchLabels" ? "match" : text;
}

void SortMembers(runtime::JsonValue& value) {
  if (value.IsArray()) {
    for (runtime::JsonValue& item : value.GetArray()) SortMembers(item);
  }
  if (!value.IsObject()) return;
  std::sort(value.MemberBegin(), value.MemberEnd(),
            [](const auto& a, const auto& b) { return SortKey(a.name) < SortKey(b.name); });
  for (auto member = value.MemberBegin(); value.MemberEnd() - member > 0; ++member) {
    SortMembers(member->value);
  }
}

}  // namespace

Place Place::operator[](std::string_view member) const {
  return Find(member).At((path_.empty() ? "" : path_ + ".") + std::string(member));
}

Place Place::Entry(std::string_view key) const {
  return Find(key).At(path_ + "[" + std::string(key) + "]");
}

Place Place::Find(std::string_view member) const {
  const runtime::JsonValue* const found =
      value_->IsObject() ? runtime::Find(*value_, member) : nullptr;
  return {found == nullptr ? NoValue() : *found, ""};
}

std::vector<Place> Place::Keys() const {
  std::vector<Place> keys;
  if (!value_->IsObject()) return keys;
  for (const auto& member : value_->GetObject()) keys.emplace_back(member.name, path_);
  return keys;
}

std::vector<Place> Place::Items() const {
  std::vector<Place> items;
  if (!value_->IsArray()) return items;
  for (const runtime::JsonValue& item : value_->GetArray()) {
    items.emplace_back(item, path_ + "[" + std::to_string(items.size()) + "]");
  }
  return items;
}

std::string_view Place::Text() const {
  return value_->IsString() ? runtime::ToView(*value_) : std::string_view();
}

std::optional<std::int64_t> Place::Number() const {
  if (!value_->IsInt64()) return std::nullopt;
  return value_->GetInt64();
}

std::string Place::Json() const {
  runtime::JsonDocument copy;
  copy.CopyFrom(*value_, copy.GetAllocator());
  SortMembers(copy);
  return runtime::ToJson(copy);
}

bool FieldRules::RequireText(const Place& field, std::string_view detail) {
  if (!field.Text().empty()) return true;
  Required(field, detail);
  return false;
}

void FieldRules::NotNegative(const Place& field) {
  if (field.Number().value_or(0) < 0) Invalid(field, "must be greater than or equal to 0");
}

void FieldRules::Between(const Place& field, std::int64_t least, std::int64_t most) {
  const auto number = field.Number();
  if (!number || (least <= *number && *number <= most)) return;
  Invalid(field, "must be between " + std::to_string(least) + " and " + std::to_string(most) +
                     ", inclusive");
}

void FieldRules::OneOf(const Place& field, std::initializer_list<std::string_view> values) {
  const std::string_view text = field.Text();
  if (text.empty() || std::find(values.begin(), values.end(), text) != values.end()) return;
  Unsupported(field, Quote(text), values);
}

void FieldRules::ValueOneOf(const Place& field, std::initializer_list<std::string_view> values) {
  const std::string_view text = field.Text();
  if (std::find(values.begin(), values.end(), text) == values.end()) {
    Unsupported(field, Quote(text), values);
  }
}

void FieldRules::RequireOneOf(const Place& field, std::initializer_list<std::string_view> values) {
  if (RequireText(field)) OneOf(field, values);
}

void FieldRules::GivenOneOf(const Place& field, std::initializer_list<std::string_view> values) {
  if (!field.Given()) return;
  if (field.Text().empty()) return Unsupported(field, R"("")", values);
  OneOf(field, values);
}

void FieldRules::Subdomain(const Place& field) {
  if (!field.Text().empty()) Invalid(field, SubdomainErrors(field.Text()));
}

void FieldRules::Label(const Place& field) {
  if (!field.Text().empty()) Invalid(field, DnsLabelErrors(field.Text()));
}

void FieldRules::Labels(const Place& labels) {
  if (!labels.value().IsObject()) return;
  for (const auto& [key, value] : labels.value().GetObject()) {
    Invalid({key, labels.path()}, QualifiedNameErrors(runtime::ToView(key)));
    const Place place(value, labels.path());
    Invalid(place, LabelValueErrors(place.Text()));
  }
}

void FieldRules::LabelSelector(const Place& selector) {
  Labels(selector["matchLabels"]);
  for (const Place& requirement : selector["matchExpressions"].Items()) {
    const Place op = requirement["operator"];
    const Place values = requirement["values"];
    const bool empty = values.Items().empty();
    if (op.Text() == "In" || op.Text() == "NotIn") {
      if (empty) Required(values, "must be specified when `operator` is 'In' or 'NotIn'");
    } else if (op.Text() == "Exists" || op.Text() == "DoesNotExist") {
      if (!empty)
        Forbidden(values, "may not be specified when `operator` is 'Exists' or 'DoesNotExist'");
    } else {
      InvalidAs(op, Quote(op.Text()), "not a valid selector operator");
    }
    const Place key = requirement["key"];
    for (const std::string& error : QualifiedNameErrors(key.Text())) {
      InvalidAs(key, Quote(key.Text()), error);
    }
    for (const Place& value : values.Items()) Invalid(value, LabelValueErrors(value.Text()));
  }
}

void FieldRules::Immutable(const Place& live, const Place& next) {
  if (live.value() != next.value()) Invalid(next, "field is immutable");
}

void FieldRules::Required(const Place& field, std::string_view detail) {
  causes_.push_back(apiserver::Required(field.path(), detail));
}

void FieldRules::Invalid(const Place& field, std::string_view detail) {
  if (field.value().IsString()) {
    causes_.push_back(InvalidValue(field.path(), field.Text(), detail));
  } else {
    InvalidAs(field, field.Json(), detail);
  }
}

void FieldRules::Invalid(const Place& field, const std::vector<std::string>& errors) {
  for (const std::string& error : errors) Invalid(field, error);
}

void FieldRules::InvalidText(const Place& field, std::string_view detail) {
  InvalidAs(field, Quoted(field.Text()), detail);
}

void FieldRules::InvalidText(const Place& field, const std::vector<std::string>& errors) {
  for (const std::string& error : errors) InvalidText(field, error);
}

void FieldRules::InvalidAs(const Place& field, const std::string& json, std::string_view detail) {
  // kube-apiserver writes no colon before an empty detail.
  const std::string text = detail.empty() ? "" : ": " + std::string(detail);
  causes_.push_back({.reason = "FieldValueInvalid",
                     .message = "Invalid value: " + json + text,
                     .field = field.path()});
}

void FieldRules::Forbidden(const Place& field, std::string_view detail) {
  causes_.push_back(ForbiddenField(field.path(), detail));
}

void FieldRules::TooLong(const Place& field, std::size_t bytes_max) {
  causes_.push_back(
      {.reason = "FieldValueTooLong",
       .message = "Too long: may not be more than " + std::to_string(bytes_max) + " bytes",
       .field = field.path()});
}

void FieldRules::TooMany(const Place& field, std::size_t given, std::size_t most) {
  causes_.push_back({.reason = "FieldValueTooMany",
                     .message = "Too many: " + std::to_string(given) + ": must have at most " +
                                std::to_string(most) + " items",
                     .field = field.path()});
}

void FieldRules::Duplicate(const Place& field) { DuplicateAs(field, Quoted(field.Text())); }

void FieldRules::DuplicateAs(const Place& field, const std::string& json, std::string_view detail) {
  causes_.push_back(
      {.reason = "FieldValueDuplicate",
       .message = "Duplicate value: " + json + (detail.empty() ? "" : ": " + std::string(detail)),
       .field = field.path()});
}

void FieldRules::Missing(const Place& field, std::string_view detail) {
  causes_.push_back({.reason = "FieldValueNotFound",
                     .message = "Not found: " + Quoted(field.Text()) +
                                (detail.empty() ? "" : ": " + std::string(detail)),
                     .field = field.path()});
}

void FieldRules::Unsupported(const Place& field, const std::string& json,
                             std::initializer_list<std::string_view> values) {
  causes_.push_back(NotSupported(field.path(), json, Join(values, ", ", Quote)));
}

}  // namespace capstan::testing::apiserver
