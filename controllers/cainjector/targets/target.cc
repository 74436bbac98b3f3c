// SPDX-License-Identifier: Apache-2.0
#include "controllers/cainjector/targets/target.h"

#include <utility>

#include "capstan/api/gvr.h"
#include "capstan/base64.h"
#include "capstan/interner.h"
#include "capstan/runtime/json_writer.h"
#include "controllers/cainjector/rules/annotations.h"

namespace capstan::cainjector {
namespace {

void WriteCaBundle(runtime::JsonWriter& writer, std::string_view bundle) {
  writer.Key("caBundle");
  writer.String(Base64Encode(bundle));
}

void WriteWebhooks(runtime::JsonWriter& writer, const Injectable& object,
                   const std::vector<std::string>& bundles) {
  writer.Key("webhooks");
  writer.StartArray();
  for (std::size_t i = 0; i < bundles.size(); ++i) {
    writer.StartObject();
    runtime::WriteField(writer, "name", object.fields().points[i].name);
    writer.Key("clientConfig");
    writer.StartObject();
    WriteCaBundle(writer, bundles[i]);
    writer.EndObject();
    writer.EndObject();
  }
  writer.EndArray();
}

// Writes the bundle of an object with one point, which is at `path`.
void WriteOnlyBundle(runtime::JsonWriter& writer, std::initializer_list<std::string_view> path,
                     const std::vector<std::string>& bundles) {
  for (const std::string_view key : path) {
    writer.Key(key);
    writer.StartObject();
  }
  WriteCaBundle(writer, bundles.front());
  for (std::size_t depth = 0; depth < path.size(); ++depth) writer.EndObject();
}

}  // namespace

// The bundles of one cluster mostly hold the same few CAs.
TargetTypeOptions CommonTypeOptions() {
  static const auto bundles = std::make_shared<Interner>();
  return {.annotations = InjectAnnotations(),
          .annotation_bytes_max = kTargetAnnotationBytesMax,
          .bundles = bundles,
          .field_manager = std::string(kFieldManager)};
}

runtime::ResourceType AnnotationsType(const runtime::ResourceType& content_type,
                                      std::vector<std::string> annotations) {
  return api::MakeMetadataType({.gvr = content_type.gvr,
                                .kind = content_type.kind,
                                .namespaced = content_type.namespaced,
                                .annotations = std::move(annotations),
                                .annotation_bytes_max = kTargetAnnotationBytesMax});
}

std::optional<Failure> Target::Refusal(const runtime::Object& content) const {
  switch (Fields(content).exclusion) {
    case Injectable::Exclusion::kNone:
      return std::nullopt;
    case Injectable::Exclusion::kNoService:
      return Failure{.reason = Reason::kNothingToInjectInto,
                     .message =
                         "the API is served by kube-apiserver itself: there is no spec.service "
                         "whose certificate would be verified"};
    case Injectable::Exclusion::kTlsVerifyDisabled:
      return Failure{.reason = Reason::kTlsVerifyDisabled,
                     .message =
                         "spec.insecureSkipTLSVerify is true, which excludes a CA bundle; "
                         "remove one of it and the annotation"};
    case Injectable::Exclusion::kNoField:
      return Failure{.reason = Reason::kNothingToInjectInto, .message = options_.no_field};
    case Injectable::Exclusion::kNoString:
      return Failure{.reason = Reason::kRejected, .message = options_.no_string};
    case Injectable::Exclusion::kTooManyPlaces:
      return Failure{.reason = Reason::kTooLarge,
                     .message = "the object has more than " +
                                std::to_string(Injectable::kPlacesMax) +
                                " places for a bundle, and etcd stores no object with a bundle in "
                                "each; " +
                                kTooLargeFix};
    case Injectable::Exclusion::kBadKey:
      return Failure{.reason = Reason::kBadAnnotation,
                     .message = std::string(kInjectCaKey) +
                                " is not a key that a ConfigMap can have: at most 253 letters, "
                                "digits, \"-\", \"_\" and \".\""};
    case Injectable::Exclusion::kNoConversionWebhook:
      break;
  }
  return Failure{.reason = Reason::kNothingToInjectInto,
                 .message =
                     "spec.conversion.strategy is not Webhook: there is no conversion "
                     "webhook whose certificate would be verified"};
}

std::vector<std::string> Target::Bundles(const runtime::Object& content) {
  std::vector<std::string> bundles;
  for (const auto& point : Fields(content).points) bundles.push_back(*point.ca_bundle);
  return bundles;
}

std::size_t Target::ByteSize(const runtime::Object& content) {
  std::size_t bytes = 0;
  for (const auto& point : Fields(content).points) {
    bytes += sizeof point + point.name.size() + point.ca_bundle->size();
  }
  return bytes;
}

TargetWrite Target::Write(const runtime::Object& content, const std::vector<std::string>& bundles,
                          ApplyTo to) const {
  const bool apply = !written_by_index();
  return {
      .type = options_.patch_type,
      .body = apply ? ApplyConfiguration(content, bundles, to) : JsonPatch(content, bundles, to),
      .options = {.field_manager = std::string(kFieldManager), .force = apply && options_.force}};
}

std::string Target::ApplyConfiguration(const runtime::Object& content,
                                       const std::vector<std::string>& bundles, ApplyTo to) const {
  runtime::JsonWriter writer;
  writer.StartObject();
  runtime::WriteField(writer, "apiVersion", content_type().gvr.ApiVersion());
  runtime::WriteField(writer, "kind", content_type().kind);
  writer.Key("metadata");
  writer.StartObject();
  runtime::WriteField(writer, "namespace", content.namespace_());
  runtime::WriteField(writer, "name", content.name());
  runtime::WriteField(writer, "uid", content.uid());
  if (to == ApplyTo::kThisVersion) {
    runtime::WriteField(writer, "resourceVersion", content.resource_version());
  }
  writer.EndObject();
  options_.write_bundles(writer, static_cast<const Injectable&>(content), bundles);
  writer.EndObject();
  return std::move(writer).Take();
}

// A "replace" of the version is a conflict (409) in any other version. A failed "test" is not: its
// 422 looks like a rejected object.
std::string Target::JsonPatch(const runtime::Object& content,
                              const std::vector<std::string>& bundles, ApplyTo to) const {
  const bool version = to == ApplyTo::kThisVersion;
  runtime::JsonWriter writer;
  writer.StartArray();
  writer.StartObject();
  runtime::WriteField(writer, "op", version ? "replace" : "test");
  runtime::WriteField(writer, "path", version ? "/metadata/resourceVersion" : "/metadata/uid");
  runtime::WriteField(writer, "value", version ? content.resource_version() : content.uid());
  writer.EndObject();
  options_.write_bundles(writer, static_cast<const Injectable&>(content), bundles);
  writer.EndArray();
  return std::move(writer).Take();
}

const Target& ValidatingWebhookTarget() {
  static const Target target(
      {.content_type = MakeValidatingWebhookConfigurationType(CommonTypeOptions()),
       .write_bundles = WriteWebhooks});
  return target;
}

const Target& MutatingWebhookTarget() {
  static const Target target(
      {.content_type = MakeMutatingWebhookConfigurationType(CommonTypeOptions()),
       .write_bundles = WriteWebhooks});
  return target;
}

const Target& ApiServiceTarget() {
  static const Target target({.content_type = MakeApiServiceType(CommonTypeOptions()),
                              .write_bundles = [](runtime::JsonWriter& writer, const Injectable&,
                                                  const std::vector<std::string>& bundles) {
                                WriteOnlyBundle(writer, {"spec"}, bundles);
                              }});
  return target;
}

const Target& CustomResourceDefinitionTarget() {
  static const Target target = [] {
    runtime::ResourceType type = MakeCustomResourceDefinitionType(CommonTypeOptions());
    runtime::ResourceType cached = AnnotationsType(type, InjectAnnotations());
    return Target(
        {.content_type = std::move(type),
         .cached_type = std::move(cached),
         .content_by_get = true,
         .write_bundles = [](runtime::JsonWriter& writer, const Injectable&,
                             const std::vector<std::string>& bundles) {
           WriteOnlyBundle(writer, {"spec", "conversion", "webhook", "clientConfig"}, bundles);
         }});
  }();
  return target;
}

}  // namespace capstan::cainjector
