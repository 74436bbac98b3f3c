// SPDX-License-Identifier: Apache-2.0
#include "controllers/cainjector/targets/field_target.h"

#include <cstddef>
#include <string_view>
#include <utility>

#include "capstan/base64.h"
#include "capstan/runtime/json_value.h"
#include "capstan/runtime/json_writer.h"
#include "controllers/cainjector/rules/annotations.h"

namespace capstan::cainjector {
namespace {

using Exclusion = Injectable::Exclusion;

// Returns the PEM of a field. Text that is not base64 is no bundle, and is replaced by one.
std::string DecodeText(std::string_view text, FieldEncoding encoding) {
  if (encoding == FieldEncoding::kPem) return std::string(text);
  return Base64Decode(text).value_or("");
}

// Places collects the points of one object. A name in a path has no character that a JSON pointer
// escapes.
class Places {
 public:
  Places(FieldEncoding encoding, Interner& bundles) : encoding_(encoding), bundles_(bundles) {}

  // Adds a point for each parent of the last field of `path`. `value` is at `pointer`, where the
  // first `depth` steps of the path lead.
  void Add(const FieldPath& path, std::size_t depth, const runtime::JsonValue& value,
           const std::string& pointer) {
    const auto& [name, each] = path.steps[depth];
    const std::string below = pointer + "/" + name;
    if (depth + 1 == path.steps.size()) {
      if (too_many() || !runtime::IsJsonObject(value)) return;
      const runtime::JsonValue* found = runtime::FindNonNull(value, name);
      const auto text = found == nullptr ? std::string_view() : runtime::AsString(*found);
      if (!text) only_strings_ = false;
      points_.push_back(
          {.name = below, .ca_bundle = bundles_.Intern(DecodeText(text.value_or(""), encoding_))});
      return;
    }
    const runtime::JsonValue* child = runtime::FindNonNull(value, name);
    if (child == nullptr) return;
    if (!each) return Add(path, depth + 1, *child, below);
    std::size_t index = 0;
    for (const runtime::JsonValue& element : runtime::JsonElements(*child)) {
      Add(path, depth + 1, element, below + "/" + std::to_string(index++));
    }
  }
  bool too_many() const { return points_.size() > Injectable::kPlacesMax; }
  std::vector<InjectionPoint> Take() && { return std::move(points_); }
  // False: a value is not a string. It is not ours, so it must not be overwritten.
  bool only_strings() const { return only_strings_; }

 private:
  const FieldEncoding encoding_;
  Interner& bundles_;
  std::vector<InjectionPoint> points_;
  bool only_strings_ = true;
};

Expected<Injectable::Fields> Decode(const FieldTargetOptions& options,
                                    const runtime::JsonValue& object, Interner& bundles) {
  Places places(options.encoding, bundles);
  for (const FieldPath& path : options.fields) places.Add(path, 0, object, "");
  if (places.too_many()) return Injectable::Fields{.exclusion = Exclusion::kTooManyPlaces};
  Injectable::Fields fields;
  if (!places.only_strings()) fields.exclusion = Exclusion::kNoString;
  fields.points = std::move(places).Take();
  if (fields.points.empty()) fields.exclusion = Exclusion::kNoField;
  return fields;
}

void WriteOperations(FieldEncoding encoding, runtime::JsonWriter& writer, const Injectable& object,
                     const std::vector<std::string>& bundles) {
  for (std::size_t i = 0; i < bundles.size(); ++i) {
    const InjectionPoint& point = object.fields().points[i];
    if (*point.ca_bundle == bundles[i]) continue;
    writer.StartObject();
    runtime::WriteField(writer, "op", "add");  // also replaces
    runtime::WriteField(writer, "path", point.name);
    writer.Key("value");
    writer.String(encoding == FieldEncoding::kPem ? bundles[i] : Base64Encode(bundles[i]));
    writer.EndObject();
  }
}

std::string AnyField(const FieldTargetOptions& options) {
  std::string text;
  for (std::size_t i = 0; i < options.fields.size(); ++i) {
    text += (i == 0 ? "" : " or ") + options.fields[i].String();
  }
  return text;
}

TargetOptions OptionsFor(const FieldTargetOptions& options) {
  std::vector<runtime::Projection::Path> paths;
  paths.reserve(options.fields.size());
  for (const FieldPath& field : options.fields) paths.push_back(field.Names());
  auto type = MakeInjectableType(
      {.gvr = options.gvr,
       .kind = options.kind,
       .namespaced = options.namespaced,
       .paths = std::move(paths),
       .decode = [options](const runtime::JsonValue& object,
                           Interner& bundles) { return Decode(options, object, bundles); }},
      CommonTypeOptions());
  auto cached_type = AnnotationsType(type, InjectAnnotations());
  return {.content_type = std::move(type),
          .cached_type = std::move(cached_type),
          .patch_type = rest::PatchType::kJson,
          .write_bundles =
              [encoding = options.encoding](runtime::JsonWriter& writer, const Injectable& object,
                                            const std::vector<std::string>& bundles) {
                WriteOperations(encoding, writer, object, bundles);
              },
          .optional = true,
          .no_field = "the object has no parent of " + AnyField(options),
          .no_string = "nothing was written: the value of " + AnyField(options) +
                       " is not a string; correct the object or additionalTargets"};
}

}  // namespace

Expected<void> CheckFieldTarget(const FieldTargetOptions& options) {
  const auto is = [&](std::string_view group, std::string_view resource, std::string_view kind) {
    return options.gvr.group == group && (options.gvr.resource == resource || options.kind == kind);
  };
  if (is("", "secrets", "Secret")) {
    return Err(ErrorReason::kInvalidArgument,
               "Secrets cannot be targets: nothing is ever written to a Secret");
  }
  struct Flagged {
    std::string_view group, resource, kind;
  };
  static constexpr Flagged kFlagged[] = {
      {"admissionregistration.k8s.io", "validatingwebhookconfigurations",
       "ValidatingWebhookConfiguration"},
      {"admissionregistration.k8s.io", "mutatingwebhookconfigurations",
       "MutatingWebhookConfiguration"},
      {"apiregistration.k8s.io", "apiservices", "APIService"},
      {"apiextensions.k8s.io", "customresourcedefinitions", "CustomResourceDefinition"},
      {"certificates.k8s.io", "clustertrustbundles", "ClusterTrustBundle"},
      {"", "configmaps", "ConfigMap"},
  };
  for (const auto& [group, resource, kind] : kFlagged) {
    if (!is(group, resource, kind)) {
      // The kind is a label of the metrics, and the name of the Controller.
      if (options.kind != kind) continue;
      return Err(ErrorReason::kInvalidArgument,
                 "a kind with the name " + options.kind + " of another group is not supported");
    }
    return Err(ErrorReason::kInvalidArgument, std::string(kind) +
                                                  " has a flag of its own: --enable-" +
                                                  std::string(resource) + "-injectable");
  }
  return {};
}

FieldTarget::FieldTarget(FieldTargetOptions the_options)
    : options(std::move(the_options)), target(OptionsFor(options)) {}

}  // namespace capstan::cainjector
