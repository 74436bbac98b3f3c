// SPDX-License-Identifier: Apache-2.0
#include "clientgo/testing/apiserver/validation/custom_validation.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

#include "capstan/text.h"
#include "clientgo/testing/apiserver/types/go_text.h"
#include "clientgo/testing/apiserver/types/schema.h"
#include "clientgo/testing/apiserver/validation/field_rules.h"
#include "clientgo/testing/apiserver/validation/metadata_validation.h"
#include "clientgo/testing/apiserver/validation/validation.h"

namespace capstan::testing::apiserver {
namespace {

// Returns the value at a path as ".spec.replicas"; not given if it is missing. `why` is set when a
// value on the way is no object.
Place ValueAt(const Place& object, std::string_view path, std::string& why) {
  Place place = object;
  std::string way;
  if (path.starts_with('.')) path.remove_prefix(1);
  for (const std::string_view step : Split(path, '.')) {
    way.append(".").append(step);
    if (place.Given() && !place.value().IsObject()) {
      why = way + " accessor error: " + ShownValue(place.value()) + " is of the type " +
            runtime::GoTypeName(place.value()) + ", expected map[string]interface{}";
      return place;
    }
    place = place[step];
  }
  return place;
}

std::string TypeErrorAt(std::string_view path, const Place& value, std::string_view expected) {
  const std::string shown =
      value.value().IsString() ? std::string(value.Text()) : ShownValue(value.value());
  return std::string(path.starts_with('.') ? "" : ".") + std::string(path) +
         " accessor error: " + shown + " is of the type " + runtime::GoTypeName(value.value()) +
         ", expected " + std::string(expected);
}

void CheckReplicas(const Place& object, std::string_view path, FieldRules& rules) {
  constexpr std::int64_t kReplicasMax = std::numeric_limits<std::int32_t>::max();
  std::string why;
  const Place value = ValueAt(object, path, why);
  const Place field = value.At(std::string(path));
  if (why.empty() && value.Given() && !value.Number()) why = TypeErrorAt(path, value, "int64");
  const std::int64_t number = why.empty() ? value.Number().value_or(0) : 0;
  if (number < 0) why = "should be a non-negative integer";
  if (number > kReplicasMax)
    why = "should be less than or equal to " + std::to_string(kReplicasMax);
  if (!why.empty()) rules.InvalidAs(field, std::to_string(number), why);
}

// Checks the kind and the metadata of one embedded resource.
void CheckEmbeddedResource(const Place& object, FieldRules& rules) {
  const auto check = [&](const char* name, const auto& check_text) {
    const Place field = object[name];
    const bool missing = runtime::Find(object.value(), name) == nullptr;
    if (missing) {
      rules.Required(field);
    } else if (!field.value().IsString()) {
      rules.InvalidAs(field, ShownValue(field.value()), "must be a string");
    } else if (field.Text().empty()) {
      rules.InvalidText(field, "must not be empty");
    } else {
      check_text(field);
    }
  };
  check("apiVersion", [&](const Place& version) {
    const std::string_view text = version.Text();
    if (std::count(text.begin(), text.end(), '/') < 2) return;
    rules.InvalidText(version, "unexpected GroupVersion string: " + std::string(text));
  });
  check("kind", [&](const Place& kind) {
    for (const std::string& error : Dns1035LabelErrors(LowerAscii(kind.Text()))) {
      rules.InvalidText(kind, "may have mixed case, but should otherwise match: " + error);
    }
  });
  CheckEmbeddedMetadata(object["metadata"], rules);
}

void CheckEmbeddedIn(const runtime::JsonValue& schema, const Place& value, FieldRules& rules) {
  if (value.value().IsArray()) {
    for (const Place& item : value.Items()) CheckEmbeddedIn(ObjectAt(schema, "items"), item, rules);
  }
  if (!value.value().IsObject()) return;
  if (IsSet(schema, "x-kubernetes-embedded-resource")) CheckEmbeddedResource(value, rules);
  const runtime::JsonValue& properties = ObjectAt(schema, "properties");
  for (const Place& name : value.Keys()) {
    const runtime::JsonValue* const part = MemberSchema(schema, name.Text());
    if (part == nullptr) continue;
    const bool property = runtime::Find(properties, name.Text()) != nullptr;
    CheckEmbeddedIn(*part, property ? value[name.Text()] : value.Entry(name.Text()), rules);
  }
}

}  // namespace

std::vector<Cause> ValidateScale(const Resource& resource, const runtime::JsonValue& object,
                                 bool status_only) {
  std::vector<Cause> causes;
  if (!resource.scale) return causes;
  FieldRules rules(causes);
  const Place whole(object, "");
  if (!status_only) CheckReplicas(whole, resource.scale_paths.replicas, rules);
  CheckReplicas(whole, resource.scale_paths.status_replicas, rules);
  const std::string_view selector = resource.scale_paths.selector;
  if (selector.empty()) return causes;
  std::string why;
  const Place value = ValueAt(whole, selector, why);
  if (why.empty() && value.Given() && !value.value().IsString()) {
    why = TypeErrorAt(selector, value, "string");
  }
  if (!why.empty()) rules.InvalidAs(value.At(std::string(selector)), "\"\"", why);
  return causes;
}

std::vector<Cause> ValidateEmbedded(const runtime::JsonValue& schema,
                                    const runtime::JsonValue& object) {
  std::vector<Cause> causes;
  FieldRules rules(causes);
  CheckEmbeddedIn(schema, Place(object, ""), rules);
  return causes;
}

}  // namespace capstan::testing::apiserver
